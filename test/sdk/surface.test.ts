import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, type TestContext, test } from 'node:test'
import { Dossier, timeOf } from '../../sdk/typescript/src/index.ts'
import { call, harbour } from '../harness/http.ts'
import { openNetwork } from '../harness/network.ts'
import { Browser, doorOf } from '../harness/oauth.ts'
import { onOneEngine, type Service } from '../harness/service.ts'
import { registerClient } from '../oauth/registering.ts'
import { type SdkLanguage, sdkLanguages, startProgram } from './following.ts'
import { type Surface, type SurfaceSettings, useSurface } from './surface.ts'

const redirectUri = 'http://127.0.0.1:9092/callback'

onOneEngine('the SDK', service => {
  let browser: Browser
  let client: { id: string; secret: string }
  before(async () => {
    browser = new Browser(doorOf(service()))
    client = await registerClient(service(), 'sdk-page', { redirectUri, options: ['--require-pkce'] })
  })

  async function visit(url: string): Promise<string> {
    const { pathname, search } = new URL(url)
    const answer = await browser.decide(pathname + search)
    return answer.headers.get('location') ?? ''
  }

  const inPython = async (settings: SurfaceSettings): Promise<Surface> => {
    const running = startProgram('surface.py', { SURFACE: JSON.stringify(settings) })
    const address = await running.until(stdout => /^(http\S+)\n/m.exec(stdout)?.[1])
    running.child.stdin?.end(`${await visit(address)}\n`)
    const { stdout, stderr, code } = await running.finished
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout.split('\n')[1] ?? '')
  }

  const use = (language: SdkLanguage, settings: SurfaceSettings) =>
    language === 'python' ? inPython(settings) : useSurface(settings, visit)

  for (const language of sdkLanguages) {
    test(`${language}: every call, over a network that breaks connections and refuses requests`, async t => {
      const network = await openNetwork(t, service().baseUrl)
      const expected = await expectedOf(service())
      const busy = { status: 429, headers: { 'retry-after': '0' }, body: '{"code":"rate-limited"}' }
      network.changeNext('/v1/advertiser/applications', busy)
      network.changeNext('/v1/advertiser/applications', { isCut: true })
      network.changeNext('/resume/1', { isCut: true })
      network.changeNext('/v1/intake/applications', { isLost: true })
      // The operator's file store has an ETag of its own.
      const store = await openNetwork(t, service().baseUrl)
      const letter = await call(service(), '/v1/advertiser/applications/coverletter/1', { headers: harbour })
      const headers = {
        etag: '"md5"',
        'content-disposition': letter.headers.get('content-disposition') ?? '',
      }
      store.changeNext('/letter', { isOurs: true, body: letter.bytes, headers })
      const way = { location: `${store.url}/letter`, etag: letter.headers.get('etag') ?? '' }
      network.changeNext('/coverletter/1', { isOurs: true, status: 302, headers: way })
      network.changeNext('/v1/intake/job-ads', { isLost: true })
      network.changeNext('/v1/advertiser/progress', { isLost: true })
      network.changeNext('/v2/applications/prefilled', { ...busy, status: 503 })
      network.changeNext('/v1/advertiser/applications/screen/1', {
        status: 401,
        body: '{"code":"invalid-credential"}',
      })
      const settings = { authUrl: service().baseUrl, redirectUri, key: `sdk-${language}`, client }
      const outcome = await use(language, { ...settings, url: network.url })
      const { ids, files, few, ...rest } = outcome
      assert.deepEqual(ids.slice(0, expected.ids.length), expected.ids)
      assert.deepEqual(
        few,
        expected.ids.filter(id => id > 2 && id < 6),
      )
      assert.deepEqual(files, expected.files)
      assert.deepEqual(rest, {
        one: expected.one,
        screen: '501',
        answers: [true],
        advertisers: [10000001],
        progress: [
          102,
          // The answer to the first hundred was lost, and they were sent again.
          'unchanged',
          'unchanged',
          'refused not-found',
          'applied',
          'applied',
        ],
        intake: { isSame: true, replayed: [true, true], fileName: 'résumé.txt' },
        ad: ['Roaster', 'Head roaster', 'closed', 'open', 'Head roaster'],
        shared: ['mary@example.com', true],
        errors: [
          '404 not-found',
          '404 not-found',
          '401 invalid-credential',
          '401 invalid_client',
          'undefined bad-settings',
          'undefined bad-settings',
          'undefined bad-settings',
          '403 progress-not-granted',
          'undefined bad-settings',
          '409 idempotency-key-reused',
          '422 invalid-fields',
          '400 bad-cursor',
          'undefined callback-rejected',
          'undefined callback-rejected',
        ],
      })
      // The broken download went on where it was.
      const [, second] = network.asked('/resume/1')
      assert.match(second?.headers.range ?? '', /^bytes=\d+-$/)
      assert.match(String(second?.headers['if-range']), /^"[0-9a-f]{64}"$/)
      assert.equal(store.asked('/letter')[0]?.headers.authorization, undefined)
      // One token for all calls of an agent, and a new one after the 401.
      assert.equal(network.asked('/screen/1').length, 2)
      assert.notEqual(
        network.asked('/screen/1')[0]?.headers.authorization,
        network.asked('/screen/1')[1]?.headers.authorization,
      )
    })
  }

  test('a download that is not what its ETag says is asked for again, and never handed out', async t => {
    const network = await openNetwork(t, service().baseUrl)
    network.changeNext('/resume/1', { body: 'something else' })
    const { hash, bytes, stream } = await dossierAt(network.url).applications.resume(1)
    assert.equal(createHash('sha256').update(bytes).digest('hex'), hash)
    assert.deepEqual(new Uint8Array(await new Response(stream()).arrayBuffer()), bytes)
    assert.equal(network.asked('/resume/1').length, 2)
  })

  test('an aborted call throws the reason of its signal, whether it waits, pauses or has not begun', async t => {
    const network = await openNetwork(t, service().baseUrl)
    const { applications } = dossierAt(network.url)
    const reason = new Error('enough')
    const isReason = (error: unknown) => error === reason
    await assert.rejects(applications.get(1, { signal: AbortSignal.abort(reason) }), isReason)
    assert.equal(network.asked('/applications/1').length, 0)
    await assertAborts(t, network.url, { 'retry-after': '60' }, reason)
  })

  async function assertAborts(t: TestContext, url: string, headers: Record<string, string>, reason: Error) {
    const network = await openNetwork(t, url)
    const controller = new AbortController()
    network.changeNext('/applications/1', { isOurs: true, status: 503, headers, body: '{}' })
    const baseUrl = network.url
    const onRetry = () => controller.abort(reason)
    const { applications } = new Dossier({ baseUrl, credential: 'sws_demo_harbour', onRetry })
    const { signal } = controller
    await assert.rejects(applications.get(1, { signal }), (error: unknown) => error === reason)
  }

  test('five tries, then the error of the last; a code is exchanged only once', async t => {
    const network = await openNetwork(t, service().baseUrl)
    const away = { isOurs: true, status: 500, headers: { 'retry-after': '0' }, body: '<html>' }
    network.changeNext('/applications/1', away, 9)
    const refused = dossierAt(network.url).applications.get(1)
    await assert.rejects(refused, { name: 'DossierError', code: 'status-500', status: 500 })
    assert.equal(network.asked('/applications/1').length, 5)
    const { sharing } = new Dossier({ baseUrl: network.url, authUrl: network.url, client })
    const { pending } = await sharing.begin({ redirectUri })
    network.changeNext('/oauth2/token', { isLost: true }, 9)
    const callback = new URL(redirectUri)
    callback.search = String(new URLSearchParams({ state: pending.state, iss: network.url, code: 'dac_x' }))
    await assert.rejects(sharing.finish(callback, pending), { code: 'network' })
    assert.equal(network.asked('/oauth2/token').length, 1)
    callback.searchParams.set('error', 'access_denied')
    await assert.rejects(sharing.finish(callback, pending), { code: 'access_denied' })
  })

  test('calls at the same time share one token', async t => {
    const network = await openNetwork(t, service().baseUrl)
    const ats = { id: 'demo-ats', secret: 'demo-ats-secret' }
    const { applications } = new Dossier({ baseUrl: network.url, client: ats, advertiserId: 10000001 })
    const all = await Promise.all([1, 3, 5].map(id => applications.get(id)))
    assert.deepEqual(
      all.map(({ ID }) => ID),
      [1, 3, 5],
    )
    assert.equal(network.asked('/oauth2/token').length, 1)
  })
})

