import type { RouteOptions } from 'fastify'
import { answersRoutes } from '../collect/answers-routes.ts'
import { createTypedAnswers } from '../collect/answers-service.ts'
import { createAnswerStore } from '../collect/answers-store.ts'
import { createApplicationStore } from '../collect/application-store.ts'
import { createCountStore } from '../collect/count-store.ts'
import { createErasureStore } from '../collect/erasure/erasure-store.ts'
import { createErasure } from '../collect/erasure/service.ts'
import { createProgressStore } from '../collect/progress/progress-store.ts'
import { createProgressReports } from '../collect/progress/report-service.ts'
import { progressRoute } from '../collect/progress/routes.ts'
import { createProgress } from '../collect/progress/service.ts'
import { createReadStore } from '../collect/reads/read-store.ts'
import { createReads } from '../collect/reads/service.ts'
import { createHoldStore } from '../collect/retention/hold-store.ts'
import { createHolds } from '../collect/retention/holds-service.ts'
import { createRetentionStore } from '../collect/retention/retention-store.ts'
import { createRetention } from '../collect/retention/service.ts'
import { applicationRoutes } from '../collect/routes.ts'
import { createApplicationSearchStore } from '../collect/search/search-store.ts'
import { createApplicationSearch } from '../collect/search/service.ts'
import { createApplications } from '../collect/service.ts'
import type { Clock } from '../platform/core/clock.ts'
import type { JobModule } from './jobs.ts'
import type { Platform } from './platform.ts'
import type { Web } from './web.ts'

export type CollectModule = ReturnType<typeof openCollect>

/** An advertiser, or an agent acting for it, reads its applications. */
export function openCollect(
  { config, database, blobs, background, clock, steadyTimes }: Platform,
  { questionnaireStore }: JobModule,
) {
  const store = createApplicationStore(database)
  const progress = createProgressStore(database)
  return {
    applications: createApplications({
      store,
      blobs,
      clock,
      holdUnscanned: config.CLAMD_URL !== undefined && config.UNSCANNED === 'hold',
    }),
    applicationSearch: createApplicationSearch({
      search: createApplicationSearchStore(database),
      store,
      questionnaires: questionnaireStore,
      progress,
    }),
    answers: createTypedAnswers({ store: createAnswerStore(database) }),
    counts: createCountStore(database),
    progress: createProgress({ store: progress, clock }),
    progressReports: createProgressReports({ store: progress, clock }),
    progressAt: (time: Clock) => createProgress({ store: progress, clock: time }),
    reads: createReads({ store: createReadStore(database), background, clock }),
    erasure: createErasure({
      store: createErasureStore(database),
      forget: database.forget,
      lookAtTime: steadyTimes.look,
      clock,
    }),
    retention: createRetention({
      store: createRetentionStore(database),
      bounds: config.retention,
      timeZone: config.TIME_ZONE,
      lookAtTime: steadyTimes.look,
      clock,
    }),
    holds: createHolds({ store: createHoldStore(database), clock }),
  }
}

export function collectRoutes(collect: CollectModule, web: Web): RouteOptions[] {
  const wholeLists = web.slots('whole-list', web.limits.wholeListsPerCredential)
  return [
    ...applicationRoutes({ ...collect, ...web, wholeLists }),
    ...answersRoutes(collect),
    progressRoute(collect.progressReports),
  ]
}
