import { setTimeout as sleep } from 'node:timers/promises'
import type { RouteOptions } from 'fastify'
import { createDrafts } from '../apply/form/draft-service.ts'
import { createDraftStore } from '../apply/form/draft-store.ts'
import { createOwnApplicationStore } from '../apply/form/own-application-store.ts'
import { createOwnRetention } from '../apply/form/own-retention-service.ts'
import { createOwnRetentionStore } from '../apply/form/own-retention-store.ts'
import { applyPages } from '../apply/form/pages.ts'
import { createApplyForm } from '../apply/form/service.ts'
import { createImportFiles } from '../apply/import/import-file-adapter.ts'
import { createImportStore } from '../apply/import/import-store.ts'
import { createImports } from '../apply/import/service.ts'
import { intakeRoutes } from '../apply/intake/routes.ts'
import { createIntake } from '../apply/intake/service.ts'
import { createSubmissions } from '../apply/service.ts'
import { createSubmissionStore } from '../apply/submission-store.ts'
import { accountNavigation } from '../people/account/navigation-markup.ts'
import type { Clock } from '../platform/core/clock.ts'
import type { AccountModule } from './accounts.ts'
import type { CollectModule } from './collect.ts'
import type { CompanyModule } from './companies.ts'
import type { JobModule } from './jobs.ts'
import type { Platform } from './platform.ts'
import type { Web } from './web.ts'

/** Limit: Draft saves per person; the script saves at most every five seconds. */
const draftSavesPerHour = 1_000
/** Limit: Draft saves per minute and network address, which an office may share. */
const draftSavesPerNetworkPerMinute = 300

export type ApplyModule = ReturnType<typeof openApply>

/** Receives applications: from the form here, from a job board, or with an imported history. */
export function openApply(
  { config, database, blobs, files, checkArchive, background, clock, limits, log }: Platform,
  { boardAccess }: CompanyModule,
  { jobAdStore, questionnaireStore, intakeStore, jobBoard }: JobModule,
  { candidateStore }: AccountModule,
  { erasure, reads }: CollectModule,
) {
  const ownApplications = createOwnApplicationStore(database)
  const drafts = createDrafts({
    store: createDraftStore(database),
    sent: ownApplications,
    files,
    clock,
    limits,
  })
  const { retention: bounds, TIME_ZONE: timeZone } = config
  const ownRetention = createOwnRetention({
    store: createOwnRetentionStore(database),
    bounds,
    timeZone,
    clock,
  })
  const submissionsAt = (time: Clock) =>
    createSubmissions({ store: createSubmissionStore(database), clock: time })
  return {
    ownApplications,
    drafts,
    ownRetention,
    submissionsAt,
    submissions: submissionsAt(clock),
    applyForm: createApplyForm({
      store: ownApplications,
      drafts,
      jobBoard,
      candidates: candidateStore,
      files,
      blobs,
      erasure,
      background,
      flushReads: reads.flush,
      ownRetention,
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
      log,
    }),
    imports: createImports({
      store: createImportStore(database),
      importFiles: createImportFiles(),
      files,
      checkArchive,
      clock,
      limits,
    }),
  }
}

export function applyRoutes(apply: ApplyModule, web: Web): RouteOptions[] {
  return [
    ...applyPages({
      ...apply,
      ...web,
      navigation: accountNavigation('/account/applications'),
      forms: web.hourlyLimit('applications', web.limits.applicationsPerHour),
      saves: web.hourlyLimit('drafts', draftSavesPerHour),
      savesOfNetwork: web.rateLimit('drafts-of-network', draftSavesPerNetworkPerMinute),
    }),
    ...intakeRoutes({ ...apply, ...web }),
  ]
}
