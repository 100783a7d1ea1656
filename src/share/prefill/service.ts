import type { Candidate, Resume } from '../../model/candidate.ts'
import { includes } from '../../model/categories.ts'
import type { ClientToken, ProfileToken } from '../../model/principal.ts'
import { BoardProblem } from '../../model/problems.ts'
import { filledCategories } from '../../model/profile.ts'
import { answerReport, type EntryResult } from '../../model/progress-report.ts'
import type { BlobStore, ByteRange, DelegatedDownload, DownloadRequest } from '../../platform/blobs/ports.ts'
import { unscannedRetryAfterSeconds } from '../../platform/blobs/scan-state.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { sha256Hex } from '../../platform/core/hashing.ts'
import { isUuid, newUuid } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import { readCompletionDate } from './completion-request.ts'
import { invalidFields, prefillBody, readPrefillRequest } from './prefill-request.ts'
import { prefillResponse } from './prefill-response.ts'
import type { SharingStore } from './sharing-store.ts'

/** Limit: States on record of one prefilled application. */
const maxStatesOfPrefill = 100

export type Sharing = ReturnType<typeof createSharing>

/** Version 2: returns the data that a candidate has released, and records each disclosure before it happens. */
export function createSharing(deps: {
  store: SharingStore
  candidates: { find(candidateId: string): Promise<Candidate | undefined> }
  blobs: BlobStore
  clock: Clock
  /** If there is a scanner, a resume is not offered before its verdict. */
  hasScanner: boolean
}) {
  const { store, blobs, clock } = deps
  const description = prefillBody()

  const isUnjudged = ({ scan }: Pick<Resume, 'scan'>) =>
    deps.hasScanner && (scan === 'unscanned' || scan === 'not-judged')

  async function offeredResume({ grantId, candidateId, released }: ProfileToken): Promise<string | null> {
    if (!includes(released, 'resume')) return null
    const resume = await store.findChosenResume(grantId, candidateId)
    return resume === undefined || resume.scan === 'infected' || isUnjudged(resume) ? null : resume.id
  }

  return {
    async prefill(token: ProfileToken, body: unknown, baseUrl: string) {
      const request = readPrefillRequest(body, description)
      if (token.advertiserId !== null && token.advertiserId !== request.advertiserId) {
        throw new BoardProblem('token-of-another-advertiser')
      }
      const [candidate, resumeId] = await Promise.all([
        deps.candidates.find(token.candidateId),
        offeredResume(token),
      ])
      if (candidate === undefined) throw new BoardProblem('invalid-token')
      const application = await store.recordPrefill(
        token,
        {
          id: newUuid(),
          retryKey: sha256Hex(JSON.stringify([token.hash, request.advertiserId, request.applicationFormUrl])),
          request,
          resume: resumeId === null ? null : { resumeId, releasedId: newUuid() },
          disclosure: { id: newUuid(), filled: filledCategories(candidate.profile, false) },
        },
        clock(),
      )
      if (application === undefined) throw await whyNotRecorded(token.clientId, request.advertiserId)
      return prefillResponse(application, candidate, baseUrl)
    },

    /** `open` and `delegateDownload` record the download before they return the first byte or the file's URL. */
    async resume(token: ProfileToken, releasedId: string) {
      const mayRead = includes(token.released, 'resume') && isUuid(releasedId)
      const file = mayRead ? await store.findReleasedResume(token.grantId, releasedId) : undefined
      if (file === undefined || file.scan === 'infected') throw new Problem('not-found')
      if (isUnjudged(file)) {
        if (file.scan === 'not-judged') throw new BoardProblem('file-not-judged')
        throw new BoardProblem('not-yet-scanned', undefined, {
          retryAfterSeconds: unscannedRetryAfterSeconds,
        })
      }
      const record = async () => {
        if (await store.recordDownload(token, newUuid(), clock())) return
        // Unticking the resume deletes its identifiers but not the token; a withdrawal revokes only the token.
        const isStillReleased = await store.findReleasedResume(token.grantId, releasedId)
        throw isStillReleased === undefined ? new Problem('not-found') : new BoardProblem('invalid-token')
      }
      return {
        file,
        async delegateDownload(request: DownloadRequest): Promise<DelegatedDownload | undefined> {
          const way = await blobs.delegateDownload?.(file, request)
          if (way !== undefined) await record()
          return way
        },
        async open(range?: ByteRange): Promise<NodeJS.ReadableStream> {
          const content = await blobs.open(file, range)
          try {
            await record()
            return content
          } catch (error) {
            ;(content as NodeJS.ReadableStream & { destroy?(): void }).destroy?.()
            throw error
          }
        },
      }
    },

    async complete(token: ClientToken, applicationId: string, body: unknown): Promise<void> {
      const now = clock()
      const completedAt = readCompletionDate(body, now)
      const isKnown =
        isUuid(applicationId) && (await store.complete(token.clientId, applicationId, completedAt, now))
      if (!isKnown) throw new Problem('not-found')
    },

    /**
     * One result per entry, in the same order. Labels are not stored: only companies with applications here would see
     * them.
     */
    async reportProgress(token: ClientToken, body: unknown): Promise<EntryResult[]> {
      const readId = (sent: unknown) => (typeof sent === 'string' && isUuid(sent) ? sent : undefined)
      const reading = { key: 'prefilledApplicationId', readId, now: clock() } as const
      return answerReport(body, reading, (said, unread) => {
        const entries = said.map(({ id, to, at, reason }) => ({ prefilledApplicationId: id, to, at, reason }))
        return store.reportProgress(token.clientId, entries, { maxStates: maxStatesOfPrefill, unread })
      })
    },
  }

  /** Determines why nothing was recorded; if nothing else is wrong, the token was just revoked. */
  async function whyNotRecorded(clientId: string, advertiserId: number): Promise<Problem> {
    const advertiser = await store.findAdvertiser(clientId, advertiserId)
    if (advertiser === undefined) {
      const message = 'There is no active advertiser with this ID.'
      return invalidFields([{ field: 'advertiserId', code: 'unknown', message }])
    }
    return new BoardProblem(advertiser.mayApply ? 'invalid-token' : 'agent-not-authorised')
  }
}
