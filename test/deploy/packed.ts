import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { defaultLimits } from '../../src/limits.ts'
import { demoFile } from '../harness/documents.ts'
import { harbour, send } from '../harness/http.ts'
import { findLogLine, watch } from '../harness/process.ts'
import { listPath } from '../harness/tenant.ts'

/** Starts the demo by this executable, asks it for everything that it reads from its own files, and stops it. */
export async function tryService(executable: string, dataDir: string): Promise<void> {
  const settings = { DATA_DIR: dataDir, PORT: '0', ADMIN_PORT: '0', LOG_FORMAT: 'json' }
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

/** Converts a document in the confined process of the service in this folder, which must be able to read its packages. */
export async function tryConversion(service: string): Promise<void> {
  const module = join(service, 'src/storage/documents/conversions.js')
  const { createConversions }: typeof import('../../src/storage/documents/conversions.ts') = await import(
    module
  )
  const refused: string[] = []
  const limits = { ...defaultLimits, previewMs: 120_000 }
  const bytes = demoFile('priya-raman-resume.docx')
  const { convert } = createConversions({ limits, onRefused: refusal => refused.push(refusal) })
  const text = await convert('docx', { size: bytes.length, open: async () => Readable.from([bytes]) }, 'rae')
  assert.deepEqual(refused, [])
  assert.ok(typeof text === 'object' && text.blocks.length > 0)
}
