import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { withdrawApplication } from '../../src/apply/withdraw-application-store.ts'
import type { Telling } from '../../src/companies/advertiser-store.ts'
import { maryId } from '../../src/demo/world/world.ts'
import { removeAccountAgain } from '../../src/people/account/remove-account-store.ts'
import { giveToCandidate, plainDraft } from '../harness/applications.ts'
import { formTo, wordsOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { Browser, mary } from '../harness/oauth.ts'
import { usePostBox } from '../harness/post-box.ts'
import { readZip } from '../harness/zip.ts'
import { dayMs } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { storesOver } from '../store/stores.ts'
import { harbourId } from './apply-form.ts'

const list = `/console/${harbourId}/applications`
const settings = `/console/${harbourId}/telling`
const minuteMs = 60_000

// The mail server is never asked: the emails go to the test.
const env = { SMTP_URL: 'smtp://127.0.0.1:9' }

inDemoWorldInTurn('what candidates are told', { env }, (world, { signedIn }) => {
  let box: ReturnType<typeof usePostBox>
  before(() => {
    world().services.stopWaking()
    box = usePostBox(world().services)
  })
  const rae = signedIn('rae@example.com')
  const rex = signedIn('rex@example.com')
  const visitor = signedIn(mary)
  // The decisions of an earlier test count no longer.
  beforeEach(async () => {
    world().clock.advance(11 * minuteMs)
    await box.sent()
  })

  /** Applications, of which Mary sent as many as are hers. */
  async function arrive(count: number, hers = count): Promise<number[]> {
    const { services } = world()
    const ids: number[] = []
    while (ids.length < count)
      ids.push((await services.submissions.add(harbourId, plainDraft({ jobSeekerId: maryId }))).id)
    for (const id of ids.slice(0, hers)) {
      const sent = { advertiser_id: harbourId, application_id: id, job_title: `Job ${id}` }
      await giveToCandidate(services, maryId, sent)
    }
    return ids
  }

  async function report(ids: readonly number[], state: string, more: object = {}): Promise<void> {
    const at = new Date(world().clock()).toISOString()
    const entries = ids.map(applicationId => ({ applicationId, state, at, ...more }))
    const answer = await world().door.send('POST', '/v1/advertiser/progress', {
      headers: { 'content-type': 'application/json', authorization: 'SWS sws_demo_harbour' },
      body: JSON.stringify({ entries }),
    })
    assert.ok(!answer.text.includes('refused'), answer.text)
  }

  const statusesOf = async (ids: readonly number[]) => {
    const rows = await world()
      .services.database.reader.selectFrom('applications')
      .select('status')
      .where('id', 'in', [...ids])
      .orderBy('id')
      .execute()
    return rows.map(({ status }) => status)
  }
  const subjects = async () => (await box.sent()).map(({ subject }) => subject)
  const tell = (telling: Partial<Telling>) => world().services.advertisers.setTelling(harbourId, telling)

  /** What Mary downloads. */
  async function ownData(): Promise<string> {
    // With a fresh proof.
    const fresh = await Browser.signedIn(world().door, mary)
    const data = await fresh.submit(await fresh.form('/account/data/download', '/account/data'))
    return (await readZip(Buffer.from(data.bytes))).get('data.json')?.toString() ?? ''
  }

  const takeBack = (browser: Browser, page: Answer) => browser.submit(formTo(`${list}/take-back`, page.text))

  test('the emails of 51 decisions wait, and one press takes all of them back', async () => {
    const ids = await arrive(51, 30)
    await report(ids.slice(0, 1), 'viewed')
    await report(ids, 'notSuccessful')
    assert.deepEqual(await subjects(), [])
    const page = await rex.get(list)
    assert.match(
      wordsOf(page.text),
      /51 applications changed to Not suitable\. These are many at once, so the emails about them wait for ten minutes/,
    )
    assert.match(await visitor.words(`/account/applications/${ids[0]}`), /Not successful/)
    const done = await takeBack(rex, page)
    assert.equal(done.status, 303)
    assert.match(await rex.words(done.headers.get('location') ?? ''), /The decisions were taken back/)
    assert.deepEqual(await statusesOf(ids), ['seen', ...ids.slice(1).map(() => 'new')])
    assert.doesNotMatch(await rex.words(list), /These are many at once/)
    const { entries } = await world().services.progress.history(harbourId, ids[1] ?? 0)
    assert.deepEqual(
      entries.map(({ former, status, source }) => [former, status, source]),
      [
        ['not-suitable', 'new', null],
        ['new', 'not-suitable', 'api'],
      ],
    )
    const { reader } = world().services.database
    const acts = await reader
      .selectFrom('audit_entries')
      .select(['actor_kind', 'before', 'after'])
      .where('action', '=', 'applications.take-back')
      .execute()
    assert.deepEqual(acts, [
      { actor_kind: 'person', before: '{"status":"not-suitable"}', after: '{"count":51}' },
    ])
    assert.deepEqual(await world().services.counts.faults(harbourId), [])
    world().clock.advance(11 * minuteMs)
    assert.deepEqual(await subjects(), [])
    // The page that was open, with the same form.
    const again = await takeBack(rex, page)
    assert.equal(again.status, 409)
    assert.match(wordsOf(again.text), /Nothing was changed\. The emails have been sent, or/)
  })

  test('a status that applications already have is no change, and promises no email', async () => {
    const ids = await arrive(3)
    /** Selects these as the list shows them, shortlists them and ticks the box about emails. */
    async function shortlist(chosen: readonly number[]): Promise<Answer> {
      const page = await rex.get(list)
      const own = formTo(`${list}/selection`, page.text).fields.filter(([name]) => name.startsWith('form_'))
      const boxes = chosen.map(id => new RegExp(`name="chosen" value="(${id}:[^"]*)"`).exec(page.text)?.[1])
      const typed = [...boxes.map(box => ['chosen', box ?? ''] as const), ['status', 'shortlisted'] as const]
      return rex.post(`${list}/selection`, [...own, ...typed, ['tell', 'yes']])
    }
    const wordsAfter = async (chosen: readonly number[]) => {
      const { headers } = await shortlist(chosen)
      return rex.words(headers.get('location') ?? '')
    }
    const first = await wordsAfter(ids.slice(0, 2))
    assert.match(first, /2 applications changed to Shortlisted\. We’re emailing the candidates\./)
    assert.equal((await subjects()).length, 2)

    const same = await wordsAfter(ids.slice(0, 2))
    assert.match(
      same,
      /2 applications already had the status Shortlisted, so they were not changed and their candidates get no email\./,
    )
    assert.doesNotMatch(same, /changed to Shortlisted|We’re emailing/)
    assert.deepEqual(await subjects(), [])

    assert.match(
      await wordsAfter(ids.slice(1)),
      /1 application changed to Shortlisted\. We’re emailing the candidate\. 1 application already had the status Shortlisted, so it was not changed and its candidate gets no email\./,
    )
    assert.equal((await subjects()).length, 1)
  })

  test('decisions made with the list of applications are held and shown like those of programs', async () => {
    const ids = await arrive(55)
    const page = await rae.get(list)
    const { fields } = formTo(`${list}/selection`, page.text)
    const kept = fields.filter(([name]) => name.startsWith('form_'))
    const answer = await rae.post(`${list}/selection`, [
      ...kept,
      ...ids.map((id): [string, string] => ['chosen', `${id}:new`]),
      ['status', 'not-suitable'],
      ['tell', 'yes'],
    ])
    assert.equal(answer.status, 303)
    assert.deepEqual(new Set(await statusesOf(ids)), new Set(['not-suitable']))
    const shown = await rex.get(list)
    assert.match(wordsOf(shown.text), /\d+ applications changed to Not suitable\. These are many at once/)
    assert.deepEqual(await subjects(), [])
    assert.equal((await takeBack(rex, shown)).status, 303)
    assert.deepEqual(new Set(await statusesOf(ids)), new Set(['new']))
    world().clock.advance(11 * minuteMs)
    assert.deepEqual(await subjects(), [])
  })

  test('decisions about candidates without an account are taken back as well', async () => {
    const ids = await arrive(51, 0)
    await report(ids, 'notSuccessful')
    const done = await takeBack(rae, await rae.get(list))
    assert.equal(done.status, 303)
    assert.deepEqual(
      await statusesOf(ids),
      ids.map(() => 'new'),
    )
  })

  test('what has changed since stays as it is', async () => {
    const ids = await arrive(51)
    await report(ids, 'notSuccessful')
    const [hired = 0, withdrawn = 0, erased = 0] = ids
    const { services, clock } = world()
    const at = new Date(clock() + 1).toISOString()
    await report([hired], 'hired', { tell: false, at })
    const times = { now: clock(), eraseAt: clock() + dayMs }
    await withdrawApplication(services.database, maryId, withdrawn, times)
    await services.erasure.erase(harbourId, erased)
    assert.equal((await takeBack(rae, await rae.get(list))).status, 303)
    const left = ['hired', 'withdrawn', 'not-suitable']
    assert.deepEqual(await statusesOf(ids), [...left, ...ids.slice(3).map(() => 'new')])
    clock.advance(11 * minuteMs)
    assert.deepEqual(
      (await subjects()).filter(subject => !subject.startsWith('Application withdrawn')),
      [],
    )
  })

  test('the first 50 of a kind are emailed at once, and the others after ten minutes', async () => {
    const ids = await arrive(52)
    const [last = 0, other = 0] = ids.slice(50)
    await report(ids.slice(0, 25), 'interview')
    world().clock.advance(9 * minuteMs)
    await report(ids.slice(25, 50), 'interview')
    assert.equal((await subjects()).length, 50)
    await report([last], 'interview')
    // Another kind.
    await report([other], 'offer')
    assert.deepEqual(await subjects(), [`Offer: Job ${other}`])
    const page = await rae.get(list)
    assert.match(wordsOf(page.text), /1 application changed to Interview\. These are many/)
    // Ten minutes after the first, there are no longer so many.
    world().clock.advance(minuteMs)
    const [late = 0] = await arrive(1)
    await report([late], 'interview')
    assert.deepEqual(await subjects(), [`Interview: Job ${late}`])
    world().clock.advance(9 * minuteMs)
    assert.deepEqual(await subjects(), [`Interview: Job ${last}`])
    assert.equal((await takeBack(rae, page)).status, 409)
    assert.deepEqual(await statusesOf([last]), ['interview'])
  })

  test('a decision made again replaces the email of the first, which can then no longer be sent', async () => {
    const ids = await arrive(51)
    const [again = 0, silent = 0, kept = 0] = ids
    await report(ids, 'notSuccessful')
    world().clock.advance(minuteMs)
    await report([again, silent], 'inReview')
    world().clock.advance(minuteMs)
    await report([again], 'notSuccessful')
    await report([silent], 'notSuccessful', { tell: false })
    assert.match(await rae.words(list), /50 applications changed to Not suitable/)
    world().clock.advance(8 * minuteMs)
    const told = await subjects()
    assert.equal(told.length, 49)
    assert.ok(told.includes(`Not successful: Job ${kept}`))
    assert.ok(!told.includes(`Not successful: Job ${again}`))
    assert.ok(!told.includes(`Not successful: Job ${silent}`))
    assert.equal((await takeBack(rae, await rae.get(list))).status, 303)
    assert.deepEqual(await statusesOf([again]), ['in-review'])
    world().clock.advance(3 * minuteMs)
    assert.deepEqual(await subjects(), [])
  })

  test('decisions about candidates who deleted their accounts meanwhile are taken back as well', async () => {
    const ids = await arrive(51)
    const { database } = world().services
    const candidateId = 'leaver'
    const person = { email: 'leaver@example.org', firstName: 'Lea', lastName: 'Ver', phone: '' }
    const now = world().clock()
    const account = { candidateId, ...person, passwordHash: 'x', profile: '{}', createdAt: now }
    await storesOver(database).accounts.add(account)
    await database.writer
      .updateTable('own_applications')
      .set({ candidate_id: candidateId })
      .where('application_id', '=', ids[0] ?? 0)
      .execute()
    await report(ids, 'notSuccessful')
    await removeAccountAgain(database, candidateId, { now, eraseAt: now + dayMs })
    assert.equal((await takeBack(rae, await rae.get(list))).status, 303)
    assert.deepEqual(
      await statusesOf(ids),
      ids.map(() => 'new'),
    )
  })

  test('entries that keep their emails back are neither held nor counted', async () => {
    const ids = await arrive(61)
    await report(ids.slice(0, 60), 'hired', { tell: false })
    await report(ids.slice(60), 'hired')
    assert.deepEqual(await subjects(), [`Hired: Job ${ids[60]}`])
    assert.doesNotMatch(await rae.words(list), /These are many at once/)
  })

  test('a form that was shown before takes back only what it showed, and no one else may send it', async () => {
    const ids = await arrive(102)
    await report(ids.slice(0, 51), 'offer')
    const page = await rae.get(list)
    world().clock.advance(minuteMs)
    await report(ids.slice(51), 'offer')
    const { fields } = formTo(`${list}/take-back`, page.text)
    assert.notEqual((await visitor.post(`${list}/take-back`, fields)).status, 303)
    assert.equal((await takeBack(rae, page)).status, 303)
    const expected = ids.map((_, index) => (index < 51 ? 'new' : 'offer'))
    assert.deepEqual(await statusesOf(ids), expected)
  })

  test('a company chooses which changes are emailed', async () => {
    const [id = 0, other = 0] = await arrive(2)
    await report([id], 'inReview')
    assert.deepEqual(await subjects(), [])
    assert.equal((await rex.get(settings)).status, 403)
    const form = await rae.form(settings)
    assert.deepEqual(
      form.fields.filter(([name]) => !name.startsWith('form_')),
      [
        ['emails', 'decisions'],
        ['reasons', 'hidden'],
      ],
    )
    const choose = (emails: string) =>
      rae.submit({
        ...form,
        fields: form.fields.map(([name, value]) => [name, name === 'emails' ? emails : value]),
      })
    assert.equal((await choose('everything')).status, 303)
    // Opening an application tells nobody.
    await rae.get(`${list}/${other}`)
    assert.deepEqual(await statusesOf([other]), ['seen'])
    assert.deepEqual(await subjects(), [])
    await report([other], 'inReview')
    assert.deepEqual(await subjects(), [`In review: Job ${other}`])
    assert.equal((await choose('nothing')).status, 303)
    await report([id], 'hired')
    assert.deepEqual(await subjects(), [])
    const page = await rae.words(`${list}/${id}`)
    assert.match(page, /You can’t tell the candidate by email\. Your company has chosen not to email/)
    assert.doesNotMatch(await rae.words(list), /Tell candidates by email/)
    assert.equal((await choose('all')).status, 400)
    await tell({ emails: 'decisions' })
    await report([id], 'offer', { at: new Date(world().clock() + 1).toISOString() })
    assert.deepEqual(await subjects(), [`Offer: Job ${id}`])
  })

  test('the tick for emails is set unless the company tells nothing, and stays as the person left it', async () => {
    const [id = 0, other = 0] = await arrive(2)
    const path = `${list}/${id}`
    const tickIn = (page: Answer, action: string) =>
      formTo(action, page.text).boxes.find(({ name }) => name === 'tell')?.isTicked
    for (const [emails, isTicked] of [
      ['decisions', true],
      ['everything', true],
      ['nothing', undefined],
    ] as const) {
      await tell({ emails })
      assert.equal(tickIn(await rae.get(path), path), isTicked, emails)
      assert.equal(tickIn(await rae.get(list), `${list}/selection`), isTicked, emails)
    }
    await tell({ emails: 'decisions' })
    const page = await rae.get(path)
    const { fields } = formTo(path, page.text)
    const hidden = fields.filter(([name]) => name !== 'note')
    // Without a note: the page is shown again, as it was sent.
    for (const isTicked of [false, true]) {
      const sent = [...hidden, ['note', ''], ...(isTicked ? [['tell', 'yes']] : [])] as [string, string][]
      const again = await rae.post(path, sent)
      assert.equal(again.status, 422)
      assert.equal(tickIn(again, path), isTicked)
    }
    // The tick is sent as it stands, and emails of decisions alone.
    const press = async (at: number, status: string) => {
      const form = await rae.form(`${list}/${at}`)
      return rae.submit(form, { button: ['status', status] })
    }
    await press(other, 'in-review')
    assert.deepEqual(await subjects(), [])
    await press(other, 'interview')
    assert.deepEqual(await subjects(), [`Interview: Job ${other}`])
  })

  test('who reported a state, and its stage and reason, is for the company alone', async () => {
    const [id = 0] = await arrive(1)
    await report([id], 'notSuccessful', { label: 'Zebra panel', reason: 'workRights' })
    const history = await rae.words(`${list}/${id}`)
    assert.match(
      history,
      /“Demo credential of Harbour” changed the status from New to Not suitable \(reason: Right to work\) .{1,40} Zebra panel/,
    )
    const sent = await box.sent()
    assert.equal(sent.length, 1)
    const shown = [
      JSON.stringify(sent),
      (await visitor.get('/account/applications')).text,
      (await visitor.get(`/account/applications/${id}`)).text,
      await ownData(),
    ]
    for (const path of ['events?cursor=start&limit=1000&include=application', `applications/${id}`]) {
      const headers = { authorization: 'SWS sws_demo_harbour' }
      shown.push((await world().door.send('GET', `/v1/advertiser/${path}`, { headers })).text)
    }
    for (const text of shown) {
      assert.ok(text.includes(String(id)))
      assert.doesNotMatch(text, /Zebra|workRights|Right to work/)
    }
  })

  test('candidates read of a state once, however often it is reported', async () => {
    const [id = 0] = await arrive(1)
    await tell({ showsReasons: true })
    const first = world().clock()
    for (const more of [{}, { label: 'Panel' }, { reason: 'location' }, {}]) {
      await report([id], 'notSuccessful', more)
      world().clock.advance(minuteMs)
    }
    const page = await visitor.words(`/account/applications/${id}`)
    assert.equal(page.match(/Not successful on /g)?.length, 1, page)
    assert.match(page, /Not successful on [^R]* Reason: Location/)
    const { history } = (await storesOver(world().services.database).ownApplications.find(maryId, id)) ?? {}
    assert.deepEqual(
      history?.map(({ at, status }) => [at, status]),
      [[first, 'not-suitable']],
    )
    await tell({ showsReasons: false })
  })

  test('candidates see reported reasons only if the company has chosen so', async () => {
    const [id = 0] = await arrive(1)
    await report([id], 'notSuccessful', { reason: 'positionFilled' })
    const own = `/account/applications/${id}`
    assert.doesNotMatch(await visitor.words(own), /Reason/)
    assert.match(await rae.words(`${list}/${id}`), /\(reason: The position has been filled\)/)
    await tell({ showsReasons: true })
    assert.match(await visitor.words(own), /Not successful on .* Reason: The position has been filled/)
    assert.match(await ownData(), /"Not successful",\s*"reason": "The position has been filled"/)
    const [email] = await box.sent()
    assert.doesNotMatch(email?.text ?? '', /filled/)
    await tell({ showsReasons: false })
    assert.doesNotMatch(await visitor.words(own), /Reason/)
  })
})