const dossierAt = (baseUrl: string) => new Dossier({ baseUrl, credential: 'sws_demo_harbour' })

/** The same, read without the SDK. */
async function expectedOf(service: Service) {
  const answer = await call(service, '/v1/advertiser/applications', { headers: harbour })
  const list: { ID: number; FirstName: string; Email: string }[] =
    answer.json().JobApplications.JobApplicationsList
  const one = list.find(({ ID }) => ID === 3)
  const fileOf = async (path: string, name: string) => {
    const { bytes, headers } = await call(service, `/v1/advertiser/applications/${path}`, {
      headers: harbour,
    })
    const hash = createHash('sha256').update(bytes).digest('hex')
    return [name, hash, bytes.length, headers.get('x-has-virus') === 'true']
  }
  return {
    ids: list.map(({ ID }) => ID),
    one: [3, one?.FirstName, one?.Email],
    files: [
      await fileOf('resume/1', 'Mary Nguyen - Resume.pdf'),
      await fileOf('coverletter/1', 'Mary Nguyen - Cover letter.docx'),
      await fileOf('resume/8', 'Chloe Abernethy CV.rtf'),
    ],
  }
}

test('dates of version 1 are read', () => {
  assert.equal(timeOf('/Date(1794614400000+1000)/').getTime(), 1794614400000)
})
