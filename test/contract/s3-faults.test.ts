import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { call, harbour } from '../harness/http.ts'
import { applicationOf, applicationPart, file, idOf, intakeToken, post } from '../harness/intake.ts'
import { bearer, doorOf } from '../harness/oauth.ts'
import { storedBlobs } from '../harness/s3.ts'
import { type S3FaultProxy, startS3FaultProxy } from '../harness/s3-fault-proxy.ts'
import { type Service, startServiceHere } from '../harness/service.ts'
import { logLines } from '../harness/serving.ts'
import { sha256 } from './reading.ts'
import { grantedToken, harbourId, prefilled, resumePath } from './version2.ts'

describe('a service whose S3 store fails', () => {
  let database: TestDatabase
  let proxy: S3FaultProxy
  let service: Service
  before(async () => {
    database = await createTestDatabase('s3', 'demo')
    proxy = await startS3FaultProxy(process.env['TEST_S3_ENDPOINT'] as string)
    const url = new URL(String(database.settings['BLOBS_URL']))
    url.searchParams.set('endpoint', proxy.endpoint)
    service = await startServiceHere(database, { env: { BLOBS_URL: url.href, BLOBS_ATTEMPTS: '2' } })
  })
  after(async () => {
    await service.stop()
    await proxy.close()
    await database.remove()
  })
  beforeEach(() => proxy.heal())

  /** A text of more than one part, and larger than the buffer in memory. */
  const large = randomBytes(3 * 1024 * 1024).toString('hex')
  const apply = async (resume: string, key: string) => {
    const parts = [applicationPart(applicationOf()), file('resume', 'resume.txt', resume)]
    return post(doorOf(service), await intakeToken(doorOf(service)), parts, key)
  }
  const resumeOf = (id: number) => `/v1/advertiser/applications/resume/${id}`

  for (const [operation, resume] of [
    ['PutObject', 'a small resume'],
    ['UploadPart', large],
  ] as const) {
    test(`an application whose file S3 rejects gets 503, leaves nothing, and succeeds later: ${operation}`, async () => {
      const stored = await storedBlobs(database.settings).names()
      for (const kind of ['slow-down', 'cut-request'] as const) {
        proxy.break(operation, kind)
        const refused = await apply(resume, `${operation}-1`)
        assert.equal(refused.status, 503, refused.text)
        assert.equal(refused.json().code, 'unavailable')
        assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
      }
      assert.deepEqual(await storedBlobs(database.settings).names(), stored)
      assert.deepEqual(await readdir(join(String(database.settings['DATA_DIR']), 'spool')), [])
      // In passing, it does not show.
      proxy.break(operation, 'cut-request', 1)
      const id = idOf(await apply(resume, `${operation}-1`))
      const answer = await call(service, resumeOf(id), { headers: harbour })
      assert.equal(sha256(answer.bytes), sha256(resume))
    })
  }

  test('a download never looks complete when it is not: in chunks (version 1), with its length (version 2)', async () => {
    const id = idOf(await apply(large, 'download'))
    const token = await grantedToken(doorOf(service))
    const shared = await prefilled(doorOf(service), token, { advertiserId: harbourId })
    const ways = [
      { url: resumeOf(id), headers: harbour, hasLength: false },
      { url: resumePath(shared), headers: bearer(token), hasLength: true },
    ]
    for (const { url, headers, hasLength } of ways) {
      for (const kind of ['short-answer', 'slow-down'] as const) {
        proxy.break('GetObject', kind)
        assert.equal((await call(service, url, { headers })).status, 503)
      }
      // The halves of the rest get smaller and smaller, and the last byte never comes.
      proxy.break('GetObject', 'cut-answer')
      const cut = await fetch(service.baseUrl + url, { headers })
      assert.deepEqual([cut.status, cut.headers.has('content-length')], [200, hasLength])
      await assert.rejects(cut.arrayBuffer())
      const requestId = cut.headers.get('x-request-id')
      const reason = logLines(service.log()).find(
        line => line.msg === 'a response was cut' && line['requestId'] === requestId,
      )
      assert.equal(reason?.['level'], 'error')
      proxy.break('GetObject', 'cut-answer', 1)
      const answer = await fetch(service.baseUrl + url, { headers })
      assert.equal(`"${sha256(Buffer.from(await answer.arrayBuffer()))}"`, answer.headers.get('etag'))
    }
  })

  test('a file changed in transit is rejected, or cut if some of it has been sent', async () => {
    const [small, long] = [idOf(await apply('in one piece', 'small')), idOf(await apply(large, 'download'))]
    proxy.break('GetObject', 'change-answer')
    assert.equal((await call(service, resumeOf(small), { headers: harbour })).status, 503)
    const answer = await fetch(service.baseUrl + resumeOf(long), { headers: harbour })
    assert.equal(answer.status, 200)
    await assert.rejects(answer.arrayBuffer())
  })

  test('readiness, log and metrics name the fault', async () => {
    proxy.break('HeadBucket', { status: 403, code: 'AccessDenied' })
    const answer = await call(service, '/health/ready')
    assert.equal(answer.status, 503)
    assert.match(answer.text, /Not ready: files/)
    assert.match(service.log(), /allow s3:ListBucket on the bucket/)
    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text()
    for (const labels of [
      'operation="HeadBucket",outcome="failed"',
      'operation="PutObject",outcome="retried"',
      'operation="GetObject",outcome="ok"',
    ]) {
      assert.ok(metrics.includes(`dossier_blob_call_duration_seconds_count{${labels}}`), labels)
    }
  })
})
