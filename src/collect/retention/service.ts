import {
  choiceBefore,
  chosenMonths,
  dueAt,
  dueBefore,
  type Period,
  periodAt,
  type RetentionBounds,
  resolvePeriod,
  retentionNoticeMs,
  type StoredPeriod,
} from '../../model/retention.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { Problem } from '../../platform/core/problems.ts'
import { clockSteadyMs } from '../../platform/core/steady-time-rules.ts'
import type { GoesOn, LookAtTime, WorkDone } from '../../platform/core/task-ports.ts'
import { dayIn, zoneOr } from '../../platform/core/time/time-zone.ts'
import { erasureBatch } from '../erasure/service.ts'
import type { CompanyPeriod, KeptBefore, RetentionStore } from './retention-store.ts'

const defaultBounds = { erasureBatch, clockSteadyMs }

/** How long before the end of their consent candidates are reminded. */
const reminderMs = 30 * 86_400_000

/** Applications to be erased until `at`: those sent before `before`, except applications on hold or kept for other jobs. */
export interface Plan extends KeptBefore {
  at: EpochMs
  before: EpochMs
}

export interface CompanyPlan extends Period {
  advertiserId: number
  name: string
  timeZone: string
  /** Null: the operator's default. */
  choice: number | null
  keepMonths: number | null
  /** Erasures until the announced change takes effect, or in the next fourteen days; undefined if everything is kept. */
  plan: Plan | undefined
  canTakeBack: boolean
}

export type Retention = ReturnType<typeof createRetention>

