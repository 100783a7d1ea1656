import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { maxHistory, toldAtOnce } from '../../src/collect/progress/service.ts'
import type { Program } from '../../src/collect/progress/status-step-store.ts'
import { type ApplicationStatus, chosenStatuses, stateOf } from '../../src/model/application-status.ts'
import { plainDraft } from '../harness/applications.ts'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { addPerson, addPersonClient } from '../harness/person.ts'
import { seeded } from '../harness/random.ts'
import { addTenant } from '../harness/tenant.ts'
import { type Stores, storesOver } from '../store/stores.ts'

const random = seeded()

const rounds = times(4, 40)
/** Of states with the same time the one that stands later here counts. */
const inOrder: readonly ApplicationStatus[] = [
  'new',
  'seen',
  'in-review',
  'shortlisted',
  'interview',
  'offer',
  'hired',
  'not-suitable',
]
const clientId = 'client'

withServices('progress that three sources report at once', services => {
  let stores: Stores
  let advertiserId: number
  let agentId: number
  let company: Program
  before(async () => {
    stores = storesOver(services().database)
    const tenant = await addTenant(services(), 'Harbour')
    advertiserId = tenant.advertiserId
    company = { by: 'api', credentialId: tenant.credentialId }
    agentId = (await services().agents.add('Northwind')).id
    await services().agents.authorise(advertiserId, agentId)
    await addPersonClient(stores, { id: clientId })
  })

  async function grant(): Promise<Program> {
    await services().agents.setProgress(advertiserId, agentId, true)
    const agents = await services().agents.listFor(advertiserId)
    const grantedAt = agents.find(({ id }) => id === agentId)?.progressGrantedAt
    assert.ok(typeof grantedAt === 'number')
    return { by: 'agent', clientId, agentId, grantedAt }
  }

  interface Said {
    to: ApplicationStatus
    at: number
  }

  const latestOf = (all: readonly Said[]): Said =>
    all.reduce((one, other) =>
      (other.at - one.at || inOrder.indexOf(other.to) - inOrder.indexOf(one.to)) > 0 ? other : one,
    )

  interface Entry {
    to: (typeof chosenStatuses)[number]
    at: number
  }

  const report = (
    program: Program,
    applicationId: number,
    entries: readonly (Entry & { tells?: boolean })[],
  ) =>
    stores.progress.report(
      advertiserId,
      program,
      entries.map(entry => ({ applicationId, label: null, reason: null, tells: true, ...entry })),
      { now: services().clock(), maxHistory, toldAtOnce, unread: 0 },
    )

  /** Changes the status as it is shown now; a change that came too late is left out. */
  async function change(applicationId: number, { to, at }: Entry): Promise<void> {
    const { status } = await services().applicationSearch.detail(advertiserId, applicationId)
    await stores.progress.setStatus(advertiserId, {
      applications: [{ id: applicationId, shown: status }],
      to,
      by: 'rae',
      at,
      tells: true,
      maxHistory,
      toldAtOnce,
    })
  }

  /** The status, the history in its order, and what a follower makes of the feed. */
  async function outcome(applicationId: number) {
    const { reader } = services().database
    const { status, submittedAt } = await services().applicationSearch.detail(advertiserId, applicationId)
    const history = await reader
      .selectFrom('application_history')
      .select(({ fn }) => [fn.coalesce('counted_at', 'at').as('at'), 'former', 'status', 'kind'])
      .where('application_id', '=', applicationId)
      .orderBy('position')
      .execute()
    const events = await stores.events.page(
      { advertiserId },
      { after: 0, limit: 10_000, types: ['application.status-changed'] },
    )
    let replayed: string = stateOf.new
    for (const { detail, applicationId: about } of events.events) {
      if (about !== applicationId) continue
      const { from, to } = JSON.parse(`{${detail}}`)
      assert.equal(from, replayed, 'each change begins where the last one ended')
      replayed = to
    }
    return { status, submittedAt, history, replayed }
  }

  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const shuffled = <T>(values: readonly T[]): T[] =>
    values
      .map(value => ({ value, key: random() }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ value }) => value)

  test('programs in any order and with repetitions end in the state that the times demand', async () => {
    const agent = await grant()
    for (let round = 0; round < rounds; round++) {
      const { id, submittedAt } = await services().submissions.add(advertiserId, plainDraft())
      // Few times, so that many are equal.
      const entries = Array.from({ length: 8 }, () => ({
        to: pick(chosenStatuses),
        at: submittedAt + Math.floor(random() * 4),
      }))
      const arrivals = shuffled([...entries, ...entries.slice(0, 4)])
      const outcomes = await Promise.all(
        [0, 3, 6, 9].map((start, index) =>
          report(index % 2 === 0 ? company : agent, id, arrivals.slice(start, start + 3)),
        ),
      )
      assert.ok(outcomes.every(Array.isArray))
      const { status, replayed } = await outcome(id)
      assert.equal(status, latestOf([{ to: 'new', at: submittedAt }, ...entries]).to)
      assert.equal(replayed, stateOf[status])
      const repeated = await report(company, id, shuffled(arrivals))
      assert.ok(Array.isArray(repeated) && !repeated.includes('applied'), String(repeated))
    }
    assert.deepEqual(await services().counts.faults(advertiserId), [])
  })

  test('three sources one after another, with repetitions, end where the sent times put them', async () => {
    const agent = await grant()
    for (let round = 0; round < rounds; round++) {
      const { id, submittedAt } = await services().submissions.add(advertiserId, plainDraft())
      const sent = Array.from({ length: 9 }, () => ({
        by: pick([company, agent, 'console', 'opening'] as const),
        to: pick(chosenStatuses),
        at: submittedAt + Math.floor(random() * 5),
      }))
      let expected: Said = { to: 'new', at: submittedAt }
      for (const { by, ...entry } of shuffled([...sent, ...sent.slice(0, 4)])) {
        if (by === 'console') await change(id, entry)
        else if (by === 'opening')
          await stores.progress.open(advertiserId, id, { by: 'rae', now: submittedAt + 60_000 })
        else await report(by, id, [entry])
        // A press is later than what was known, and one of the same status is none; opening counts with the time of the application.
        if (by === 'console') {
          if (entry.to !== expected.to) expected = { to: entry.to, at: Math.max(entry.at, expected.at + 1) }
        } else expected = latestOf([expected, by === 'opening' ? { to: 'seen', at: submittedAt } : entry])
      }
      const { status, replayed } = await outcome(id)
      assert.equal(status, expected.to)
      assert.equal(replayed, stateOf[status])
    }
    assert.deepEqual(await services().counts.faults(advertiserId), [])
  })

  test('with the console among them, the latest of all entries decides', async () => {
    const agent = await grant()
    for (let round = 0; round < rounds; round++) {
      const { id, submittedAt } = await services().submissions.add(advertiserId, plainDraft())
      const at = () => submittedAt + 1 + Math.floor(random() * 4)
      const entry = () => ({ to: pick(chosenStatuses), at: at() })
      await Promise.all([
        report(company, id, [entry(), entry()]),
        change(id, entry()),
        report(agent, id, [entry(), entry()]),
        change(id, entry()),
        report(company, id, [entry()]),
        stores.progress.open(advertiserId, id, { by: 'rae', now: submittedAt + 60_000 }),
      ])
      const { status, replayed, history } = await outcome(id)
      const first = { at: submittedAt, status: 'new' as ApplicationStatus | null }
      const said = [first, ...history].map(({ at: since, status: to }) => ({
        to: to as ApplicationStatus,
        at: since,
      }))
      assert.equal(status, latestOf(said).to)
      assert.equal(replayed, stateOf[status])
    }
    assert.deepEqual(await services().counts.faults(advertiserId), [])
  })

  test('a decision queues one email, unless its entry keeps it back', async () => {
    const person = await addPerson(services(), stores, { name: 'dora', advertiserId, clientId })
    const { applicationId, candidateId } = person
    const at = services().clock()
    const told = async () =>
      (
        await services()
          .database.reader.selectFrom('deliveries')
          .select('content')
          .where('kind', '=', 'status-changed')
          .execute()
      ).map(({ content }) => JSON.parse(content))
    await report(company, applicationId, [{ to: 'in-review', at: at + 1 }])
    await report(company, applicationId, [{ to: 'offer', at: at + 2, tells: false }])
    assert.deepEqual(await told(), [])
    // The second entry moves the time of the interview: the first one decides whether the candidate is told.
    await report(company, applicationId, [
      { to: 'interview', at: at + 3 },
      { to: 'interview', at: at + 4, tells: false },
    ])
    const interview = { candidateId, advertiserId, applicationId, status: 'interview' }
    assert.deepEqual(await told(), [interview])
    // Of several states in one request, the candidate hears of the last. The email about the interview is out of date.
    await report(company, applicationId, [
      { to: 'offer', at: at + 5 },
      { to: 'hired', at: at + 6 },
    ])
    await report(company, applicationId, [{ to: 'hired', at: at + 6 }])
    assert.deepEqual(await told(), [{ ...interview, status: 'hired' }])
  })

  test('a withdrawal at the same moment stays, and ends the feed of the application', async () => {
    for (let round = 0; round < rounds; round++) {
      const name = `wanda${round}`
      const person = await addPerson(services(), stores, { name, advertiserId, clientId })
      const now = services().clock()
      const withdraw = () =>
        stores.ownApplications.withdraw(person.candidateId, person.applicationId, { now, eraseAt: now + 1 })
      await Promise.all([
        report(company, person.applicationId, [{ to: 'interview', at: now + 1000 }]),
        withdraw(),
        report(company, person.applicationId, [{ to: 'hired', at: now + 2000 }]),
      ])
      const { status, replayed } = await outcome(person.applicationId)
      assert.equal(status, 'withdrawn')
      assert.equal(replayed, 'withdrawn')
      assert.deepEqual(await report(company, person.applicationId, [{ to: 'offer', at: now + 3000 }]), [
        'superseded',
      ])
    }
    assert.deepEqual(await services().counts.faults(advertiserId), [])
  })

  test('an erasure at the same moment leaves no history, and the application is not found afterwards', async () => {
    for (let round = 0; round < rounds; round++) {
      const { id, submittedAt } = await services().submissions.add(advertiserId, plainDraft())
      const entry = { to: 'interview' as const, at: submittedAt + 1 }
      await Promise.all([
        report(company, id, [entry]),
        stores.erasures.erase(advertiserId, id, services().clock()),
        report(company, id, [{ ...entry, to: 'hired' }]),
      ])
      assert.deepEqual((await outcome(id)).history, [])
      assert.deepEqual(await report(company, id, [{ ...entry, at: submittedAt + 9 }]), ['not-found'])
    }
  })

  test('a grant that is withdrawn in mid-flight admits no report that is written after it', async () => {
    for (let round = 0; round < rounds; round++) {
      const agent = await grant()
      const { id, submittedAt } = await services().submissions.add(advertiserId, plainDraft())
      const entry = (step: number) => [
        { to: step % 2 === 0 ? ('interview' as const) : ('offer' as const), at: submittedAt + 1 + step },
      ]
      const [, ...answers] = await Promise.all([
        services().agents.setProgress(advertiserId, agentId, false),
        ...[1, 2, 3, 4].map(step => report(agent, id, entry(step))),
      ])
      const applied = answers.filter(answer => answer !== 'not-granted').flat()
      const { history } = await outcome(id)
      assert.equal(history.length, applied.filter(result => result === 'applied').length)
      assert.equal(await report(agent, id, entry(9)), 'not-granted')
      // A request that was admitted by the former grant is not admitted by the next one.
      await grant()
      assert.equal(await report(agent, id, entry(9)), 'not-granted')
    }
  })
})
