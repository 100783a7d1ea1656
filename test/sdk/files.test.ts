import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileCursorStore, removeFile, saveFile } from '../../sdk/typescript/src/node.ts'
import { startProgram } from './following.ts'

/** What both SDKs do with files, each in its language. */
interface FileCalls {
  /** Loads and releases the store; returns `free`, or the code of the error. */
  use(store: string): Promise<string>
  save(path: string, text: string): Promise<unknown>
  remove(path: string): Promise<unknown>
}

const typescript: FileCalls = {
  async use(path) {
    const store = fileCursorStore(path)
    return store.load().then(
      () => store.release().then(() => 'free'),
      error => error.code,
    )
  },
  save: (path, text) => saveFile({ bytes: Buffer.from(text) }, path),
  remove: removeFile,
}

async function inPython(...call: string[]): Promise<string> {
  const { stdout, stderr, code } = await startProgram('files.py', { CALL: JSON.stringify(call) }).finished
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}

const python: FileCalls = {
  use: store => inPython('use', store),
  save: (path, text) => inPython('save', path, text),
  remove: path => inPython('remove', path),
}

for (const [language, calls] of Object.entries({ typescript, python })) {
  describe(language, () => {
    let folder: string
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'dossier-files-'))
    })
    after(() => rmSync(folder, { recursive: true }))

    test('a store of a killed program is free although its process ID is in use again', async () => {
      const path = join(folder, 'cursor.json')
      const write = (holder: object) => writeFileSync(`${path}.lock`, JSON.stringify(holder))
      // This process runs, and began at another time than the one that held the store.
      const holder = { id: 'x', pid: process.ppid, host: hostname() }
      write({ ...holder, started: 'at another time' })
      assert.equal(await calls.use(path), 'free')
      // Release 0.1.0 stored no time: the number alone counts.
      write(holder)
      assert.equal(await calls.use(path), 'cursor-in-use')
    })

    test('no copy of a file stays beside it, neither after a kill nor after an error', async () => {
      const path = join(folder, 'resume.pdf')
      writeFileSync(`${path}.part`, 'what a killed program had written, which is longer')
      await calls.save(path, 'resume')
      assert.equal(readFileSync(path, 'utf8'), 'resume')
      assert.deepEqual(
        readdirSync(folder).filter(name => name.startsWith('resume')),
        ['resume.pdf'],
      )
      writeFileSync(`${path}.part`, 'left by a kill')
      await calls.remove(path)
      await calls.remove(path)
      // A folder in the place of the file makes the last step fail.
      const taken = mkdtempSync(join(folder, 'resume-'))
      writeFileSync(join(taken, 'file'), '')
      await assert.rejects(calls.save(taken, 'resume'))
      assert.deepEqual(
        readdirSync(folder).filter(name => name.includes('.part')),
        [],
      )
    })
  })
}
