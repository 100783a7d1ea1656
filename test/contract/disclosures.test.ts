import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { maryId, tomId } from '../../src/demo/world/world.ts'
import { allCategories, bitsOf } from '../../src/model/categories.ts'
import type { Disclosure } from '../../src/people/activity/sharing-history.ts'
import { formsOf } from '../harness/html-form.ts'
import {
  Browser,
  manyFailures,
  redeem,
  requestToken,
  revokeEndpoint,
  tokenOf,
  tom,
} from '../harness/oauth.ts'
import { registerClient } from '../oauth/registering.ts'
import { secondMs } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import {
  allow,
  askPrefill,
  complete,
  getResume,
  grantedToken,
  harbourId,
  onHoldId,
  ownToken,
  prefilled,
  resumePath,
  southernId,
  unknownUuid,
} from './version2.ts'

const sharing = '/account/sharing'
const withdrawPath = '/account/sharing/withdraw'

inDemoWorldInTurn('disclosures', { env: manyFailures }, (world, { door, signedIn }) => {
  const browser = signedIn()
  const all = (candidateId = maryId) => world().services.sharingHistory.disclosures(candidateId, 10_000)
  const added = async (act: () => Promise<unknown>, candidateId = maryId): Promise<Disclosure[]> => {
    const before = new Set((await all(candidateId)).map(({ id }) => id))
    await act()
    return (await all(candidateId)).filter(({ id }) => !before.has(id))
  }
  const sentFromHere = async () =>
    (await world().services.ownApplications.list(maryId, undefined, 10)).map(({ submittedAt }) => submittedAt)
  const withoutId = ({ id: _, ...rest }: Disclosure) => rest

  before(() => world().services.agents.authorise(southernId, 20000001))
  // Disclosures of a test are newer than those of earlier tests.
  beforeEach(() => world().clock.advance(secondMs))

  test('an account that has shared nothing says so', async () => {
    const rexs = await Browser.signedIn(door, 'rex@example.com')
    const page = await rexs.get(sharing)
    assert.match(page.text, /No one yet/)
    assert.match(page.text, /sent an application from here or shared anything from your profile/)
    assert.match(page.text, /A company is listed here when you send it an application/)
  })

  test('an application sent from here is listed with its contents and its readers', async () => {
    const { text } = await browser.get(sharing)
    assert.match(text, /Harbour Coffee Roasters.*<bdi>Northwind ATS<\/bdi> works for this company/s)
    assert.match(text, /<h4>Reads of your applications<\/h4>\s*<p class="quiet">No one has read them yet\./)
    const table = text.slice(text.indexOf('<h2>Sharing history</h2>'))
    assert.match(
      table,
      /<bdi>Harbour Coffee Roasters<\/bdi>.*received your application for <a href="\/account\/applications\/1">.*: contact details, .*resume/s,
    )
  })

  test('a company that read an application once is named, however often programs have read it since', async () => {
    const { writer } = world().services.database
    const on = { advertiser_id: harbourId, application_id: 1, last_at: 0 }
    const seen = { ...on, day: '2026-01-01', first_at: 0, reader: 'member:1', way: 'view' } as const
    const collected = Array.from({ length: 1_001 }, (_, each) => {
      const reader = `credential:${each}`
      return { ...on, day: '2026-01-02', first_at: 86_400_000 + each, reader, way: 'download' } as const
    })
    await writer
      .insertInto('application_reads')
      .values([seen, ...collected])
      .execute()
    const { text } = await browser.get(sharing)
    assert.match(text, /opened it on/)
    assert.equal(text.match(/downloaded your documents/g)?.length, 1)
    await writer.deleteFrom('application_reads').where('last_at', '=', 0).execute()
  })

  test('a consent alone, and a token alone, disclose nothing', async () => {
    assert.deepEqual(await added(() => grantedToken(door, { browser })), [])
  })

  test('each prefill is recorded once: client, advertiser, data and time', async () => {
    const token = await grantedToken(door, { browser })
    const rows = await added(() => prefilled(door, token))
    assert.deepEqual(rows.map(withoutId), [
      {
        kind: 'prefill',
        clientName: 'Northwind ATS',
        advertiserName: 'Harbour Coffee Roasters',
        categories: allCategories,
        disclosedAt: world().clock(),
      },
    ])
    world().clock.advance(secondMs)
    const retry = await added(() => prefilled(door, token))
    assert.equal(retry.length, 1, 'a retry discloses again')
    assert.equal(retry[0]?.disclosedAt, world().clock())
    const [southern] = await added(() => prefilled(door, token, { advertiserId: southernId }))
    assert.equal(southern?.advertiserName, 'Southern Cross Logistics')
  })

  test('only released data is recorded, not what would have been allowed', async () => {
    const token = await grantedToken(door, { browser, ticked: ['phone', 'salary'] })
    const [row] = await added(() => prefilled(door, token))
    assert.equal(row?.categories, bitsOf(['phone', 'salary']))
    const toms = await grantedToken(door, { email: tom })
    const [nothing] = await added(() => prefilled(door, toms), tomId)
    assert.equal(nothing?.categories, 0, 'an empty profile: name and address only')
  })

  test('each download is recorded, whole or in part', async () => {
    const token = await grantedToken(door, { browser, advertiserId: southernId })
    const path = resumePath(await prefilled(door, token, { advertiserId: southernId }))
    for (const headers of [
      {},
      { range: 'bytes=0-9' },
      { range: 'bytes=0-0,5-6' },
      { 'if-none-match': '"other"' },
    ]) {
      world().clock.advance(secondMs)
      const rows = await added(() => getResume(door, token, path, headers))
      assert.deepEqual(rows.map(withoutId), [
        {
          kind: 'resume',
          clientName: 'Northwind ATS',
          advertiserName: 'Southern Cross Logistics',
          categories: bitsOf(['resume']),
          disclosedAt: world().clock(),
        },
      ])
    }
  })

  test('a token without an advertiser names none when it downloads', async () => {
    const token = await grantedToken(door, { browser })
    const path = resumePath(await prefilled(door, token))
    const [row] = await added(() => getResume(door, token, path))
    assert.equal(row?.advertiserName, null)
  })

  test('responses without data are not recorded', async () => {
    const token = await grantedToken(door, { browser })
    const path = resumePath(await prefilled(door, token))
    const rows = await added(async () => {
      const calls: [status: number, headers: Record<string, string>, method?: string][] = [
        [200, {}, 'HEAD'],
        [304, { 'if-none-match': '*' }],
        [304, { 'if-none-match': '*' }, 'HEAD'],
        [416, { range: 'bytes=99999999-' }],
      ]
      for (const [status, headers, method] of calls) {
        assert.equal((await getResume(door, token, path, headers, method)).status, status)
      }
      assert.equal((await getResume(door, token, `/v2/resumes/${unknownUuid}`)).status, 404)
      assert.equal((await getResume(door, 'dat_wrong', path)).status, 401)
      assert.equal((await askPrefill(door, token, { advertiserId: onHoldId })).status, 422)
      assert.equal((await askPrefill(door, token, { advertiserId: 99999999 })).status, 422)
      assert.equal((await askPrefill(door, token, { applicationFormUrl: 'x' })).status, 422)
      const bound = await grantedToken(door, { browser, advertiserId: harbourId })
      assert.equal((await askPrefill(door, bound, { advertiserId: southernId })).status, 403)
      await requestToken(door, { token: bound }, { path: revokeEndpoint })
      assert.equal((await askPrefill(door, bound)).status, 401)
      const { id } = await prefilled(door, token, { applicationFormUrl: 'https://x.example/only' })
      await complete(door, await ownToken(door), id, { completionDate: '2026-11-14T00:00:00Z' })
    })
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ['prefill'],
      'the one prefill that was answered, and nothing else',
    )
  })

  test('the candidate sees their own, newest first', async () => {
    const other = await registerClient(world(), 'second-ats', { name: 'Second <ATS> & Co' })
    const token = await grantedToken(door, { browser, client: other, ticked: ['location', 'resume'] })
    const path = resumePath(await prefilled(door, token, { positionTitle: '<b>Chef</b>' }))
    world().clock.advance(secondMs)
    await getResume(door, token, path)
    const rows = async () => {
      const { text } = await browser.get(sharing)
      return text.slice(text.indexOf('<h2>Sharing history</h2>')).split('<tr>').slice(2)
    }
    // A client without an agent can send the name of any company.
    assert.doesNotMatch((await rows())[1] ?? '', /Harbour/)
    assert.doesNotMatch(
      (await browser.get('/account/applications')).text,
      /Harbour[^,]*, on the website of <bdi>Second/,
    )
    await world().services.clients.allow(other.id, harbourId)
    const items = await rows()
    assert.match(items[0] ?? '', /Second &lt;ATS&gt; &amp; Co.*downloaded your resume/s)
    assert.match(items[0] ?? '', new RegExp(`datetime="${new Date(world().clock()).toISOString()}"`))
    assert.match(items[1] ?? '', /<td data-label="On behalf of"><bdi>Harbour Coffee Roasters<\/bdi>/)
    assert.match(items[1] ?? '', /received name, email address, location, resume</)
    const started = (await browser.get('/account/applications')).text
    assert.match(started, /<strong><bdi>&lt;b&gt;Chef&lt;\/b&gt;<\/bdi><\/strong>.*>Started</s)
    assert.match(started, /at <bdi>Harbour Coffee Roasters<\/bdi>, on the website of <bdi>Second/)
    const toms = await Browser.signedIn(door, tom)
    assert.doesNotMatch((await toms.get(sharing)).text, /Second|downloaded your resume/)
  })

  test('all of them are reachable, page by page', async () => {
    const token = await grantedToken(door, { browser })
    // Some within the same millisecond, as in a burst.
    for (let count = 0; count < 60; count++) {
      if (count % 7 === 0) world().clock.advance(1)
      await prefilled(door, token)
    }
    const times: string[] = []
    let path = sharing
    for (;;) {
      const { text } = await browser.get(path)
      const part = text.slice(text.indexOf('<h2>Sharing history</h2>'))
      times.push(
        ...[...part.matchAll(/<td data-label="When"><time datetime="([^"]+)"/g)].map(
          ([, time]) => time as string,
        ),
      )
      const older = /<a [^>]*href="(\/account\/sharing\?before=[^"]+)"[^>]*>Older<\/a>/.exec(part)?.[1]
      if (older === undefined) break
      path = older
    }
    assert.deepEqual(
      times,
      [...(await all()).map(({ disclosedAt }) => disclosedAt), ...(await sentFromHere())].map(at =>
        new Date(at).toISOString(),
      ),
    )
    for (const wrong of ['x', '1', '1.x', `.${unknownUuid}`, '99999999999999999999.x']) {
      assert.equal((await browser.get(`${sharing}?before=${wrong}`)).status, 200, wrong)
    }
    const end = await browser.get(`${sharing}?before=0.${unknownUuid}`)
    assert.match(end.text, /no older entries/)
  })

  test('applications begun elsewhere are all reachable, with their status', async () => {
    const token = await grantedToken(door, { browser })
    for (let count = 0; count < 25; count++) {
      if (count % 4 === 0) world().clock.advance(1)
      await prefilled(door, token, { applicationFormUrl: `https://x.example/${count}` })
    }
    const states: string[] = []
    for (let path: string | undefined = '/account/applications'; path !== undefined; ) {
      const { text } = await browser.get(path)
      states.push(...[...text.matchAll(/>(Started|Submitted)<\/span>/g)].map(([, state = '']) => state))
      path = /href="([^"]+)" rel="next"/.exec(text)?.[1]
    }
    const stored = await world().services.sharingHistory.applications(maryId, 1000)
    assert.ok(stored.length > 25 && stored.some(({ completedAt }) => completedAt !== null))
    assert.deepEqual(
      states,
      stored.map(({ completedAt }) => (completedAt === null ? 'Started' : 'Submitted')),
    )
  })

  test('what a website without permission received names no company, also after its consent has ended', async () => {
    const client = await registerClient(world(), 'stranger', { name: 'Stranger' })
    await prefilled(door, await grantedToken(door, { browser, client, advertiserId: harbourId }))
    const named = async () =>
      (await world().services.sharingHistory.received(maryId))
        .filter(({ clientName }) => clientName === 'Stranger')
        .map(({ advertiserId, advertiserName }) => [advertiserId, advertiserName])
    assert.deepEqual(await named(), [[null, null]])
    await world().services.clients.allow(client.id, harbourId)
    assert.deepEqual(await named(), [[harbourId, 'Harbour Coffee Roasters']])
    await world().services.clients.forbid(client.id, harbourId)
    const [cards = ''] = (await browser.get(sharing)).text.split('<h2>Sharing history</h2>')
    const card = cards.split('<section').find(part => part.includes('<bdi>Stranger</bdi>'))
    assert.match(card ?? '', /<h3[^>]*>.*<bdi>Stranger<\/bdi>.*access ended on/s)
    assert.doesNotMatch(card ?? '', /Harbour/)
  })

  test('consents are listed with what they release; withdrawing one revokes its code and token at once', async () => {
    const harbour = { browser, advertiserId: harbourId, ticked: ['phone', 'workHistory'] }
    const token = await grantedToken(door, harbour)
    const bystander = await grantedToken(door, { browser, advertiserId: southernId })
    const path = resumePath(await prefilled(door, bystander, { advertiserId: southernId }))
    const code = await allow(browser, harbour)
    await prefilled(door, token)

    const { text } = await browser.get(sharing)
    const item = text
      .split('<li class="row">')
      .find(part => part.includes('<strong><bdi>Harbour Coffee Roasters</bdi></strong>'))
    assert.match(item ?? '', /<strong><bdi>Northwind ATS<\/bdi><\/strong> on behalf of/)
    assert.match(item ?? '', /name, email address, phone number, work history</)
    // It asks once, without a script: the button is behind the question.
    assert.match(
      item ?? '',
      /<details[^>]*><summary[^>]*>Withdraw<\/summary>[\s\S]*<form[\s\S]*Yes, withdraw/,
    )
    const form = formsOf(`${item}</form>`).find(({ action }) => action === withdrawPath)
    assert.ok(form !== undefined)
    const answer = await browser.submit(form)
    assert.equal(answer.status, 303)
    assert.equal(answer.headers.get('location'), `${sharing}?withdrawn=1`)
    const after = await browser.get(`${sharing}?withdrawn=1`)
    assert.match(after.text, /role="status"><p>Withdrawn\./)
    const consent = form.fields.find(([name]) => name === 'consent')?.[1] ?? ''
    assert.doesNotMatch(after.text, new RegExp(consent))
    // The card still says what the company has.
    const [cards = ''] = after.text.split('<h2>Sharing history</h2>')
    const card = cards.split('<section').find(part => part.includes('<bdi>Harbour Coffee Roasters</bdi>'))
    assert.match(
      card ?? '',
      /Received from my profile before<\/h4>.*received, last on <time[^>]*>[^<]*<\/time>: name, email address, phone number, .*work history.*access ended on <time/s,
    )

    const rows = await added(async () => {
      assert.equal((await askPrefill(door, token)).status, 401)
      const refused = await redeem(door, code)
      assert.equal(refused.status, 400)
      assert.equal(refused.json().error, 'invalid_grant')
    })
    assert.deepEqual(rows, [])
    assert.equal((await getResume(door, bystander, path)).status, 200, 'the other consent stands')

    const again = await browser.submit(form)
    assert.equal(again.status, 404)
    const anew = tokenOf(await redeem(door, await allow(browser, harbour)))
    assert.equal((await askPrefill(door, anew)).status, 200)
    assert.equal((await askPrefill(door, token)).status, 401, 'a new consent does not wake the old token')
  })

  test('withdrawing a consent needs its own candidate and the form', async () => {
    const token = await grantedToken(door, { browser, advertiserId: southernId })
    const page = await browser.get(sharing)
    const [form] = formsOf(page.text).filter(({ action }) => action === withdrawPath)
    const consent = form?.fields.find(([name]) => name === 'consent')?.[1] ?? ''
    const toms = new Browser(door)
    await grantedToken(door, { browser: toms, email: tom })
    const [own] = formsOf((await toms.get(sharing)).text).filter(({ action }) => action === withdrawPath)
    assert.ok(own !== undefined && consent !== '')
    for (const each of [consent, unknownUuid, '', "' or 1=1"]) {
      assert.equal((await toms.submit(own, { fields: { consent: each } })).status, 404, each)
    }
    assert.equal((await browser.post(withdrawPath, [['consent', consent]])).status, 403)
    assert.equal(
      (
        await browser.post(withdrawPath, [
          ['consent', consent],
          ['form_token', 'x'],
        ])
      ).status,
      403,
    )
    assert.equal((await askPrefill(door, token, { advertiserId: southernId })).status, 200)
    const stranger = await new Browser(door).get(sharing)
    assert.doesNotMatch(stranger.text, /Can see my profile/)
  })
})
