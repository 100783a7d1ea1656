import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import tls from 'node:tls'
import { checkCertificates } from '../../src/operator/checks/certificate-checks.ts'
import { readinessWarnings } from '../../src/operator/checks/readiness-checks.ts'
import { readConfig } from '../../src/settings.ts'
import { engines, open, type TestDatabase } from '../harness/database.ts'
import { makeCertificate } from '../harness/nginx-tls.ts'
import { until } from '../harness/polling.ts'
import { appOf } from '../harness/services.ts'
import { addTenant, draftOf, putFile } from '../harness/tenant.ts'
import { databaseFor, folderFor } from './support.ts'

const hourMs = 3_600_000

async function openFor(t: TestContext, { settings }: TestDatabase, more = {}, aheadMs = 0) {
  const all = { ...settings, DISK_LEAST_MB: '1', ...more }
  const services = await open(all, () => Date.now() + aheadMs)
  t.after(() => services.close())
  await services.schema.migrate()
  return { services, warnings: () => readinessWarnings(appOf(services), readConfig(all)) }
}

for (const engine of engines) {
  test(`readiness warns of what needs the operator, and of nothing else [${engine}]`, async t => {
    const database = await databaseFor(t, engine, 'empty')
    const BACKUP_URL = await folderFor(t)
    const more = { BACKUP_URL, SMTP_URL: 'smtp://localhost:1', CLAMD_URL: 'tcp://localhost:1' }
    const opened = await openFor(t, database, more)
    const { writer } = opened.services.database
    // Nothing listens there.
    await until(async () => (await opened.warnings()).includes('scanner'))
    const scanner = { ...(opened.services.scanner ?? assert.fail()), prove: async () => {} }
    const services = { ...opened.services, scanner }
    const warnings = () => readinessWarnings(appOf(services), readConfig({ ...database.settings, ...more }))
    assert.deepEqual(await warnings(), ['backup'])
    const lastAt = (at: number) => {
      const value = JSON.stringify({ here: { set: 'a set', at } })
      return writer
        .insertInto('meta')
        .values({ key: 'backup_last', value })
        .onConflict(conflict => conflict.column('key').doUpdateSet({ value }))
        .execute()
    }
    await lastAt(Date.now() - 49 * hourMs)
    assert.deepEqual(await warnings(), ['backup'])
    await lastAt(Date.now() - 47 * hourMs)
    assert.deepEqual(await warnings(), [])

    const mail = { id: 'm', kind: 'notice', content: '{}', state: 'waiting' as const, give_up_at: 9e12 }
    await writer
      .insertInto('deliveries')
      .values({ ...mail, due_at: 9e12, created_at: Date.now() - 2 * hourMs })
      .execute()
    assert.deepEqual(await warnings(), ['mail'])
    await writer.deleteFrom('deliveries').execute()

    const { advertiserId } = await addTenant(services)
    const file = await putFile(services, 'resume', Buffer.from('A resume.'))
    await services.submissions.add(advertiserId, draftOf(1, [file]))
    assert.deepEqual(await warnings(), [])
    await writer
      .updateTable('application_files')
      .set({ uploaded_at: Date.now() - 2 * hourMs, scan: 'unscanned' })
      .execute()
    assert.deepEqual(await warnings(), ['scanner'])
    await writer.updateTable('application_files').set({ scan: 'clean' }).execute()

    await writer.insertInto('meta').values({ key: 'webhook-key', value: 'of another node' }).execute()
    assert.deepEqual(await warnings(), ['webhooks'])
  })
}

test('readiness warns of a clock that differs from that of PostgreSQL', async t => {
  const { warnings } = await openFor(t, await databaseFor(t, 'postgres'), {}, 60_000)
  assert.deepEqual(await warnings(), ['clock'])
})

test('the doctor sees the certificate of the proxy: trusted or not, its days, and whether it can be reached', async t => {
  const folder = await folderFor(t)
  const ca = await makeCertificate(folder, 'localhost')
  const server = tls
    .createServer({ key: await readFile(join(folder, 'privkey.pem')), cert: ca }, socket => socket.end())
    .listen(0, '127.0.0.1')
  t.after(() => server.close())
  await new Promise(resolve => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `https://localhost:${port}`
  const found = async (settings: Record<string, string>) => {
    const results: string[] = []
    for await (const { isFine, says } of checkCertificates(readConfig(settings)))
      results.push(`${isFine ? 'ok' : 'WRONG'} ${says}`)
    return results
  }
  const begun = Date.now()
  const inDays = (days: number) => t.mock.method(Date, 'now', () => begun + days * 86_400_000)

  assert.deepEqual(await found({ BASE_URL: 'http://localhost:1' }), [])
  const [untrusted, ...more] = await found({ BASE_URL: origin, AUTH_URL: origin })
  assert.deepEqual(more, [], 'one server is asked once')
  assert.match(
    String(untrusted),
    /^WRONG the certificate of localhost:\d+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\).*fullchain\.pem/,
  )

  const usual = tls.getCACertificates()
  t.after(() => tls.setDefaultCACertificates(usual))
  tls.setDefaultCACertificates([...usual, ca])
  assert.match(String(await found({ BASE_URL: origin })), /^WRONG .* is valid for 0 more days: renew it$/)
  const past = inDays(-30)
  assert.match(String(await found({ BASE_URL: origin })), /^ok .* is valid for 30 more days$/)
  past.mock.restore()
  const future = inDays(3)
  assert.match(String(await found({ BASE_URL: origin })), /^WRONG .* expired \d days ago: renew it$/)
  future.mock.restore()
  const other = await found({ BASE_URL: `https://127.0.0.1:${port}` })
  assert.match(String(other), /^WRONG .* is not trusted \(/)

  await new Promise(resolve => server.close(resolve))
  assert.match(String(await found({ BASE_URL: origin })), /^ok localhost:\d+ cannot be reached from this/)
})
