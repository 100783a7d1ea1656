import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import { plainDraft, uploaded } from '../harness/applications.ts'
import { open } from '../harness/database.ts'
import { call, harbour, send } from '../harness/http.ts'
import { onBothEngines } from '../harness/service.ts'
import type { Services } from '../harness/services.ts'
import { addTenant, type Tenant } from '../harness/tenant.ts'
import { external, listPath, problem, type RequestHeaders } from './reading.ts'

const queries = ['', '?limit=2', '?limit=100&include=primaryjobseekinginfo', '?afterid=9999999999']
const decoders = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }

onBothEngines('lists for clients that poll', service => {
  let services: Services
  let tenant: Tenant
  before(async () => {
    if (external) return
    services = await open(service().settings ?? {})
    tenant = await addTenant(services)
    await apply(12)
  })
  after(() => services?.close())

  const get = (query: string, headers: RequestHeaders = {}, method = 'GET') =>
    call(service(), listPath + query, { method, headers: { ...tenant.headers, ...headers } })
  /** As it comes over the wire. */
  const sent = (query: string, headers: RequestHeaders) =>
    send(service().baseUrl, listPath + query, 'GET', { headers: { ...tenant.headers, ...headers } })
  const tagOf = async (query: string, headers: RequestHeaders = {}) =>
    String((await get(query, headers)).headers.get('etag'))

  async function apply(count: number): Promise<number> {
    let id = 0
    for (let added = 0; added < count; added++) {
      const resume = await uploaded(services, { type: 'resume', scan: 'unscanned' }, 'a resume')
      id = (await services.submissions.add(tenant.advertiserId, plainDraft({ files: [resume] }))).id
    }
    return id
  }

  const changes: Record<string, () => Promise<unknown>> = {
    'a new application': () => apply(1),
    'a verdict': async () =>
      services.applications.recordVerdict(tenant.advertiserId, await apply(1), 'resume', 'infected'),
    'an erasure': async () => services.erasure.erase(tenant.advertiserId, await apply(1)),
  }

  for (const query of queries) {
    test(`304 without a body while nothing changes: ${query}`, { skip: external }, async () => {
      const first = await get(query)
      const etag = String(first.headers.get('etag'))
      assert.match(etag, /^W\/"[^"]+"$/)
      for (const method of ['GET', 'HEAD']) {
        const again = await get(query, { 'if-none-match': `"other", ${etag}` }, method)
        assert.equal(again.status, 304)
        assert.equal(again.bytes.length, 0)
        for (const name of ['etag', 'cache-control', 'vary', 'ratelimit-policy']) {
          assert.equal(again.headers.get(name), first.headers.get(name), name)
        }
        assert.equal(again.headers.get('content-type'), null)
      }
      assert.equal(first.headers.get('vary'), 'Accept, Accept-Encoding')
    })
  }

  for (const [what, change] of Object.entries(changes)) {
    test(`200 with the current list after ${what}`, { skip: external }, async () => {
      for (const query of ['', '?limit=100', '?limit=100']) {
        const before = await get(query)
        const etag = String(before.headers.get('etag'))
        await change()
        const now = await get(query, { 'if-none-match': etag })
        assert.equal(now.status, 200)
        assert.notEqual(now.text, before.text)
        assert.notEqual(now.headers.get('etag'), etag)
      }
    })
  }

  test('a tag is not valid in another format or for another advertiser', { skip: external }, async () => {
    const etag = await tagOf('')
    assert.equal((await get('', { 'if-none-match': etag, accept: 'application/xml' })).status, 200)
    const theirs = { ...harbour, 'if-none-match': etag }
    assert.equal((await call(service(), listPath, { headers: theirs })).status, 200)
  })

  test('a tag from another query never hides unread applications', { skip: external }, async () => {
    const first = await get('?limit=2')
    const read = first.json().JobApplications.JobApplicationsList.at(-1).ID
    const headers = { 'if-none-match': String(first.headers.get('etag')) }
    for (const query of [`?afterid=${read}&limit=2`, `?afterid=${read}`, '?limit=3', '']) {
      // Twice, because the second response may come from the page cache.
      for (let time = 0; time < 2; time++) assert.equal((await get(query, headers)).status, 200, query)
    }
  })

  test('invalid parameters are reported, whatever tag was sent', { skip: external }, async () => {
    const headers = { 'if-none-match': await tagOf('') }
    const wrong = await get('?afterid=x', headers)
    problem(service(), wrong, 400, 'invalid-parameter')
    assert.equal(wrong.headers.get('etag'), null)
    problem(service(), await get('', { ...headers, accept: 'image/png' }), 406, 'not-acceptable')
  })

  test('the same page repeated is identical, and new when something changes', {
    skip: external,
  }, async () => {
    for (const format of ['application/json', 'application/xml']) {
      for (let round = 0; round < 3; round++) {
        const read = async () => (await get('?limit=3', { accept: format })).text
        const first = await read()
        for (let again = 0; again < 3; again++) assert.equal(await read(), first)
        const lastPage = async () => (await get('?limit=1000', { accept: format })).text
        await lastPage()
        await lastPage()
        const id = await apply(1)
        assert.match(await lastPage(), new RegExp(`resume/${id}\\b`))
      }
    }
  })

  for (const [coding, decode] of Object.entries(decoders)) {
    test(`${coding}: the same content, smaller, whole and in pages`, { skip: external }, async () => {
      for (const query of ['', '?limit=8', '?limit=8', '?limit=8']) {
        for (const accept of ['application/json', 'application/xml']) {
          const plain = await get(query, { accept })
          const small = await sent(query, { accept, 'accept-encoding': `${coding};q=0.5, identity;q=0.1` })
          assert.equal(plain.headers.get('content-encoding'), null)
          assert.equal(small.headers.get('content-encoding'), coding)
          assert.ok(small.bytes.length < plain.bytes.length / 2)
          assert.equal(decode(small.bytes).toString(), plain.text)
          for (const name of ['etag', 'link', 'content-type', 'vary']) {
            assert.equal(small.headers.get(name), plain.headers.get(name), name)
          }
          const head = await get(query, { accept, 'accept-encoding': coding }, 'HEAD')
          assert.equal(head.headers.get('content-encoding'), coding)
          assert.equal(head.bytes.length, 0)
        }
      }
    })
  }

  test('small responses, problems and files are not compressed', { skip: external }, async () => {
    const headers = { 'accept-encoding': 'zstd, br, gzip' }
    const id = await apply(1)
    const answers = [
      await get('?limit=1&afterid=9999999999', headers),
      await get('?limit=x', headers),
      await get(`/resume/${id}`, headers),
    ]
    for (const answer of answers) assert.equal(answer.headers.get('content-encoding'), null)
    assert.equal(answers[2]?.text, 'a resume')
  })

  test('a poller with a tag sees exactly what one without sees', { skip: external }, async () => {
    const step = fc.constantFrom('poll', 'poll', 'poll', ...Object.keys(changes))
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 8 }),
        fc.constantFrom(...queries),
        async (steps, query) => {
          let kept = await get(query)
          for (const each of steps) {
            await changes[each]?.()
            const answer = await get(query, { 'if-none-match': String(kept.headers.get('etag')) })
            if (answer.status !== 304) kept = answer
            assert.equal(kept.text, (await get(query)).text)
          }
        },
      ),
      { numRuns: 4 },
    )
  })
})