/** How long companies keep applications. Applications that have become due are added to the planned erasures. */
export function createRetention(deps: {
  store: RetentionStore
  bounds: RetentionBounds
  /** The operator's time zone, for companies that have not chosen one. */
  timeZone: string
  clock: Clock
  lookAtTime: LookAtTime
  limits?: Partial<typeof defaultBounds>
}) {
  const { store, bounds, clock } = deps
  const limits = { ...defaultBounds, ...deps.limits }

  /** The company's period from now on, even if a change of the settings has not been recorded yet. */
  const resolved = ({ stored, isEmpty }: CompanyPeriod, choice = stored.choice) =>
    resolvePeriod({ ...stored, choice }, bounds, { now: clock(), isEmpty })

  async function companyOf(advertiserId: number): Promise<CompanyPeriod> {
    const company = await store.find(advertiserId)
    if (company === undefined) throw noSuchAdvertiser(advertiserId)
    return company
  }

  async function planOf(company: CompanyPeriod, stored = resolved(company)): Promise<CompanyPlan> {
    const { advertiserId, name } = company
    const timeZone = zoneOr(company.timeZone, deps.timeZone)
    const now = clock()
    const period = periodAt(stored, now)
    const at = period.change?.at ?? now + retentionNoticeMs
    const months = period.change?.months ?? period.months
    const before = months === null ? undefined : dueBefore(at, months, timeZone)
    return {
      ...period,
      advertiserId,
      name,
      timeZone,
      choice: stored.choice,
      keepMonths: company.keepMonths,
      plan:
        before === undefined
          ? undefined
          : { at, before, ...(await store.keptBefore(advertiserId, before, dayIn(at, timeZone))) },
      canTakeBack: period.change !== null && choiceBefore(period, bounds) !== undefined,
    }
  }

  function assertAllowed(choice: number | null): void {
    if (choice === null || (Number.isInteger(choice) && chosenMonths(choice, bounds) === choice)) return
    const message = `Choose a period of ${bounds.min} to ${bounds.max} months.`
    throw invalidField('months', 'out-of-bounds', message)
  }

  async function change(
    advertiserId: number,
    choose: (stored: StoredPeriod) => number | null,
  ): Promise<CompanyPlan> {
    const company = await store.update(advertiserId, found => resolved(found, choose(found.stored)), clock())
    if (company === undefined) throw noSuchAdvertiser(advertiserId)
    return planOf(company)
  }

  return {
    bounds,

    /** When an application of the company becomes due; null: never. */
    async endOf(
      advertiserId: number,
      { submittedAt, keptUntil }: { submittedAt: EpochMs; keptUntil: string | null },
    ): Promise<EpochMs | null> {
      const company = await companyOf(advertiserId)
      const timeZone = zoneOr(company.timeZone, deps.timeZone)
      return dueAt(submittedAt, periodAt(resolved(company), clock()), timeZone, keptUntil)
    },

    of: async (advertiserId: number): Promise<CompanyPlan> => planOf(await companyOf(advertiserId)),

    /**
     * Companies with an announced shorter period whose admins could not be notified, because all their addresses reject
     * emails.
     */
    untold: (advertiserId?: number): Promise<number[]> =>
      store.untold(clock(), limits.erasureBatch, advertiserId),

    /** The effects of a choice. */
    async preview(advertiserId: number, choice: number | null): Promise<CompanyPlan> {
      assertAllowed(choice)
      const company = await companyOf(advertiserId)
      return planOf(company, resolved(company, choice))
    },

    /** Every company's plan, by ID. */
    async *all(): AsyncGenerator<CompanyPlan> {
      for (let after = 0; ; ) {
        const companies = await store.companies(after, limits.erasureBatch)
        for (const company of companies) yield planOf(company)
        const last = companies.at(-1)
        if (last === undefined || companies.length < limits.erasureBatch) return
        after = last.advertiserId
      }
    },

    /** Null chooses the operator's default. */
    async choose(advertiserId: number, choice: number | null): Promise<CompanyPlan> {
      assertAllowed(choice)
      return change(advertiserId, () => choice)
    },

    /** Cancels an announced change. Throws if none is announced, or if the operator has set it. */
    takeBack: (advertiserId: number): Promise<CompanyPlan> =>
      change(advertiserId, stored => {
        const period = periodAt(stored, clock())
        const before = period.change === null ? undefined : choiceBefore(period, bounds)
        if (before === undefined) throw invalidField('months', 'too-late', nothingToTakeBack)
        return before
      }),

    async run(goesOn: GoesOn = async () => true): Promise<WorkDone> {
      let planned = 0
      let after = 0
      for (;;) {
        if (!(await goesOn())) return { did: { planned } }
        // While the clock is in doubt, an announced period could be put in force too early.
        const { runningMs, pausedMs } = await deps.lookAtTime()
        if (pausedMs > 0) return { did: { planned } }
        const companies = await store.companies(after, limits.erasureBatch)
        for (const found of companies) {
          const { advertiserId } = found
          const company = isSame(found.stored, resolved(found))
            ? found
            : await store.update(advertiserId, company => resolved(company), clock())
          const now = clock()
          const months = company === undefined ? null : periodAt(company.stored, now).months
          if (months === null) continue
          const timeZone = zoneOr(company?.timeZone, deps.timeZone)
          const period = { months, before: dueBefore(now, months, timeZone), day: dayIn(now, timeZone) }
          const plan = { dueAt: now + limits.clockSteadyMs, ripeAt: runningMs + limits.clockSteadyMs }
          for (;;) {
            const count = await store.planErasures(advertiserId, period, plan, limits.erasureBatch)
            planned += count
            if (count < limits.erasureBatch) break
            if (!(await goesOn())) return { did: { planned } }
          }
        }
        const last = companies.at(-1)
        if (last === undefined || companies.length < limits.erasureBatch) break
        after = last.advertiserId
      }
      let reminded = 0
      const now = clock()
      const days = { from: dayIn(now, deps.timeZone), to: dayIn(now + reminderMs, deps.timeZone) }
      for (;;) {
        if (!(await goesOn())) break
        const count = await store.remind(days, now, limits.erasureBatch)
        reminded += count
        if (count < limits.erasureBatch) break
      }
      return { did: { planned, reminded } }
    },
  }
}

const nothingToTakeBack =
  'There is no change that could be taken back: it has taken effect, it was taken back before, or the operator has set it.'

function noSuchAdvertiser(advertiserId: number): Problem {
  return new Problem('not-found', `There is no advertiser ${advertiserId}.`)
}

function isSame(one: StoredPeriod, other: StoredPeriod): boolean {
  return (['choice', 'months', 'next', 'changesAt'] as const).every(name => one[name] === other[name])
}
