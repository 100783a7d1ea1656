import { answerDueBefore, standardAnswerDays } from '../../model/unanswered.ts'
import type { Clock } from '../../platform/core/clock.ts'
import type { GoesOn, WorkDone } from '../../platform/core/task-ports.ts'
import type { ApplicationSearch } from './service.ts'
import type { UnansweredStore } from './unanswered-store.ts'

/** Limit: How often background work counts the unanswered applications of each company. */
export const unansweredEverySeconds = 1_800
/** Limit: Unanswered applications of a company that the operator's page and metric count: 20 ms of SQLite. */
export const unansweredCounted = 10_000

const companiesAtOnce = 100

/** Counts the unanswered applications of each company for the operator, so that neither a page nor a scrape counts them. */
export function createUnansweredCounts(deps: {
  store: UnansweredStore
  search: Pick<ApplicationSearch, 'countUnanswered'>
  clock: Clock
}) {
  const { store, search, clock } = deps
  return {
    async run(goesOn: GoesOn = async () => true): Promise<WorkDone> {
      let changed = 0
      for (let after = 0; ; ) {
        const companies = await store.companies(after, companiesAtOnce)
        for (const { advertiserId, answerDays, unanswered } of companies) {
          const before = answerDueBefore(clock(), answerDays ?? standardAnswerDays)
          const { count } = await search.countUnanswered(advertiserId, before, unansweredCounted)
          if (count === unanswered) continue
          await store.record(advertiserId, count)
          changed++
        }
        const last = companies.at(-1)
        if (last === undefined || companies.length < companiesAtOnce || !(await goesOn()))
          return { did: { changed } }
        after = last.advertiserId
      }
    },
  }
}
