import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { demoFile } from '../harness/documents.ts'
import { harbour, send } from '../harness/http.ts'
import { findLogLine, watch } from '../harness/process.ts'
import { listPath } from '../harness/tenant.ts'

/** Starts the demo by this executable, asks it for everything that it reads from its own files, and stops it. */
export async function tryService(
  executable: string,
  dataDir: string,
  more: Record<string, string> = {},
): Promise<void> {
  const settings = { ...more, DATA_DIR: dataDir, PORT: '0', ADMIN_PORT: '0', LOG_FORMAT: 'json' }
  const running = watch(
    spawn(executable, ['serve', '--demo'], {
      env: { PATH: process.env['PATH'] ?? '', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  try {
    const { port } = await running.until(stdout => findLogLine(stdout, 'listening'))
    const get = (path: string, headers = {}) => send(`http://127.0.0.1:${port}`, path, 'GET', { headers })
    assert.equal((await get('/health/ready')).json().status, 'ok')
    const list = await get(listPath, { ...harbour, accept: 'application/json' })
    assert.ok(list.json().JobApplications.JobApplicationsList.length > 0)
    const assets = [
      ...(await get('/', { accept: 'text/html' })).text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g),
    ]
    assert.ok(assets.length > 2)
    const docs = ['', '/samples', '/reference', '/changelog'].map(page => `/docs${page}`)
    for (const path of [...docs, '/openapi.json', ...assets.map(([, path = '']) => path)])
      assert.equal((await get(path)).status, 200, path)
  } finally {
    running.child.kill('SIGTERM')
  }
  const { code, stderr } = await running.finished
  assert.deepEqual([code, stderr], [0, ''])
}

/** The machine is gone, and a set is all that is left: backs up the demo, restores it without its keys, and starts it. */
export async function tryDrill(
  executable: string,
  from: Record<string, string>,
  to: Record<string, string>,
  place: string,
): Promise<void> {
  const run = async (settings: Record<string, string>, ...args: string[]) => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
    }
    const { stdout } = await promisify(execFile)(executable, args, { env: { ...env, ...settings } })
    return stdout
  }
  await run(from, 'backup', '--to', place)
  const restored = await run(to, 'restore', '--from', place)
  assert.match(restored, /The key of 3 webhook endpoints is not here: put webhook.key into DATA_DIR/)
  await tryService(executable, String(to['DATA_DIR']), to)
}

/** Converts a document in the confined process of the service in this folder, which must be able to read its packages. */
export async function tryConversion(service: string): Promise<void> {
  const module = join(service, 'src/platform/documents/conversions.js')
  const { createConversions }: typeof import('../../src/platform/documents/conversions.ts') = await import(
    module
  )
  const refused: string[] = []
  const limits = { previewMs: 120_000 }
  const bytes = demoFile('priya-raman-resume.docx')
  const { convert } = createConversions({ limits, onRefused: refusal => refused.push(refusal) })
  const text = await convert('docx', { size: bytes.length, open: async () => Readable.from([bytes]) }, 'rae')
  assert.deepEqual(refused, [])
  assert.ok(typeof text === 'object' && text.blocks.length > 0)
}
