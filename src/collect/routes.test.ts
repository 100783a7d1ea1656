import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { parse } from 'content-disposition'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { plainDraft, uploaded } from '../../test/harness/applications.ts'
import { acceptedText } from '../../test/harness/arbitraries.ts'
import { movableClock } from '../../test/harness/clock.ts'
import { withServices } from '../../test/harness/database.ts'
import { createTestServer } from '../../test/harness/server.ts'
import type { Services } from '../../test/harness/services.ts'
import { safeFileName } from '../platform/core/file-name.ts'
import { Problem } from '../platform/core/problems.ts'

const clock = movableClock()

withServices('a download', { clock }, (services, settings) => {
  let app: FastifyInstance
  let advertiserId: number
  let authorization: string
  before(async () => {
    app = (await createTestServer(services(), settings())).app
    advertiserId = (await services().advertisers.add('Harbour Coffee Roasters')).id
    authorization = `SWS ${(await services().credentials.issue(advertiserId, 'test', null)).value}`
  })
  after(() => app.close())

  async function upload(fileName: string): Promise<number> {
    const file = await uploaded(services(), { type: 'resume', fileName, scan: 'unscanned' }, 'the resume')
    return (await services().submissions.add(advertiserId, plainDraft({ files: [file] }))).id
  }
  const download = (id: number, headers: Record<string, string> = {}) =>
    app.inject({ url: `/v1/advertiser/applications/resume/${id}`, headers: { authorization, ...headers } })

  async function nameOf(id: number): Promise<string | undefined> {
    const { statusCode, headers } = await download(id)
    assert.equal(statusCode, 200)
    const header = headers['content-disposition'] ?? ''
    assert.match(header, /^attachment; filename=[\x20-\x7e]+$/)
    return parse(header).parameters['filename']
  }

  const fileName = acceptedText(200, true)

  test('has the name of the upload, in a header that reads back as that name', async () => {
    await fc.assert(
      fc.asyncProperty(fileName, async sent => {
        const name = safeFileName(sent)
        assert.equal(await nameOf(await upload(name)), name)
      }),
      { numRuns: 40, examples: [['"\ufff9']] },
    )
  })

  test('has a safe name, whatever name was accepted at upload', async () => {
    await fc.assert(
      fc.asyncProperty(fileName, async sent => {
        assert.equal(await nameOf(await upload(sent)), safeFileName(sent))
      }),
      {
        numRuns: 40,
        examples: [['../../etc/passwd'], ['a\r\nSet-Cookie: a=b'], ['cv\u202efdp.exe'], ['C:\\cv.pdf']],
      },
    )
  })

  test('has another ETag at once when a verdict changes its bytes, and the same when it does not', async () => {
    for (const verdict of ['clean', 'infected'] as const) {
      const id = await upload('resume.pdf')
      const first = await download(id)
      const etag = String(first.headers.etag)
      assert.equal((await download(id, { 'if-none-match': etag })).statusCode, 304)
      clock.advance(5000)
      await services().applications.recordVerdict(advertiserId, id, 'resume', verdict)
      const second = await download(id)
      const isInfected = verdict === 'infected'
      assert.equal(second.headers.etag === etag, !isInfected)
      assert.equal(second.body, isInfected ? '' : 'the resume')
      assert.equal(second.headers['x-has-virus'], isInfected ? 'true' : undefined)
      assert.equal(second.headers['last-modified'], new Date(clock()).toUTCString())
      assert.equal((await download(id, { 'if-none-match': etag })).statusCode, isInfected ? 200 : 304)
    }
  })

  test('is recorded before its content goes out, and not if there is none', async () => {
    const happened: string[] = []
    async function* content() {
      happened.push('content')
      yield Buffer.from('the resume')
    }
    let open = async () => Readable.from(content())
    const applications: Services['applications'] = {
      ...services().applications,
      download: async (...asked) => ({
        file: (await services().applications.download(...asked)).file,
        open: () => open(),
        acquire: async () => undefined,
        delegateDownload: async () => undefined,
      }),
    }
    const reads = { ...services().reads, fetch: () => void happened.push('recorded') }
    const { app: watched } = await createTestServer({ ...services(), applications, reads }, settings())
    const url = `/v1/advertiser/applications/resume/${await upload('resume.pdf')}`
    const get = () => watched.inject({ url, headers: { authorization } })
    const { body, headers } = await get()
    assert.deepEqual([body, happened], ['the resume', ['recorded', 'content']])
    await watched.inject({ method: 'HEAD', url, headers: { authorization } })
    await watched.inject({ url, headers: { authorization, 'if-none-match': String(headers.etag) } })
    open = () => Promise.reject(new Problem('unavailable'))
    assert.equal((await get()).statusCode, 503)
    await watched.close()
    assert.equal(happened.length, 2)
  })

  test('that fails by our own fault is a 500 with a code and the request ID, and tells nothing of the fault', async () => {
    const applications = {
      ...services().applications,
      download: () => Promise.reject(new Error('column "secret" does not exist')),
    }
    const { app: broken } = await createTestServer({ ...services(), applications }, settings())
    const { statusCode, headers, body } = await broken.inject({
      url: '/v1/advertiser/applications/resume/1',
      headers: { authorization, 'x-request-id': 'request-1' },
    })
    await broken.close()
    assert.deepEqual([statusCode, headers['x-request-id']], [500, 'request-1'])
    const { title, type, detail, ...rest } = JSON.parse(body)
    assert.deepEqual(rest, { status: 500, code: 'internal', requestId: 'request-1' })
    assert.ok(!/secret|column|Error:/.test(`${title} ${type} ${detail}`))
  })
})
