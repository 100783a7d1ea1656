import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createErasure } from '../../src/collect/erasure/service.ts'
import { createRetention } from '../../src/collect/retention/service.ts'
import {
  choiceBefore,
  chosenMonths,
  dueAt,
  isShorter,
  keepUntil,
  periodAt,
  type RetentionBounds,
  resolvePeriod,
  type StoredPeriod,
} from '../../src/model/retention.ts'
import { addCandidate, plainDraft } from '../harness/applications.ts'
import { movableClock, steadily } from '../harness/clock.ts'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { storesOver } from './stores.ts'

const dayMs = 86_400_000
const start = Date.parse('2026-01-20T08:30:00Z')
const zones = ['Australia/Sydney', 'America/St_Johns'] as const
const settings: readonly RetentionBounds[] = [
  { standard: null, min: 1, max: 6 },
  { standard: 4, min: 1, max: 6 },
  { standard: 2, min: 2, max: 3 },
]

interface Application {
  id: number
  company: Company
  person: Person
  submittedAt: number
  /** Planned by a withdrawal or the deletion of the account. */
  plannedAt: number | null
  /** Planned by the period. The candidate's plan takes this time over; without one, it is discarded with the period. */
  dueByPeriodAt: number | null
  isHeld: boolean
  /** How long its candidate lets the company keep it for other jobs. */
  keptUntil: string | null
  isErased: boolean
}

interface Company {
  id: number
  timeZone: string
  stored: StoredPeriod
  /** The last announcement: exactly these go at that time, unless they are put on hold. */
  announced: { at: number; ids: number[] } | undefined
  /** What the company and the settings wanted so far, and from when on. */
  wanted: { from: number; months: number | null }[]
}

interface Person {
  id: string
  isGone: boolean
}

const which = fc.nat(1000)
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('arrive' as const), which }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('choose' as const),
      which,
      months: fc.option(fc.integer({ min: 1, max: 6 })),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      which: fc.constantFrom(
        1,
        3 * dayMs,
        14 * dayMs - 1,
        14 * dayMs,
        14 * dayMs + 1,
        33 * dayMs,
        70 * dayMs,
      ),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'run',
        'run',
        'plan',
        'takeBack',
        'hold',
        'release',
        'release',
        'withdraw',
        'endKeeping',
        'leave',
        'operate',
      ),
      which,
    }),
  },
)

const clock = movableClock(start)

