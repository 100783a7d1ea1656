import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, type TestContext, test } from 'node:test'
import { Dossier, type DossierEvent } from '../../sdk/typescript/src/index.ts'
import { apply as applyBySite, roasterAd, signedIn } from '../contract/apply-form.ts'
import { isLongRun, times } from '../harness/effort.ts'
import { formTo } from '../harness/html-form.ts'
import { call, harbour } from '../harness/http.ts'
import { openNetwork } from '../harness/network.ts'
import { mary } from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { seeded } from '../harness/random.ts'
import { mustOperate } from '../oauth/registering.ts'
import {
  type Follow,
  type SdkLanguage,
  sdkLanguages,
  startFollower,
  startFollowerProcess,
  type Told,
} from './following.ts'

const feedPath = '/v1/advertiser/events'
const busy = { isOurs: true, status: 429, headers: { 'retry-after': '0' }, body: '{"code":"rate-limited"}' }

const batchesIn = (told: readonly Told[]) => told.flatMap(({ batch }) => batch ?? [])
const endOf = (told: readonly Told[]) => told.at(-1)

onOneEngineInTurn('following with the SDK', service => {
  let folder: string
  let board: Dossier
  let stores = 0
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'dossier-sdk-'))
    const client = { id: 'demo-board', secret: 'demo-board-secret' }
    board = new Dossier({ baseUrl: service().baseUrl, client })
  })
  after(() => rmSync(folder, { recursive: true }))

  const newStore = () => join(folder, `store-${++stores}`)

  const apply = async (firstName = 'Casey') =>
    (
      await board.intake.submit({
        advertiserId: 10000001,
        jobSeekerId: 'user-1',
        contact: { email: 'casey@example.com', firstName, lastName: 'Lim' },
      })
    ).id

  /** Applies and withdraws; returns the ID. */
  async function withdrawn(): Promise<number> {
    const browser = await signedIn(service(), mary)
    const id = await applyBySite(service(), browser, roasterAd, { fields: { resume: 'none' } })
    const page = await browser.get(`/account/applications/${id}`)
    const { action, fields } = formTo(`/account/applications/${id}/withdraw`, page.text)
    assert.equal((await browser.post(action, fields)).status, 303)
    return id
  }

  async function pageFrom(cursor: string): Promise<{ ids: string[]; cursor: string }> {
    const answer = await call(service(), `${feedPath}?cursor=${cursor}&limit=1000`, { headers: harbour })
    const { events, cursor: next } = answer.json()
    return { ids: events.map(({ id }: { id: string }) => id), cursor: next }
  }

  /** Every event after the cursor, read without the SDK. */
  async function idsAfter(cursor: string): Promise<string[]> {
    const ids: string[] = []
    for (let page = await pageFrom(cursor); page.ids.length > 0; page = await pageFrom(page.cursor)) {
      ids.push(...page.ids)
    }
    return ids
  }

  function start(t: TestContext, language: SdkLanguage, changes: Partial<Follow> = {}) {
    const usual = { how: 'batches', url: service().baseUrl, store: newStore(), wait: 45, limit: 100 } as const
    const follower = startFollower(language, { ...usual, ...changes })
    t.after(() => follower.stop())
    return follower
  }

  for (const language of sdkLanguages) {
    describe(language, { concurrency: true }, () => {
      /** Processes of Python take time that the short run does not have for all of these. */
      const testInTurn = language === 'typescript' || isLongRun ? test : () => {}

      test('begins now, wakes for each event, and ends at once when it is aborted', async t => {
        const network = await openNetwork(t, service().baseUrl)
        const follower = start(t, language, { url: network.url })
        const [first] = await follower.until(told => told.length > 0)
        assert.deepEqual(first?.batch, [])
        await apply()
        await follower.until(told => batchesIn(told).length >= 1)
        const lastState = () => network.asked(feedPath).at(-1)?.state
        await waitFor(() => lastState() === 'open')
        const told = await follower.stop()
        assert.deepEqual(endOf(told), { ended: true })
        const expected = await idsAfter(first?.cursor ?? '')
        assert.deepEqual(batchesIn(told), expected.slice(0, batchesIn(told).length))
        // It does not wait for its answer, unless that came at the same moment.
        await waitFor(() => lastState() !== 'open')
      })

      testInTurn(
        'goes on after refusals, broken connections and pages that are not the service’s',
        async t => {
          const network = await openNetwork(t, service().baseUrl)
          const cursor = (await pageFrom('now')).cursor
          await apply()
          network.changeNext(feedPath, { isLost: true })
          network.changeNext(feedPath, { isOurs: true, body: '<html>Sign in to the network</html>' })
          network.changeNext(feedPath, busy, 9)
          const follower = start(t, language, { url: network.url, cursor })
          await follower.until(told => batchesIn(told).length >= 1)
          const told = await follower.stop()
          const expected = await idsAfter(cursor)
          assert.deepEqual(batchesIn(told), expected.slice(0, batchesIn(told).length))
          const retries = told.flatMap(({ retry }) => retry ?? [])
          assert.deepEqual(retries, ['network', 'bad-response', ...Array(9).fill('rate-limited')])
        },
      )

      testInTurn('goes on when neither tokens nor the list are to be had for long', async t => {
        const network = await openNetwork(t, service().baseUrl)
        network.changeNext('/oauth2/token', { ...busy, status: 503 }, 9)
        network.changeNext('/v1/advertiser/applications', { ...busy, status: 503 }, 9)
        const follower = start(t, language, { url: network.url, how: 'applications', isAgent: true })
        await follower.until(told => told.some(({ application }) => application !== undefined))
        const told = await follower.stop()
        assert.deepEqual(endOf(told), { ended: true })
        const retries = told.flatMap(({ retry }) => retry ?? [])
        assert.deepEqual(retries.slice(0, 18), Array(18).fill('rate-limited'))
      })

      testInTurn('waits less when a proxy cuts waits, and loses nothing', async t => {
        const network = await openNetwork(t, service().baseUrl)
        network.cutAfterMs = 1200
        const { cursor } = await pageFrom('now')
        const asked = () => network.asked(feedPath).map(({ query }) => query.get('wait'))
        const follower = start(t, language, {
          url: network.url,
          cursor,
          wait: 2,
          credential: 'sws_demo_southern',
        })
        // A cursor of another advertiser is no cursor.
        assert.deepEqual(endOf(await follower.until(told => told.length > 0)), { error: 'bad-cursor' })
        const own = await call(service(), `${feedPath}?cursor=now`, {
          headers: { authorization: 'SWS sws_demo_southern' },
        })
        const quiet = start(t, language, {
          url: network.url,
          cursor: own.json().cursor,
          wait: 2,
          credential: 'sws_demo_southern',
        })
        await quiet.until(told => told.filter(({ retry }) => retry === 'network').length === 2)
        network.cutAfterMs = undefined
        await waitFor(() => asked().at(-1) === '1')
        assert.deepEqual(asked().slice(1, 4), ['2', '2', '1'])
        assert.deepEqual(endOf(await quiet.stop()), { ended: true })
      })

      testInTurn('rests when empty answers come too early', async t => {
        const network = await openNetwork(t, service().baseUrl)
        const { cursor } = await pageFrom('now')
        const empty = JSON.stringify({ events: [], cursor, more: false })
        network.changeNext(feedPath, { isOurs: true, body: empty }, 3)
        const follower = start(t, language, { url: network.url, cursor })
        await waitFor(() => network.asked(feedPath).length >= 4)
        const [, second = 0, third = 0, fourth = 0] = network.askedAt(feedPath)
        assert.ok(third - second >= 950, `${third - second} ms`)
        assert.ok(fourth - third >= 1950, `${fourth - third} ms`)
        assert.deepEqual(endOf(await follower.stop()), { ended: true })
      })

      testInTurn('a page that does not move the cursor is an error, not a loop', async t => {
        const network = await openNetwork(t, service().baseUrl)
        const { cursor } = await pageFrom('now')
        const page = { events: [{ id: 'evt_1', type: 'application.created', data: {} }], cursor, more: true }
        network.changeNext(feedPath, { isOurs: true, body: JSON.stringify(page) })
        const follower = start(t, language, { url: network.url, cursor })
        assert.deepEqual(await follower.finished, [{ error: 'bad-response' }])
      })

      testInTurn(
        'a cursor that is too old ends it, or is told as a gap and followed by all that is kept',
        async t => {
          const network = await openNetwork(t, service().baseUrl)
          await apply()
          const { cursor } = await pageFrom('now')
          const tooOld = { isOurs: true, status: 410, body: '{"code":"cursor-too-old"}' }
          network.changeNext(feedPath, tooOld, 2)
          const first = start(t, language, { url: network.url, cursor })
          assert.deepEqual(await first.finished, [{ error: 'cursor-too-old' }])
          const second = start(t, language, { url: network.url, cursor, onGap: true, limit: 1000 })
          await second.until(told => batchesIn(told).length > 0)
          const told = await second.stop()
          assert.deepEqual(told[0], { gap: 'cursor-too-old' })
          const kept = await idsAfter('start')
          assert.deepEqual(batchesIn(told), kept.slice(0, batchesIn(told).length))
        },
      )

      testInTurn(
        'two programs on one cursor: the second does not start, and one that was taken over stops',
        async t => {
          const store = newStore()
          const first = start(t, language, { how: 'store', store })
          await first.until(told => told.some(({ saved }) => saved !== undefined))
          const second = start(t, language, { how: 'store', store })
          assert.deepEqual(await second.finished, [{ error: 'cursor-in-use' }])
          writeFileSync(`${store}.json.lock`, JSON.stringify({ id: 'other', pid: 1, host: 'elsewhere' }))
          await apply()
          assert.deepEqual(endOf(await first.finished), { error: 'cursor-in-use' })
          const third = start(t, language, { how: 'store', store })
          await third.until(told => told.some(({ saved }) => saved !== undefined))
          assert.deepEqual(endOf(await third.stop()), { ended: true })
        },
      )

      test('keeps applications in step: all of them, then changes, and all again after a gap', async t => {
        const network = await openNetwork(t, service().baseUrl)
        const store = newStore()
        const early = (await pageFrom('now')).cursor
        await apply('Before')
        const earlier = await withdrawn()
        const { applications } = new Dossier({ baseUrl: service().baseUrl, credential: 'sws_demo_harbour' })
        const known = await idsIn(applications)
        const follower = start(t, language, { how: 'applications', url: network.url, store, onGap: true })
        const isIn = (id: number) => (told: Told[]) => told.some(({ application }) => application === id)
        const first = await follower.until(all => all.some(told => told.withdrawn === earlier))
        const { PrimaryJobSeekingInfo: job } = await applications.get(1, {
          includePrimaryJobSeekingInfo: true,
        })
        assert.ok(job?.JobTitle)
        assert.equal(first.find(({ application }) => application === 1)?.job, job.JobTitle)
        const created = await apply('After')
        await follower.until(isIn(created))
        await mustOperate(service(), 'application', 'erase', '10000001', String(created))
        const told = await follower.until(all => all.some(({ erased }) => erased === created))
        const ids = told.flatMap(({ application, erased }) => application ?? erased ?? [])
        assert.deepEqual(ids.slice(0, known.length), known)
        assert.equal(ids.filter(id => id === created).length, 2)
        const files = told.filter(({ file }) => file === 1)
        assert.deepEqual(
          files.map(({ type }) => type),
          ['resume', 'coverLetter', 'selectionCriteria'].slice(0, files.length),
        )
        assert.ok(files.length > 0)
        assert.equal(told.find(({ file }) => file === 8)?.isInfected, true)
        assert.deepEqual(endOf(await follower.stop()), { ended: true })

        const inGap = await withdrawn()
        network.changeNext(feedPath, { isOurs: true, status: 410, body: '{"code":"cursor-too-old"}' })
        const again = start(t, language, { how: 'applications', url: network.url, store, onGap: true })
        const retold = await again.until(all => all.some(told => told.withdrawn === inGap))
        assert.deepEqual(retold[0], { gap: 'cursor-too-old' })
        const all = retold.flatMap(({ application, erased }) => application ?? erased ?? [])
        assert.deepEqual(all.slice(0, known.length), known)
        const data = { advertiserId: 10000001, since: '2026-10-02T20:00:00.500Z' }
        const events = [{ id: 'evt_10000001_restored_1', type: 'stream.restored', data }]
        const restored = JSON.stringify({ events, cursor: early, more: false })
        const isFollowing = ({ state, query }: { state: string; query: URLSearchParams }) =>
          state === 'open' && query.get('wait') !== '0'
        await waitFor(() => network.asked(feedPath).some(isFollowing))
        await again.stop()
        network.changeNext(feedPath, { isOurs: true, body: restored })
        const last = start(t, language, { how: 'applications', url: network.url, store, onGap: true })
        await last.until(all => all.some(told => told.withdrawn === inGap))
        assert.deepEqual((await last.stop())[0], { gap: 'restored' })
        const listed = network.asked('/v1/advertiser/applications').map(({ query }) => query.get('afterdate'))
        assert.deepEqual(listed.filter(date => date !== null)[0], '2026-10-02T06:00:00')
      })
    })
  }

  test('shows an agent what happens to its advertiser, and nothing about other agents', async () => {
    const client = { id: 'demo-ats', secret: 'demo-ats-secret' }
    const agent = new Dossier({ baseUrl: service().baseUrl, client, advertiserId: 10000001 })
    const { cursor } = await pageFrom('now')
    const other = await mustOperate(service(), 'agent', 'add', 'Other agent')
    await mustOperate(service(), 'agent', 'authorise', other, '10000001')
    const applicationId = await apply()
    const types = new Set<string>()
    for await (const { events } of agent.events.follow({ cursor })) {
      for (const { type } of events) types.add(type)
      const isItsOwn = (event: DossierEvent) =>
        event.type === 'application.created' && event.data.applicationId === applicationId
      if (events.some(isItsOwn)) break
    }
    assert.ok(types.has('application.created') && !types.has('agent.authorised'), [...types].join())
    const listed = await call(service(), `${feedPath}?cursor=${cursor}&types=agent.authorised`, {
      headers: harbour,
    })
    assert.deepEqual(
      listed.json().events.map(({ data }: { data: { agentId: number } }) => data.agentId),
      [Number(other)],
    )
  })

  const killsOf = { typescript: times(1, 250), python: times(1, 60) }

  for (const language of sdkLanguages) {
    const kills = killsOf[language]

    test(`${language}: killed ${kills} times, each event takes effect exactly once with the user’s transaction`, async () => {
      const store = newStore()
      const expected = await killOften(language, 'transactions', store)
      const database = new DatabaseSync(store)
      const rows = database.prepare('select event from effects order by place').all()
      database.close()
      assert.deepEqual(
        rows.map(({ event }) => event),
        expected,
      )
    })

    test(`${language}: killed ${kills} times, each event is handled at least once with a store`, async () => {
      const store = newStore()
      const expected = await killOften(language, 'store', store)
      const handled = readFileSync(store, 'utf8').trim().split('\n')
      assert.deepEqual([...new Set(handled)], expected)
      // A life repeats at most the batch that the last one had not saved.
      assert.ok(handled.length <= expected.length + 2 * kills, `${handled.length} for ${expected.length}`)
    })
  }

  /** Kills a follower so often, each time at another moment, and lets it finish. Returns the events that there are. */
  async function killOften(language: SdkLanguage, how: Follow['how'], store: string): Promise<string[]> {
    const kills = killsOf[language]
    // A life handles a few batches of two events.
    for (let missing = kills * 5 - (await idsAfter('start')).length; missing > 0; missing--) await apply()
    const expected = await idsAfter('start')
    const settings = { how, url: service().baseUrl, store, wait: 45, limit: 2 }
    const random = seeded(language.length + how.length)
    for (let kill = 0; kill < kills; kill++) {
      const killAt = 1 + Math.floor(random() * 9)
      const { signal, stderr } = await startFollowerProcess(language, { ...settings, killAt }).finished
      assert.equal(signal, 'SIGKILL', stderr)
    }
    const { child, finished, until } = startFollowerProcess(language, settings)
    await until(stdout => (stdout.includes(`${expected.at(-1)}"`) ? true : undefined))
    child.kill('SIGTERM')
    assert.match((await finished).stdout, /"ended": ?true/)
    return expected
  }
})

async function idsIn(applications: Dossier['applications']): Promise<number[]> {
  const ids: number[] = []
  for await (const { ID } of applications.list()) ids.push(ID)
  return ids
}

async function waitFor(isReady: () => boolean): Promise<void> {
  while (!isReady()) await new Promise(resolve => setTimeout(resolve, 20))
}
