import type { Clock } from '../../platform/core/clock.ts'
import type { LookAtTime, WorkDone } from '../../platform/core/task-ports.ts'
import { expiryBatch } from '../../platform/core/task-ports.ts'
import { firstNoticeAfterMs, givenUpNoticeEveryMs, noticesDue, stopNoticeNumber } from './schedule-rules.ts'
import type { WebhookUpkeepStore } from './webhook-upkeep-store.ts'

/** Limit: Days for which failed webhooks and hourly counts are kept. */
const webhookLogDays = 30
/** Limit: Failed webhooks kept per endpoint. */
const webhookFailuresKept = 10_000
/** Limit: Accepted webhooks kept per endpoint. The progress shows whether an event has arrived. */
const webhookSuccessesKept = 100

/**
 * Notifies admins of failing endpoints and failed events, stops endpoints that have failed for days, and removes old
 * rows of the log.
 */
export function createWebhookUpkeep(deps: {
  store: WebhookUpkeepStore
  clock: Clock
  lookAtTime: LookAtTime
}) {
  const { store, clock } = deps
  return {
    async run(): Promise<WorkDone> {
      const asked = clock()
      const isInDoubt = (await deps.lookAtTime()).pausedMs > 0
      // Use the earlier time, so that a clock that changes during the check makes nothing look old.
      const now = Math.min(asked, clock())
      if (!isInDoubt) await store.correctTimes(now)
      let told = 0
      let stopped = 0
      for (const endpoint of await store.failing(firstNoticeAfterMs)) {
        const { isStopped, failingSince, failedAt } = endpoint
        // A clock that was ahead for one attempt makes a failure look days old, and the notice would stop the endpoint.
        if (isInDoubt && !isStopped) continue
        const notice = isStopped ? stopNoticeNumber : noticesDue(failingSince, failedAt)
        const isLast = notice === stopNoticeNumber
        if (notice <= endpoint.told || !(await store.tell(endpoint, notice, isLast, now))) continue
        told += 1
        if (isLast) stopped += 1
      }
      const givenUp = await store.notifyGivenUp(now, givenUpNoticeEveryMs)
      if (isInDoubt) return { did: { told, stopped, givenUp } }
      const before = now - webhookLogDays * 86_400_000
      const attempts = await store.prune(before, webhookFailuresKept, webhookSuccessesKept)
      const lanes = await store.removeEnded(before, expiryBatch)
      return { did: { told, stopped, givenUp, attempts, lanes } }
    },
  }
}
