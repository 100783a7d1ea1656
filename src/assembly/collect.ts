import type { RouteOptions } from 'fastify'
import { createErasure } from '../collect/erasure/service.ts'
import { createProgress } from '../collect/progress/service.ts'
import { createReads } from '../collect/reads/service.ts'
import { createHolds } from '../collect/retention/holds-service.ts'
import { createRetention } from '../collect/retention/service.ts'
import { applicationRoutes } from '../collect/routes.ts'
import { createFinding } from '../collect/search/service.ts'
import { createApplications } from '../collect/service.ts'
import type { Clock } from '../core/clock.ts'
import { createApplicationStore } from '../storage/collect/application-store.ts'
import { createCountStore } from '../storage/collect/count-store.ts'
import { createErasureStore } from '../storage/collect/erasure-store.ts'
import { createHoldStore } from '../storage/collect/hold-store.ts'
import { createProgressStore } from '../storage/collect/progress-store.ts'
import { createReadStore } from '../storage/collect/read-store.ts'
import { createRetentionStore } from '../storage/collect/retention-store.ts'
import { createApplicationSearch } from '../storage/collect/search-store.ts'
import type { JobModule } from './jobs.ts'
import type { Platform } from './platform.ts'
import type { Web } from './web.ts'

export type CollectModule = ReturnType<typeof openCollect>

/** An advertiser, or an agent acting for it, reads the applications made to it. */
export function openCollect(
  { config, database, blobs, background, clock, limits }: Platform,
  { questionnaireStore }: JobModule,
) {
  const store = createApplicationStore(database)
  const progress = createProgressStore(database)
  return {
    applications: createApplications({
      store,
      blobs,
      clock,
      limits,
      holdUnscanned: config.CLAMD_URL !== undefined && config.UNSCANNED === 'hold',
    }),
    finding: createFinding({
      search: createApplicationSearch(database),
      store,
      questionnaires: questionnaireStore,
      progress,
      limits,
    }),
    counts: createCountStore(database),
    progress: createProgress({ store: progress, clock, limits }),
    progressAt: (time: Clock) => createProgress({ store: progress, clock: time, limits }),
    reads: createReads({ store: createReadStore(database), background, clock, limits }),
    erasure: createErasure({
      store: createErasureStore(database),
      forget: database.forget,
      clock,
      limits,
    }),
    retention: createRetention({
      store: createRetentionStore(database),
      bounds: config.retention,
      timeZone: config.TIME_ZONE,
      clock,
      limits,
    }),
    holds: createHolds({ store: createHoldStore(database), clock, limits }),
  }
}

export function collectRoutes(
  { applications, reads }: CollectModule,
  { limits, slots, baseUrl }: Web,
): RouteOptions[] {
  return applicationRoutes({
    applications,
    reads,
    baseUrl,
    wholeLists: slots('whole-list', limits.wholeListsPerCredential),
    limits,
  })
}
