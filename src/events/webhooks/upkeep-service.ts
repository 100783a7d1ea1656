import type { Clock } from '../../core/clock.ts'
import type { Limits } from '../../limits.ts'
import type { WorkDone } from '../../work/ports.ts'
import type { WebhookUpkeepStore } from './ports.ts'
import { firstNoticeAfterMs, noticesDue, stopNotice } from './schedule-rules.ts'

/** Tells admins of endpoints that fail, stops those that have failed for days, and removes old rows of the log. */
export function createWebhookUpkeep(deps: {
  store: WebhookUpkeepStore
  clock: Clock
  limits: Pick<Limits, 'webhookLogDays' | 'webhookFailuresKept' | 'webhookSuccessesKept' | 'expiryBatch'>
}) {
  const { store, clock, limits } = deps
  return {
    async run(): Promise<WorkDone> {
      const now = clock()
      let told = 0
      let stopped = 0
      for (const endpoint of await store.failing(firstNoticeAfterMs)) {
        const { isStopped, failingSince, failedAt } = endpoint
        const notice = isStopped ? stopNotice : noticesDue(failingSince, failedAt)
        const isLast = notice === stopNotice
        if (notice <= endpoint.told || !(await store.tell(endpoint, notice, isLast, now))) continue
        told += 1
        if (isLast) stopped += 1
      }
      const before = now - limits.webhookLogDays * 86_400_000
      const attempts = await store.prune(before, limits.webhookFailuresKept, limits.webhookSuccessesKept)
      const lanes = await store.removeEnded(before, limits.expiryBatch)
      return { did: { told, stopped, attempts, lanes } }
    },
  }
}
