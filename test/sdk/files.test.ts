import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileCursorStore, removeFile, saveFile } from '../../sdk/typescript/src/node.ts'
import type { Running } from '../harness/process.ts'
import { startProgram } from './following.ts'

/** What both SDKs do with files, each in its language. */
interface FileCalls {
  /** Loads and releases the store; returns `free`, or the code of the error. */
  use(store: string, filesIn?: string): Promise<string>
  /** Begins to save a file in a process of its own, which hangs before the file gets its name. */
  hang(path: string): Running
  save(path: string, text: string): Promise<unknown>
  remove(path: string): Promise<unknown>
}

const typescript: FileCalls = {
  async use(path, filesIn) {
    const store = fileCursorStore(path, { filesIn })
    return store.load().then(
      () => store.release().then(() => 'free'),
      error => error.code,
    )
  },
  hang: path => startProgram('file-writer.ts', { CALL: JSON.stringify(['hang', path]) }),
  save: (path, text) => saveFile({ bytes: Buffer.from(text) }, path),
  remove: removeFile,
}

async function inPython(...call: string[]): Promise<string> {
  const { stdout, stderr, code } = await startProgram('files.py', { CALL: JSON.stringify(call) }).finished
  if (code !== 0) throw new Error(stderr)
  return stdout.trim()
}

const python: FileCalls = {
  use: (...call) => inPython('use', ...call.filter(part => part !== undefined)),
  hang: path => startProgram('files.py', { CALL: JSON.stringify(['hang', path]) }),
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

    test('a follower that starts removes what killed programs were writing, and nothing else', async t => {
      const elsewhere = mkdtempSync(join(tmpdir(), 'dossier-files-'))
      t.after(() => rmSync(elsewhere, { recursive: true }))
      const names = () => readdirSync(folder).filter(name => /^(killed|film)/.test(name))
      for (const [store, filesIn] of [
        [join(elsewhere, 'cursor.json'), folder],
        [join(folder, 'beside.json'), undefined],
      ] as const) {
        const writer = calls.hang(join(folder, 'killed.pdf'))
        t.after(() => writer.child.kill('SIGKILL'))
        await writer.until(stdout => stdout.includes('writing') || undefined)
        const [copy = ''] = names()
        assert.match(copy, /^killed\.pdf\..*\.part$/)
        assert.equal(await calls.use(store, filesIn), 'free')
        assert.deepEqual(names(), [copy], 'its process is alive')
        writer.child.kill('SIGKILL')
        await writer.finished
        // Its process ID may be in use again. What has another form, or is of another machine, may still be written.
        const reused = copy.replace(`-${writer.child.pid}-`, `-${process.ppid}-`)
        const foreign = copy.replace(/[0-9a-f]{8}-/, '01234567-')
        for (const name of [reused, foreign, 'film.mp4.part']) writeFileSync(join(folder, name), '')
        assert.equal(names().length, 4)
        assert.equal(await calls.use(store, filesIn), 'free')
        assert.deepEqual(names(), ['film.mp4.part', foreign])
        for (const name of names()) rmSync(join(folder, name))
      }
      assert.equal(await calls.use(join(elsewhere, 'cursor.json'), join(folder, 'missing')), 'free')
    })

    test('no copy of a file stays beside it after an error, or after `removeFile`', async t => {
      const path = join(folder, 'resume.pdf')
      await calls.save(path, 'resume')
      assert.equal(readFileSync(path, 'utf8'), 'resume')
      const names = () => readdirSync(folder).filter(name => name.startsWith('resume'))
      assert.deepEqual(names(), ['resume.pdf'])
      const writer = calls.hang(path)
      t.after(() => writer.child.kill('SIGKILL'))
      await writer.until(stdout => stdout.includes('writing') || undefined)
      writer.child.kill('SIGKILL')
      await writer.finished
      assert.equal(names().length, 2)
      writeFileSync(join(folder, 'resume.pdf.part'), 'of another program')
      await calls.remove(path)
      await calls.remove(path)
      await calls.remove(join(folder, 'missing', 'resume.pdf'))
      assert.deepEqual(names(), ['resume.pdf.part'])
      // A folder in the place of the file makes the last step fail.
      const taken = mkdtempSync(join(folder, 'taken-'))
      writeFileSync(join(taken, 'file'), '')
      await assert.rejects(calls.save(taken, 'resume'))
      assert.deepEqual(
        readdirSync(folder).filter(name => name.startsWith('taken-')),
        [basename(taken)],
      )
    })
  })
}
