import { setTimeout as sleep } from 'node:timers/promises'
import type { RouteOptions } from 'fastify'
import { createKeeping } from '../apply/form/keeping-service.ts'
import { applyPages } from '../apply/form/pages.ts'
import { createApplying } from '../apply/form/service.ts'
import { createImports } from '../apply/import/service.ts'
import { intakeRoutes } from '../apply/intake/routes.ts'
import { createIntake } from '../apply/intake/service.ts'
import { createSubmissions } from '../apply/service.ts'
import type { Clock } from '../core/clock.ts'
import { accountNavigation } from '../people/account/navigation-markup.ts'
import { createImportFiles } from '../storage/apply/import-file.ts'
import { createImportStore } from '../storage/apply/import-store.ts'
import { createKeepingStore } from '../storage/apply/keeping-store.ts'
import { createOwnApplicationStore } from '../storage/apply/own-application-store.ts'
import { createSubmissionStore } from '../storage/apply/submission-store.ts'
import type { AccountModule } from './accounts.ts'
import type { AdvertiserModule } from './advertisers.ts'
import type { CollectModule } from './collect.ts'
import type { JobModule } from './jobs.ts'
import type { Platform } from './platform.ts'
import type { Web } from './web.ts'

export type ApplyModule = ReturnType<typeof openApply>

/** An application comes in: by the form here, from a job board, or with an imported history. */
export function openApply(
  { config, database, blobs, files, checkArchive, background, clock, limits, log }: Platform,
  { boardAccess }: AdvertiserModule,
  { jobAdStore, questionnaireStore, intakeStore, jobBoard }: JobModule,
  { candidateStore }: AccountModule,
  { erasure, reads }: CollectModule,
) {
  const ownApplications = createOwnApplicationStore(database)
  const { retention: bounds, TIME_ZONE: timeZone } = config
  const keeping = createKeeping({ store: createKeepingStore(database), bounds, timeZone, clock })
  const submissionsAt = (time: Clock) =>
    createSubmissions({ store: createSubmissionStore(database), clock: time, limits })
  return {
    ownApplications,
    keeping,
    submissionsAt,
    submissions: submissionsAt(clock),
    applying: createApplying({
      store: ownApplications,
      jobBoard,
      candidates: candidateStore,
      files,
      blobs,
      erasure,
      background,
      flushReads: reads.flush,
      keeping,
      clock,
      withdrawnDays: config.WITHDRAWN_DAYS,
      limits,
    }),
    intake: createIntake({
      store: intakeStore,
      access: boardAccess,
      jobAds: jobAdStore,
      questionnaires: questionnaireStore,
      files,
      background,
      clock,
      pause: sleep,
      limits,
      log,
    }),
    imports: createImports({
      store: createImportStore(database),
      importFiles: createImportFiles(limits),
      files,
      checkArchive,
      clock,
      limits,
    }),
  }
}

export function applyRoutes(
  { applying, intake }: ApplyModule,
  { clock, limits, sessions, rateLimit }: Web,
): RouteOptions[] {
  const navigation = accountNavigation('/account/applications')
  return [
    ...applyPages({
      applying,
      sessions,
      navigation,
      forms: rateLimit('applications', limits.applicationsPerHour, 3600),
      clock,
      limits,
    }),
    ...intakeRoutes({ intake, limits }),
  ]
}
