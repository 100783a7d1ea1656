import type { RouteOptions } from 'fastify'
import { createIntakeStore } from '../apply/intake/intake-store.ts'
import { createAdVersions } from '../jobs/ad-version-service.ts'
import { createAdVersionStore } from '../jobs/ad-version-store.ts'
import { type JobPageDeps, jobPages } from '../jobs/pages.ts'
import { createPostingLists } from '../jobs/posting-list-store.ts'
import { createJobAdStore, createJobBoard, createQuestionnaireStore } from '../jobs/posting-store.ts'
import { reportPages } from '../jobs/reports/pages.ts'
import { createReportStore } from '../jobs/reports/report-store.ts'
import { createReports } from '../jobs/reports/service.ts'
import { jobRoutes } from '../jobs/routes.ts'
import { createJobs, createQuestionnaires } from '../jobs/service.ts'
import type { CompanyModule } from './companies.ts'
import type { Platform } from './platform.ts'
import type { Web } from './web.ts'

/** Limit: Reports of jobs per hour from one network address, or from a household's IPv6 network. */
const reportsPerNetwork = 10
/** Limit: Reports of jobs per hour in total, so that a swarm of machines cannot fill the queue. */
const reportsInAll = 300

export type JobModule = ReturnType<typeof openJobs>

export function openJobs({ config, database, clock, limits }: Platform) {
  const jobAdStore = createJobAdStore(database, config.AD_REVIEW === 'new-companies', config.TIME_ZONE)
  const questionnaireStore = createQuestionnaireStore(database, config.TIME_ZONE)
  const intakeStore = createIntakeStore(database)
  const jobBoard = createJobBoard(database, config.TIME_ZONE)
  const reportStore = createReportStore(database, config.TIME_ZONE)
  const common = { keys: intakeStore, clock, limits }
  return {
    jobAdStore,
    questionnaireStore,
    intakeStore,
    jobs: createJobs({
      store: jobAdStore,
      questionnaires: questionnaireStore,
      adRules: config.AD_RULES,
      ...common,
    }),
    questionnaires: createQuestionnaires({ store: questionnaireStore, ...common }),
    postingLists: createPostingLists(database),
    adVersions: createAdVersions(createAdVersionStore(database, config.TIME_ZONE), clock),
    jobBoard,
    reportStore,
    reports: createReports({ store: reportStore, board: jobBoard, clock }),
  }
}

/** The public job board, and the API with which job boards publish ads and questionnaires on it. */
export function jobModuleRoutes(
  jobs: JobModule,
  { boardAccess }: CompanyModule,
  { ownApplications }: { ownApplications: { lastFor: JobPageDeps['lastApplied'] } },
  web: Web,
): RouteOptions[] {
  return [
    ...jobRoutes({ ...jobs, ...web, access: boardAccess, adRules: web.config.AD_RULES }),
    ...jobPages({ ...web, board: jobs.jobBoard, lastApplied: ownApplications.lastFor }),
    ...reportPages({
      ...web,
      reports: jobs.reports,
      reportLimits: {
        ofNetwork: web.hourlyLimit('reports', reportsPerNetwork),
        ofAll: web.hourlyLimit('all-reports', reportsInAll),
      },
      policy: { url: web.config.BOARD_REPORT_POLICY_URL, text: web.config.BOARD_REPORT_POLICY },
      isMailOn: web.mailer !== undefined,
    }),
  ]
}
