import type { RouteOptions } from 'fastify'
import { type JobPageDeps, jobPages } from '../jobs/pages.ts'
import { jobRoutes } from '../jobs/routes.ts'
import { createJobs, createQuestionnaires } from '../jobs/service.ts'
import { createPostingLists } from '../storage/advertisers/posting-list-store.ts'
import {
  createJobAdStore,
  createJobBoard,
  createQuestionnaireStore,
} from '../storage/advertisers/posting-store.ts'
import { createIntakeStore } from '../storage/apply/intake-store.ts'
import type { AdvertiserModule } from './advertisers.ts'
import type { Platform } from './platform.ts'
import type { Web } from './web.ts'

export type JobModule = ReturnType<typeof openJobs>

export function openJobs({ database, clock, limits }: Platform) {
  const jobAdStore = createJobAdStore(database)
  const questionnaireStore = createQuestionnaireStore(database)
  const intakeStore = createIntakeStore(database)
  const common = { keys: intakeStore, clock, limits }
  return {
    jobAdStore,
    questionnaireStore,
    intakeStore,
    jobs: createJobs({ store: jobAdStore, questionnaires: questionnaireStore, ...common }),
    questionnaires: createQuestionnaires({ store: questionnaireStore, ...common }),
    postingLists: createPostingLists(database),
    jobBoard: createJobBoard(database),
  }
}

/** The board that everyone can read, and the API that job boards put ads and questionnaires on it with. */
export function jobModuleRoutes(
  {
    jobs,
    questionnaires,
    jobBoard,
    boardAccess,
    ownApplications,
  }: JobModule & AdvertiserModule & { ownApplications: { lastFor: JobPageDeps['lastApplied'] } },
  { clock, limits, baseUrl, authUrl, sessions }: Web,
): RouteOptions[] {
  return [
    ...jobRoutes({ jobs, questionnaires, access: boardAccess, baseUrl, clock, limits }),
    ...jobPages({ board: jobBoard, lastApplied: ownApplications.lastFor, sessions, clock, authUrl, limits }),
  ]
}