withServices('retention against a model', { clock }, services => {
  let runs = 0

  test('what was announced is exactly what goes, no earlier, and no later than the next run', async () => {
    const sequences = fc.array(step, { minLength: 30, maxLength: 60 })
    await fc.assert(fc.asyncProperty(sequences, play), { numRuns: times(6, 40), endOnFailure: true })
  })

  async function play(steps: (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) {
    clock.set(start)
    runs += 1
    const stores = storesOver(services().database)
    const companies: Company[] = []
    for (const timeZone of zones) {
      const { id } = await services().advertisers.add('Harbour', undefined, timeZone)
      const stored = { choice: null, months: null, next: null, changesAt: null }
      companies.push({
        id,
        timeZone,
        stored,
        announced: undefined,
        wanted: [{ from: clock(), months: null }],
      })
    }
    const [first] = companies
    const people: Person[] = []
    for (const name of ['a', 'b', 'c']) {
      const id = `model-${runs}-${name}`
      await addCandidate(services(), id)
      people.push({ id, isGone: false })
    }
    const applications: Application[] = []
    let bounds = settings[0] as RetentionBounds
    const limits = { erasureBatch: 3, clockSteadyMs: dayMs }
    const lookAtTime = steadily(clock)
    // The companies of earlier sequences stay as they are.
    const store: typeof stores.retention = {
      ...stores.retention,
      companies: (after, limit) => stores.retention.companies(Math.max(after, (first?.id ?? 1) - 1), limit),
    }
    const retention = () => createRetention({ store, bounds, timeZone: 'UTC', clock, lookAtTime, limits })
    const forget = async () => {}
    const erasure = createErasure({ store: stores.erasures, forget, clock, lookAtTime, limits })

    const kept = (company: Company) => applications.filter(each => each.company === company && !each.isErased)
    const settle = (company: Company, choice = company.stored.choice) => {
      const isEmpty = kept(company).length === 0
      const { months } = company.stored
      company.stored = resolvePeriod({ ...company.stored, choice }, bounds, { now: clock(), isEmpty })
      if (isShorter(months, company.stored.months))
        for (const each of kept(company)) each.dueByPeriodAt = null
    }
    const dueOf = ({ plannedAt, dueByPeriodAt }: Application) =>
      Math.min(plannedAt ?? Number.POSITIVE_INFINITY, dueByPeriodAt ?? Number.POSITIVE_INFINITY)
    const endOf = (
      { company, submittedAt, keptUntil }: Application,
      period = periodAt(company.stored, clock()),
    ) => dueAt(submittedAt, period, company.timeZone, keptUntil) ?? Number.POSITIVE_INFINITY

    /** Whatever was wanted in the last 14 days, the application would be due by now. Knows none of the rules. */
    function assertAnnounced({ company, submittedAt }: Application, now: number): void {
      const since = Math.max(now - 14 * dayMs, submittedAt)
      for (const [index, { months }] of company.wanted.entries()) {
        const until = company.wanted[index + 1]?.from ?? Number.POSITIVE_INFINITY
        if (until <= since) continue
        const end = dueAt(submittedAt, { months, change: null }, company.timeZone)
        assert.ok(end !== null && end <= now, 'nothing goes without notice')
      }
    }

    /** The first half of a run. What the candidate has planned goes with the period, whatever becomes of that. */
    async function plan(): Promise<void> {
      await retention().run()
      for (const company of companies) settle(company)
      for (const each of applications.filter(({ isErased }) => !isErased)) {
        const isDue = !each.isHeld && endOf(each) <= clock()
        if (each.plannedAt === null)
          each.dueByPeriodAt = isDue ? (each.dueByPeriodAt ?? clock() + dayMs) : null
        else if (isDue) each.plannedAt = Math.min(each.plannedAt, clock() + dayMs)
      }
    }

    async function run(): Promise<void> {
      await plan()
      await erasure.run()
      const now = clock()
      for (const each of applications)
        if (!each.isHeld && !each.isErased && dueOf(each) <= now) {
          each.isErased = true
          if ((each.plannedAt ?? Number.POSITIVE_INFINITY) > now) assertAnnounced(each, now)
        }
      for (const company of companies) {
        const { announced } = company
        if (announced === undefined || announced.at > now) continue
        company.announced = undefined
        for (const each of applications.filter(({ id }) => announced.ids.includes(id)))
          assert.ok(
            each.isErased || each.isHeld || Math.min(dueOf(each), now + dayMs) === dueOf(each),
            'it was announced',
          )
      }
      const found = await services()
        .database.reader.selectFrom('applications')
        .select('id')
        .where(
          'advertiser_id',
          'in',
          companies.map(({ id }) => id),
        )
        .where('erased_at', 'is not', null)
        .orderBy('id')
        .execute()
      const erased = applications.filter(({ isErased }) => isErased).map(({ id }) => id)
      assert.deepEqual(
        found.map(({ id }) => id),
        erased.toSorted((a, b) => a - b),
      )
    }

    /** The page and the command show what the model expects. */
    async function compare(company: Company): Promise<void> {
      const shown = await retention().of(company.id)
      const isEmpty = kept(company).length === 0
      const stored = resolvePeriod(company.stored, bounds, { now: clock(), isEmpty })
      assert.deepEqual({ months: shown.months, change: shown.change }, periodAt(stored, clock()))
      if (shown.plan === undefined) return
      const { at, count, onHold } = shown.plan
      const going = kept(company).filter(each => endOf(each, periodAt(stored, clock())) <= at)
      assert.deepEqual(
        { count, onHold },
        {
          count: going.filter(({ isHeld }) => !isHeld).length,
          onHold: going.filter(({ isHeld }) => isHeld).length,
        },
      )
    }

    /** The candidate wants it gone by then. */
    function planFor(application: Application, eraseAt: number): void {
      const { plannedAt, dueByPeriodAt } = application
      application.plannedAt = Math.min(plannedAt ?? eraseAt, dueByPeriodAt ?? eraseAt, eraseAt)
    }

    /** After a change of the period by the company. */
    function announce(company: Company): void {
      const { change } = periodAt(company.stored, clock())
      const ids =
        change === null
          ? []
          : kept(company)
              .filter(each => endOf(each) <= change.at)
              .map(({ id }) => id)
      company.announced = change === null ? undefined : { at: change.at, ids }
    }

    for (const { do: what, which: number, ...more } of steps) {
      const company = companies[number % companies.length] as Company
      const person = people[number % people.length] as Person
      const application = applications[number % Math.max(applications.length, 1)]
      const about = application && ([application.company.id, application.id] as const)
      if (what === 'wait') clock.advance(number)
      if (what === 'run') await run()
      if (what === 'plan') await plan()
      if (what === 'operate') {
        bounds = settings[number % settings.length] as RetentionBounds
        // This may be another period than the one that was announced.
        for (const each of companies) each.announced = undefined
        await run()
        for (const each of companies) announce(each)
      }
      if (what === 'arrive' && !person.isGone) {
        const { id, submittedAt } = await services().submissions.add(company.id, plainDraft())
        const job = { job_ad_id: 1, job_title: '', job_location: '', advertiser_name: '' }
        const sent = { advertiser_id: company.id, application_id: id, submitted_at: submittedAt }
        await services()
          .database.writer.insertInto('own_applications')
          .values({ candidate_id: person.id, form_key: String(id), ...sent, ...job })
          .execute()
        const keptUntil = number % 3 === 0 ? keepUntil(clock(), 1 + (number % 8), company.timeZone) : null
        if (keptUntil !== null)
          await services()
            .database.writer.insertInto('kept_applications')
            .values({ advertiser_id: company.id, application_id: id, until: keptUntil, reminded_at: null })
            .execute()
        const state = { keptUntil, plannedAt: null, dueByPeriodAt: null, isHeld: false, isErased: false }
        applications.push({ id, company, person, submittedAt, ...state })
      }
      if (what === 'choose') {
        const months = ('months' in more && more.months) || null
        const isAllowed = months === null || (months >= bounds.min && months <= bounds.max)
        if (isAllowed) {
          await retention().choose(company.id, months)
          settle(company, months)
          announce(company)
        } else await assert.rejects(retention().choose(company.id, months), /period of/)
      }
      if (what === 'takeBack') {
        const period = periodAt(company.stored, clock())
        const before = period.change === null ? undefined : choiceBefore(period, bounds)
        const taken = retention().takeBack(company.id)
        await (before === undefined ? assert.rejects(taken, /no change that could/) : taken)
        if (before !== undefined) {
          settle(company, before)
          announce(company)
        }
      }
      if (application && about && what === 'hold') {
        const placed = { reason: 'A dispute', placedAt: clock(), placedBy: null }
        const outcome = await stores.holds.place(...about, placed)
        assert.equal(outcome, application.isErased ? 'erased' : application.isHeld ? 'already' : 'placed')
        application.isHeld = !application.isErased
        application.dueByPeriodAt = null
      }
      if (application && about && what === 'release') {
        const isReleased = await stores.holds.release(...about, { actorId: null, at: clock() })
        assert.equal(isReleased, application.isHeld)
        application.isHeld = false
      }
      if (application && what === 'endKeeping' && !application.person.isGone) {
        const isEnded = await stores.ownApplications.endKeeping(
          application.person.id,
          application.id,
          clock(),
        )
        assert.equal(isEnded, application.keptUntil !== null && !application.isErased)
        application.keptUntil = null
      }
      if (application && what === 'withdraw' && !application.person.isGone) {
        const eraseAt = clock() + 10 * dayMs
        const times = { now: clock(), eraseAt }
        const outcome = await stores.ownApplications.withdraw(application.person.id, application.id, times)
        if (outcome === 'withdrawn') {
          application.keptUntil = null
          planFor(application, eraseAt)
        }
      }
      if (what === 'leave' && !person.isGone) {
        const eraseAt = clock() + 20 * dayMs
        await stores.accountRemoval.remove(person.id, '', { now: clock(), eraseAt })
        person.isGone = true
        for (const each of applications.filter(({ person: of }) => of === person)) planFor(each, eraseAt)
      }
      for (const each of companies)
        each.wanted.push({ from: clock(), months: chosenMonths(each.stored.choice, bounds) })
      await compare(company)
    }
    for (const each of applications)
      if (each.isHeld) {
        await stores.holds.release(each.company.id, each.id, { actorId: null, at: clock() })
        each.isHeld = false
      }
    await run()
    clock.advance(dayMs)
    await run()
  }
})
