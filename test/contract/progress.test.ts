import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { withdrawApplication } from '../../src/apply/withdraw-application-store.ts'
import { maryId } from '../../src/demo/world/world.ts'
import { problems } from '../../src/model/problems.ts'
import { giveToCandidate, plainDraft } from '../harness/applications.ts'
import { wordsOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { Browser, bearer, requestToken, tokenOf } from '../harness/oauth.ts'
import { dayMs, inDemoWorld } from '../oauth/world.ts'
import { storesOver } from '../store/stores.ts'
import {
  assertProblem,
  grantedToken,
  harbourId,
  ownToken,
  prefilled,
  southernId,
  unknownUuid,
  watched,
} from './version2.ts'

const path = '/v1/advertiser/progress'
const agentId = 20000001
const harbour = { authorization: 'SWS sws_demo_harbour' }
const southern = { authorization: 'SWS sws_demo_southern' }

inDemoWorld('reporting progress', world => {
  const door = () => watched(world().door)
  const iso = (ms = 0) => new Date(world().clock() + ms).toISOString()

  function send(body: unknown, headers: Record<string, string> = harbour, to = path): Promise<Answer> {
    return door().send('POST', to, {
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }
  async function report(entries: readonly (object | null)[], headers = harbour): Promise<unknown[]> {
    const answer = await send({ entries }, headers)
    assert.equal(answer.status, 200, answer.text)
    const { results } = answer.json() as { results: { result: string; code?: string }[] }
    return results.map(({ result, code }) => (result === 'refused' ? code : result))
  }
  const arrive = async () => (await world().services.submissions.add(harbourId, plainDraft())).id
  const statusOf = async (id: number) =>
    (await world().services.applicationSearch.detail(harbourId, id)).status

  /** The states of an application by the feed, and who changed them. */
  async function told(id: number) {
    const query = `?cursor=start&limit=1000&types=application.status-changed`
    const answer = await door().send('GET', `/v1/advertiser/events${query}`, { headers: harbour })
    const { events } = answer.json() as { events: { data: Record<string, unknown> }[] }
    return events
      .map(({ data: { advertiserId: _, ...data } }) => data)
      .filter(({ applicationId }) => applicationId === id)
      .map(({ applicationId: _, ...data }) => data)
  }

  test('the states follow one another, and the feed tells of each', async () => {
    const id = await arrive()
    const at = [1, 2, 3].map(step => iso(step * 1000))
    const entries = [
      { applicationId: id, state: 'viewed', at: at[0] },
      { applicationId: id, state: 'inReview', at: at[1], label: 'Phone screen' },
      { applicationId: String(id), state: 'notSuccessful', at: at[2], reason: 'experience', tell: false },
    ]
    assert.deepEqual(await report(entries), ['applied', 'applied', 'applied'])
    assert.equal(await statusOf(id), 'not-suitable')
    const events = await told(id)
    const credentialId = String(events[0]?.['credentialId'])
    assert.equal(credentialId, 'demo-credential-10000001')
    const by = { by: 'api', credentialId }
    assert.deepEqual(events, [
      { from: 'received', to: 'viewed', at: at[0], ...by },
      { from: 'viewed', to: 'inReview', at: at[1], ...by },
      { from: 'inReview', to: 'notSuccessful', at: at[2], ...by },
    ])
    assert.deepEqual(await report(entries), ['superseded', 'superseded', 'unchanged'])
    assert.equal((await told(id)).length, 3)
    const { entries: history } = await world().services.progress.history(harbourId, id)
    assert.equal(history.length, 3)
  })

  test('changes in the console are told of, and later than a report that is dated ahead', async () => {
    const { services } = world()
    const id = await arrive()
    await report([{ applicationId: id, state: 'interview', at: iso(200_000) }])
    const change = { by: 'rex', shown: 'interview', to: 'shortlisted', note: '', tells: false } as const
    assert.equal(await services.progress.update(harbourId, id, change), 'saved')
    assert.equal(await statusOf(id), 'shortlisted')
    assert.deepEqual(await report([{ applicationId: id, state: 'offer', at: iso(199_000) }]), ['superseded'])
    const [, console] = await told(id)
    assert.deepEqual(console, { from: 'interview', to: 'shortlisted', at: iso(200_001), by: 'console' })
    assert.deepEqual(await report([{ applicationId: id, state: 'hired', at: iso(200_000) }]), ['superseded'])
    assert.deepEqual(await report([{ applicationId: id, state: 'hired', at: iso(200_001) }]), ['applied'])
  })

  test('with equal times the later state wins, from any sender and in any order of arrival', async () => {
    const ids = await Promise.all([arrive(), arrive()])
    const entries = (applicationId: number) =>
      ['notSuccessful', 'viewed', 'offer'].map(state => ({ applicationId, state, at: iso(5) }))
    assert.deepEqual(await report(entries(ids[0])), ['applied', 'superseded', 'superseded'])
    assert.deepEqual(await report(entries(ids[1]).toReversed()), ['applied', 'superseded', 'applied'])
    for (const id of ids) {
      assert.equal(await statusOf(id), 'not-suitable')
      assert.deepEqual(await report(entries(id)), ['unchanged', 'superseded', 'superseded'])
    }
  })

  test('what happened before a recruiter opened the application still counts, whichever comes first', async () => {
    const { services, clock } = world()
    const opened = await arrive()
    const reported = await arrive()
    const at = iso(1000)
    clock.advance(300_000)
    const openedAt = clock()
    const interview = (applicationId: number) => report([{ applicationId, state: 'interview', at }])
    assert.equal(await services.progress.open(harbourId, opened, 'rex'), true)
    assert.equal(await statusOf(opened), 'seen')
    assert.equal(await services.progress.open(harbourId, opened, 'rex'), false)
    assert.deepEqual(await interview(opened), ['applied'])
    assert.deepEqual(await interview(reported), ['applied'])
    assert.equal(await services.progress.open(harbourId, reported, 'rex'), false)
    for (const id of [opened, reported]) assert.equal(await statusOf(id), 'interview')
    // The history names the time at which the recruiter looked, and the event the time that counts.
    const { entries } = await services.progress.history(harbourId, opened)
    assert.deepEqual(
      entries.map(entry => [entry.status, entry.at]),
      [
        ['interview', Date.parse(at)],
        ['seen', openedAt],
      ],
    )
    const { submittedAt } = await services.applicationSearch.detail(harbourId, opened)
    const [first] = await told(opened)
    assert.deepEqual(first, {
      from: 'received',
      to: 'viewed',
      at: new Date(submittedAt).toISOString(),
      by: 'console',
    })
    // Set to new by somebody after it was sent: whoever looks at it says nothing else.
    const change = { by: 'rex', shown: 'interview', to: 'new', note: '', tells: false } as const
    await services.progress.update(harbourId, opened, change)
    assert.equal(await services.progress.open(harbourId, opened, 'rex'), false)
    assert.equal(await statusOf(opened), 'new')
  })

  test('what is wrong with one entry stops no other', async () => {
    const id = await arrive()
    const erased = await arrive()
    await world().services.erasure.erase(harbourId, erased)
    const good = { applicationId: id, state: 'viewed', at: iso() }
    const entries = [
      { ...good, state: 'withdrawn' },
      { ...good, state: undefined },
      { ...good, at: '2026-11-14T00:00:00' },
      { ...good, at: undefined },
      { ...good, label: 'x'.repeat(61) },
      { ...good, label: 'two\nlines' },
      { ...good, reason: 'age' },
      { ...good, reason: 'experience' },
      { ...good, tell: 'no' },
      { ...good, at: iso(300_001) },
      { ...good, applicationId: 'x' },
      { ...good, applicationId: { id } },
      { ...good, applicationId: undefined },
      { ...good, applicationId: erased },
      { ...good, applicationId: 9_007_199_254_740_991 },
      { ...good, at: iso(300_000), label: null, reason: null, tell: null, extra: 1 },
    ]
    const results = await report(entries)
    assert.deepEqual(results, [
      ...Array.from({ length: 9 }, () => 'invalid-fields'),
      'at-in-future',
      ...Array.from({ length: 5 }, () => 'not-found'),
      'applied',
    ])
    assert.equal(await statusOf(id), 'seen')
  })

  test('a result repeats the ID as it was sent, and says what is wrong', async () => {
    const id = await arrive()
    const good = { applicationId: id, state: 'viewed', at: iso() }
    const { results } = (
      await send({
        entries: [
          { ...good, applicationId: String(id) },
          { ...good, applicationId: [7] },
          {},
          { ...good, state: 'interview', reason: 'skills', label: 'x'.repeat(61) },
          { ...good, at: iso(300_001) },
        ],
        more: 1,
      })
    ).json()
    const refused = (applicationId: unknown, code: 'not-found' | 'at-in-future') => ({
      applicationId,
      result: 'refused',
      code,
      detail: problems[code].help,
    })
    const required = (field: string) => ({ field, code: 'required', message: `${field} must be sent.` })
    const wrong = [
      {
        field: 'label',
        code: 'too-long',
        message: 'label must have 60 characters or fewer; it has 61.',
      },
      {
        field: 'reason',
        code: 'not-with-this-state',
        message: 'reason must only be sent with notSuccessful.',
      },
    ]
    assert.deepEqual(results, [
      { applicationId: String(id), result: 'applied' },
      refused([7], 'not-found'),
      {
        applicationId: null,
        result: 'refused',
        code: 'invalid-fields',
        detail: 'state must be sent. at must be sent.',
        errors: [required('state'), required('at')],
      },
      {
        applicationId: id,
        result: 'refused',
        code: 'invalid-fields',
        detail: wrong.map(({ message }) => message).join(' '),
        errors: wrong,
      },
      refused(id, 'at-in-future'),
    ])
  })

  test('every state can be reported, every reason with notSuccessful, and a label of 60 characters', async () => {
    const id = await arrive()
    const states = ['received', 'viewed', 'inReview', 'shortlisted', 'interview', 'offer', 'hired']
    const entries = states.map((state, index) => ({
      applicationId: id,
      state,
      at: iso(index + 1),
      label: '🦀'.repeat(60),
    }))
    assert.deepEqual(new Set(await report(entries)), new Set(['applied']))
    const reasons = ['positionFilled', 'positionCancelled', 'experience', 'skills', 'qualifications']
    reasons.push('location', 'workRights', 'other')
    const declined = reasons.map((reason, index) => ({
      applicationId: id,
      state: 'notSuccessful',
      at: iso(index + 10),
      reason,
    }))
    assert.deepEqual(new Set(await report(declined)), new Set(['applied']))
    assert.deepEqual(
      (await told(id)).map(({ to }) => to),
      [...states.slice(1), 'notSuccessful'],
    )
    assert.deepEqual(await report([{ ...declined[0], reason: 'salary', at: iso(99) }]), ['invalid-fields'])
  })

  test('each report is one entry of the audit log, also if it changes nothing or only a time', async () => {
    const id = await arrive()
    const reported = async () => {
      const rows = await world()
        .services.database.reader.selectFrom('audit_entries')
        .select(['action', 'actor_kind', 'target', 'before', 'after'])
        .where('scope', '=', harbourId)
        .where('action', 'in', ['applications.progress', 'application.status'])
        .orderBy('number')
        .execute()
      return rows.map(({ after, ...row }) => ({ ...row, after: JSON.parse(after ?? '') }))
    }
    const { length } = await reported()
    const entry = { applicationId: id, state: 'interview' }
    await report([{ ...entry, at: iso(1) }, { ...entry, at: iso(2) }, { ...entry, state: 'nonsense' }, {}])
    await report([{ ...entry, at: iso(3) }])
    await report([
      { ...entry, at: iso(3) },
      { ...entry, at: iso(2) },
    ])
    const same = {
      action: 'applications.progress',
      actor_kind: 'credential',
      target: `applications:${harbourId}`,
      before: null,
    }
    const none = { applied: 0, unchanged: 0, superseded: 0, refused: 0 }
    assert.deepEqual((await reported()).slice(length), [
      { ...same, after: { ...none, applied: 2, refused: 2 } },
      { ...same, after: { ...none, applied: 1 } },
      { ...same, after: { ...none, unchanged: 1, superseded: 1 } },
    ])
    // A body that is refused as a whole is none.
    await send({ entries: [] })
    assert.equal((await reported()).length, length + 3)
  })

  test('a body that cannot be read is refused as a whole', async () => {
    const entry = { applicationId: 1, state: 'viewed', at: iso() }
    for (const [body, status, code] of [
      ['{', 400, 'bad-request'],
      [[], 422, 'invalid-fields'],
      [{}, 422, 'invalid-fields'],
      [{ entries: {} }, 422, 'invalid-fields'],
      [{ entries: [] }, 422, 'invalid-fields'],
      [{ entries: Array.from({ length: 101 }, () => entry) }, 422, 'invalid-fields'],
      [{ entries: [entry, null] }, 422, 'invalid-fields'],
      [{ entries: [entry, [entry]] }, 422, 'invalid-fields'],
      [{ entries: [entry, 'entry'] }, 422, 'invalid-fields'],
    ] as const) {
      const answer = await send(body)
      assert.deepEqual([answer.status, answer.json().code], [status, code], JSON.stringify(body))
    }
    const applied = { applicationId: await arrive(), state: 'hired', at: iso() }
    const whole = await send({ entries: [applied, null] })
    assert.equal(whole.json().errors[0].field, 'entries[1]')
    assert.equal(await statusOf(applied.applicationId), 'new')
    for (const key of ['two words', 'x'.repeat(300), '"'])
      assert.equal((await send({ entries: [entry] }, { ...harbour, 'idempotency-key': key })).status, 200)
    const kept = await send({ entries: [entry] }, { ...harbour, 'idempotency-key': 'k' })
    assert.equal(kept.status, 200)
    assert.match(kept.headers.get('ratelimit') ?? '', /^"v1";/)
  })

  test('another advertiser gets the answer for an unknown ID, and changes nothing', async () => {
    const id = await arrive()
    const entry = { state: 'hired', at: iso() }
    const answers = await Promise.all(
      [id, 9_007_199_254_740_991].map(applicationId =>
        send({ entries: [{ ...entry, applicationId }] }, southern),
      ),
    )
    const resultOf = (answer: Answer | undefined) => {
      assert.ok(answer)
      const [{ applicationId: _, ...result }] = answer.json().results
      return result
    }
    assert.deepEqual(resultOf(answers[0]), resultOf(answers[1]))
    assert.equal(await statusOf(id), 'new')
    // An application that was erased, also one that had a state.
    const erased = await arrive()
    await report([{ applicationId: erased, ...entry }])
    await world().services.erasure.erase(harbourId, erased)
    for (const at of [entry.at, iso(1)]) {
      const answer = await send({ entries: [{ ...entry, at, applicationId: erased }] })
      assert.deepEqual(resultOf(answer), resultOf(answers[1]))
    }
    const none = await send({ entries: [entry] }, { authorization: 'SWS sws_unknown' })
    assertProblem(world().door, none, 401, 'invalid-credential')
  })

  test('a withdrawn application stays withdrawn, and the feed tells who withdrew it', async () => {
    const { services } = world()
    const id = await arrive()
    await giveToCandidate(services, maryId, { advertiser_id: harbourId, application_id: id })
    const times = { now: world().clock(), eraseAt: world().clock() + dayMs }
    await withdrawApplication(services.database, maryId, id, times)
    assert.deepEqual(await report([{ applicationId: id, state: 'hired', at: iso(60_000) }]), ['superseded'])
    assert.deepEqual(await told(id), [{ from: 'received', to: 'withdrawn', at: iso(), by: 'candidate' }])
  })

  test('a state that a program reports at every sync fills no history', async () => {
    const id = await arrive()
    const sync = (ms: number, more: object = {}) =>
      report([{ applicationId: id, state: 'interview', at: iso(ms), label: 'Panel', ...more }])
    for (const ms of [1000, 2000, 3000, 4000]) assert.deepEqual(await sync(ms), ['applied'])
    const entries = async () =>
      (await world().services.progress.history(harbourId, id)).entries.map(({ at, former, label }) => [
        new Date(at).toISOString(),
        former,
        label,
      ])
    const first = [iso(1000), 'new', 'Panel']
    assert.deepEqual(await entries(), [[iso(4000), 'interview', 'Panel'], first])
    assert.deepEqual(await sync(3500), ['superseded'])
    assert.deepEqual(await sync(4000), ['unchanged'])
    // What says something else stays.
    assert.deepEqual(await sync(5000, { label: 'On site' }), ['applied'])
    assert.deepEqual(await sync(6000, { label: 'On site' }), ['applied'])
    assert.deepEqual(await entries(), [
      [iso(6000), 'interview', 'On site'],
      [iso(4000), 'interview', 'Panel'],
      first,
    ])
    assert.equal((await told(id)).length, 1)
  })

  test('programs that repeat each other fill no history, nor does one request', async () => {
    const { services } = world()
    const id = await arrive()
    const other = await services.credentials.issue(harbourId, 'Second system', null)
    const sources = [harbour, { authorization: `SWS ${other.value}` }]
    for (let ms = 1; ms <= 8; ms++) {
      const entry = { applicationId: id, state: 'interview', at: iso(ms) }
      assert.equal((await send({ entries: [entry] }, sources[ms % 2])).status, 200)
    }
    const entries = async () => (await services.progress.history(harbourId, id)).entries
    assert.deepEqual(
      (await entries()).map(({ at, former }) => [new Date(at).toISOString(), former]),
      [
        [iso(8), 'interview'],
        [iso(7), 'interview'],
        [iso(1), 'new'],
      ],
    )
    const repeated = Array.from({ length: 100 }, (_, index) => ({
      applicationId: id,
      state: 'offer',
      at: iso(10 + index),
    }))
    assert.deepEqual(new Set(await report(repeated)), new Set(['applied']))
    assert.deepEqual(
      (await entries()).slice(0, 2).map(({ at, former }) => [new Date(at).toISOString(), former]),
      [
        [iso(109), 'offer'],
        [iso(10), 'interview'],
      ],
    )
  })

  test('a history that programs have filled is still open to the company’s people', async () => {
    const { services } = world()
    const id = await arrive()
    const entry = {
      advertiser_id: harbourId,
      application_id: id,
      at: 1,
      kind: 'status' as const,
      former: 'new' as const,
      status: 'interview' as const,
      source: 'api' as const,
      source_id: 'gone',
    }
    await services.database.writer
      .insertInto('application_history')
      .values(Array.from({ length: 1000 }, (_, index) => ({ ...entry, position: index + 1 })))
      .execute()
    assert.deepEqual(await report([{ applicationId: id, state: 'hired', at: iso() }]), ['history-full'])
    const update = { by: 'rae', shown: 'new', to: 'hired', note: 'Signed.', tells: false } as const
    assert.equal(await services.progress.update(harbourId, id, update), 'saved')
  })

  test('a history that people have filled is still open to programs', async () => {
    const { services } = world()
    const id = await arrive()
    const note = { advertiser_id: harbourId, application_id: id, at: 1, kind: 'note' as const, text: 'x' }
    await services.database.writer
      .insertInto('application_history')
      .values(Array.from({ length: 1000 }, (_, index) => ({ ...note, position: index + 1 })))
      .execute()
    assert.deepEqual(await report([{ applicationId: id, state: 'hired', at: iso() }]), ['applied'])
  })

  test('an agent reports only while the company allows it, from its next request on', async () => {
    const { services } = world()
    const token = tokenOf(
      await requestToken(world().door, {
        grant_type: 'client_credentials',
        scope: 'w_progress',
        advertiser_id: String(harbourId),
      }),
    )
    const agent = { authorization: `SWS ${token}` }
    const id = await arrive()
    const ask = (at: string) => send({ entries: [{ applicationId: id, state: 'interview', at }] }, agent)
    assertProblem(world().door, await ask(iso()), 403, 'progress-not-granted')
    await services.agents.setProgress(harbourId, agentId, true)
    assert.deepEqual((await ask(iso())).json(), { results: [{ applicationId: id, result: 'applied' }] })
    const [event] = await told(id)
    assert.equal(event?.['by'], 'agent')
    assert.equal(event?.['credentialId'], undefined)
    assert.equal(event?.['clientId'], 'demo-ats')
    await services.agents.setProgress(harbourId, agentId, false)
    assertProblem(world().door, await ask(iso(1)), 403, 'progress-not-granted')
    // A new authorisation does not bring the grant back.
    await services.agents.setProgress(harbourId, agentId, true)
    await services.agents.withdraw(harbourId, agentId)
    await services.agents.authorise(harbourId, agentId)
    const again = (await services.agents.listFor(harbourId)).find(({ id: each }) => each === agentId)
    assert.equal(again?.progressGrantedAt, null)
    await assert.rejects(services.agents.setProgress(southernId, agentId, true), { code: 'not-found' })
  })
})

inDemoWorld('reporting the progress of prefilled applications', world => {
  const door = () => watched(world().door)
  let token: string
  let id: string
  before(async () => {
    token = await ownToken(world().door)
    ;({ id } = await prefilled(world().door, await grantedToken(world().door)))
  })
  const iso = (ms = 0) => new Date(world().clock() + ms).toISOString()
  const send = (entries: readonly object[], bearerToken = token) =>
    door().send('POST', '/v2/progress', {
      headers: { 'content-type': 'application/json', ...bearer(bearerToken) },
      body: JSON.stringify({ entries }),
    })
  const report = async (entries: readonly object[]) => {
    const answer = await send(entries)
    assert.equal(answer.status, 200, answer.text)
    return answer
      .json()
      .results.map(({ result, code }: { result: string; code?: string }) =>
        result === 'refused' ? code : result,
      )
  }

  test('the later time wins, and a repetition changes nothing', async () => {
    const entry = (state: string, ms: number) => ({ prefilledApplicationId: id, state, at: iso(ms) })
    const entries = [entry('viewed', 1000), entry('interview', 3000), entry('offer', 2000)]
    assert.deepEqual(await report(entries), ['applied', 'applied', 'superseded'])
    assert.deepEqual(await report(entries), ['superseded', 'unchanged', 'superseded'])
    // At the same time the later state wins.
    assert.deepEqual(await report([entry('inReview', 3000), entry('received', 3000)]), [
      'superseded',
      'superseded',
    ])
    const rows = await world().services.database.reader.selectFrom('prefill_progress').selectAll().execute()
    assert.deepEqual(
      rows.map(({ position, state }) => [position, state]),
      [
        [1, 'seen'],
        [2, 'interview'],
      ],
    )
  })

  test('a state that a website reports at every sync uses up no entries', async () => {
    for (let ms = 3100; ms < 3300; ms++)
      assert.deepEqual(await report([{ prefilledApplicationId: id, state: 'interview', at: iso(ms) }]), [
        'applied',
      ])
    const rows = await world().services.database.reader.selectFrom('prefill_progress').selectAll().execute()
    assert.deepEqual(
      rows.map(({ position, state, at }) => [position, state, new Date(at).toISOString()]).slice(1),
      [
        [2, 'interview', iso(3000)],
        [3, 'interview', iso(3299)],
      ],
    )
  })

  test('each report is one entry of the audit log', async () => {
    const reported = () =>
      world()
        .services.database.reader.selectFrom('audit_entries')
        .select(['actor_kind', 'actor_id', 'target', 'after'])
        .where('action', '=', 'client.progress')
        .orderBy('number')
        .execute()
    const { length } = await reported()
    const entry = { prefilledApplicationId: id, state: 'interview', at: iso(3299) }
    await report([entry, { ...entry, at: iso(1) }, { ...entry, prefilledApplicationId: unknownUuid }, {}])
    const same = { actor_kind: 'client', actor_id: 'demo-ats', target: 'client:demo-ats' }
    const after = '{"applied":0,"unchanged":1,"superseded":1,"refused":2}'
    assert.deepEqual((await reported()).slice(length), [{ ...same, after }])
  })

  test('a reason is in the data of the candidate only if the company shows reasons', async () => {
    const { services } = world()
    const state = 'notSuccessful'
    await report([{ prefilledApplicationId: id, state, at: iso(3300), reason: 'experience' }])
    const { ownData } = storesOver(services.database)
    const reasons = async () => {
      const [started] = await ownData.startedApplications(maryId, undefined, 1)
      return started?.reported.map(({ reason }) => reason).at(-1)
    }
    assert.equal(await reasons(), null)
    await services.advertisers.setTelling(harbourId, { showsReasons: true })
    assert.equal(await reasons(), 'experience')
    await services.advertisers.setTelling(harbourId, { showsReasons: false })
    await report([{ prefilledApplicationId: id, state: 'interview', at: iso(3301) }])
  })

  test('the candidate sees what the website says', async () => {
    const browser = await Browser.signedIn(world().door)
    const { text } = await browser.get('/account/applications')
    assert.match(text, /class="badge good">Interview</)
    const sharing = await browser.get('/account/sharing')
    assert.match(
      wordsOf(sharing.text),
      /What websites say about your applications .* Interview A job Northwind ATS on behalf of Harbour /,
    )
  })

  test('unknown ones, those of others and those whose consent has ended are alike', async () => {
    const entry = { state: 'hired', at: iso() }
    const unknown = await send([{ ...entry, prefilledApplicationId: unknownUuid }])
    assert.equal(unknown.json().results[0].code, 'not-found')
    assert.equal(
      (await send([{ ...entry, prefilledApplicationId: 'no\u0000uuid' }])).json().results[0].code,
      'not-found',
    )
    const { reader, writer } = world().services.database
    const consent = await reader
      .selectFrom('prefilled_applications as application')
      .innerJoin('grants', 'grants.id', 'application.grant_id')
      .select(['grants.id', 'grants.candidate_id'])
      .where('application.id', '=', id)
      .executeTakeFirstOrThrow()
    const end = (withdrawn_at: number | null) =>
      writer.updateTable('grants').set({ withdrawn_at }).where('id', '=', consent.id).execute()
    await end(world().clock())
    const [{ prefilledApplicationId, ...result }] = unknown.json().results
    assert.equal(prefilledApplicationId, unknownUuid)
    const ended = await send([{ ...entry, prefilledApplicationId: id }])
    assert.deepEqual(ended.json(), { results: [{ prefilledApplicationId: id, ...result }] })
    for (const sent of [7, undefined]) {
      const malformed = await send([{ ...entry, prefilledApplicationId: sent }])
      assert.deepEqual(malformed.json(), { results: [{ prefilledApplicationId: sent ?? null, ...result }] })
    }
    await end(null)
    assert.deepEqual(await report([{ ...entry, at: iso(4000), prefilledApplicationId: id }]), ['applied'])
  })

  test('it takes the token of a client, and no other', async () => {
    const user = await grantedToken(world().door)
    assertProblem(world().door, await send([{}], user), 401, 'invalid-token')
    world().clock.advance(dayMs)
    assertProblem(world().door, await send([{}]), 401, 'invalid-token')
  })
})
