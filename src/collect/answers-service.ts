import { Problem } from '../platform/core/problems.ts'
import type { AnswerStore } from './answers-store.ts'
import { type TypedAnswers, typedAnswers } from './typed-answers.ts'

/** Limit: Answers in one page of the feed, unless those of a single application are larger. The rest follows on the next page. */
const pageAnswerBytes = 4 * 1024 * 1024

export type TypedAnswersReader = ReturnType<typeof createTypedAnswers>

/** Questions and answers of applications, with their kinds, for the company's programs. */
export function createTypedAnswers({ store }: { store: AnswerStore }) {
  return {
    async one(advertiserId: number, applicationId: number): Promise<TypedAnswers> {
      const [found] = await store.find(advertiserId, [applicationId])
      if (found === undefined) throw new Problem('not-found')
      return typedAnswers(found)
    },

    /**
     * Answers by application, in this order, as far as they fit; omits applications that the advertiser does not have.
     * `next` is the first unread one, if any: at least one always fits.
     */
    async of(
      advertiserId: number,
      applicationIds: readonly number[],
    ): Promise<{ found: Map<number, TypedAnswers>; next: number | undefined }> {
      const sizes = await store.sizes(advertiserId, applicationIds)
      let bytes = 0
      const end = applicationIds.findIndex((id, index) => {
        bytes += sizes.get(id) ?? 0
        return index > 0 && bytes > pageAnswerBytes
      })
      const found = await store.find(advertiserId, end < 0 ? applicationIds : applicationIds.slice(0, end))
      return {
        found: new Map(found.map(each => [each.applicationId, typedAnswers(each)])),
        next: applicationIds[end],
      }
    },
  }
}
