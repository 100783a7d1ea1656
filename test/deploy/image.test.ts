import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import packageFile from '../../package.json' with { type: 'json' }
import { isLongRun } from '../harness/effort.ts'
import { freePort } from '../harness/free-port.ts'
import { send } from '../harness/http.ts'
import { buildImage, type Image } from '../harness/image.ts'
import { findLogLine } from '../harness/process.ts'
import { readText, root } from '../harness/repository.ts'
import { listPath } from '../harness/tenant.ts'

/** Takes minutes and a gigabyte on the disk. */
if (isLongRun) {
  describe('the image of the shipped Dockerfile', { timeout: 1_200_000 }, () => {
    let image: Image
    before(async () => {
      image = await buildImage()
    })
    after(() => image?.remove())
    const find = (...args: string[]) =>
      execFileSync('find', [image.files, '-xdev', ...args], { encoding: 'utf8' }).trim()

    test('runs the service as a user without a name, with its data in a volume', () => {
      const { User, Env, Entrypoint, Cmd, Volumes, Labels, Healthcheck } = image.config
      assert.deepEqual(
        [User, Entrypoint, Cmd, Volumes],
        ['10001:10001', ['dossier'], ['serve'], { '/data': {} }],
      )
      assert.deepEqual(Env.filter(each => !each.startsWith('PATH=')).toSorted(), [
        'DATA_DIR=/data',
        'HOST=0.0.0.0',
      ])
      assert.deepEqual(Healthcheck.Test, ['CMD', 'dossier', 'health'])
      assert.equal(Labels['org.opencontainers.image.version'], packageFile.version)
    })

    test('contains no program that gains rights, no development package, and no file that its user can change', () => {
      assert.equal(find('-type', 'f', '-perm', '/6000'), '')
      const lock: Record<string, { dev?: boolean }> = JSON.parse(readText('package-lock.json')).packages
      const isOfNode = (path: string) => /^node_modules\/node-linux-/.test(path)
      for (const [path, { dev }] of Object.entries(lock)) {
        const isExpected = path === '' || (dev !== true && !isOfNode(path))
        assert.equal(existsSync(join(image.files, 'opt/dossier', path, 'package.json')), isExpected, path)
      }
      assert.equal(find('-uid', '10001'), join(image.files, 'data'))
      assert.equal(find('-path', `${image.files}/opt/*`, '-perm', '/022', '!', '-type', 'l'), '')
      assert.equal(find('-name', '.package-lock.json'), '')
      // Base image and service; recorded, because it grows unnoticed.
      console.log(`the image has ${Math.round(image.bytes / 1e6)} MB`)
    })

    test('has the same files if it is built from the unpacked archive', async t => {
      const folder = mkdtempSync('/var/tmp/dossier-archive-')
      t.after(() => rmSync(folder, { recursive: true }))
      execFileSync(process.execPath, [join(root, 'scripts/package.ts'), folder], { stdio: 'ignore' })
      const filesIn = (files: string) =>
        execFileSync('find', ['opt', '-type', 'f'], { cwd: files, encoding: 'utf8' }).split('\n').toSorted()
      assert.deepEqual(filesIn(await image.buildFrom(folder)), filesIn(image.files))
    })

    test('starts on a read-only root, is healthy, keeps its data over a restart, and stops in order', async () => {
      const port = await freePort()
      const settings = { PORT: String(port), ADMIN_PORT: '0' }
      const command = async (...args: string[]) => {
        const { code, stdout, stderr } = await image.start(args, settings).finished
        assert.deepEqual([code, stderr], [0, ''], args.join(' '))
        return stdout.trim()
      }
      let credential = ''
      for (const round of [1, 2]) {
        const running = image.start(image.config.Cmd, settings)
        try {
          await running.until(stdout => findLogLine(stdout, 'listening'))
          assert.equal(await command('health'), 'ok')
          if (round === 1) {
            const id = await command('advertiser', 'add', 'Acme')
            credential = await command('credential', 'issue', id)
          }
          const authorization = `SWS ${credential}`
          const list = await send(`http://127.0.0.1:${port}`, listPath, 'GET', { headers: { authorization } })
          assert.equal(list.status, 200)
          const status = readFileSync(`/proc/${running.child.pid}/status`, 'utf8')
          assert.match(status, /^Uid:\t10001\t10001\t10001\t10001$/m)
          assert.match(status, /^CapBnd:\t0+$/m)
        } finally {
          running.child.kill('SIGTERM')
        }
        const { code, stderr } = await running.finished
        assert.deepEqual([code, stderr], [0, ''])
      }
      const { code, stderr } = await image.start(['health'], settings).finished
      assert.equal(code, 1)
      assert.match(stderr, /No answer on port/)
      assert.match(await command('doctor'), /^ok +disk/m)
    })
  })
}
