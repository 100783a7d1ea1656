import type { ApplicationDraft } from '../model/application.ts'
import type { Clock } from '../platform/core/clock.ts'
import type { Receipt } from './add-application-store.ts'
import { prepareApplication } from './new-application.ts'
import type { SubmissionStore } from './submission-store.ts'

/** Stores applications, each in one durable step. The bytes of their files are already in the blob store. */
export function createSubmissions(deps: { store: SubmissionStore; clock: Clock }) {
  const { store, clock } = deps
  return {
    async add(advertiserId: number, draft: ApplicationDraft): Promise<Receipt> {
      return store.add(advertiserId, prepareApplication(draft), clock())
    },
  }
}
