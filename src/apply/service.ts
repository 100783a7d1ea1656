import type { Clock } from '../core/clock.ts'
import type { ApplicationDraft } from '../model/application.ts'
import type { DraftLimits } from './draft-check.ts'
import { prepareApplication } from './new-application.ts'
import type { Receipt, SubmissionStore } from './ports.ts'

/** Stores applications, each in one durable step. The bytes of their files are already in the blob store. */
export function createSubmissions(deps: { store: SubmissionStore; clock: Clock; limits: DraftLimits }) {
  const { store, clock, limits } = deps
  return {
    async add(advertiserId: number, draft: ApplicationDraft): Promise<Receipt> {
      return store.add(advertiserId, prepareApplication(draft, limits), clock())
    },
  }
}
