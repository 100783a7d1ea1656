import type { Clock } from '../../core/clock.ts'
import { sha256Hex } from '../../core/hashing.ts'
import { isUuid, newUuid } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import type { BlobStore, ByteRange, HandOver, HandOverRequest } from '../../files/ports.ts'
import type { Candidate, Resume } from '../../model/candidate.ts'
import { includes } from '../../model/categories.ts'
import type { ClientToken, ProfileToken } from '../../model/principal.ts'
import { filledCategories } from '../../model/profile.ts'
import { readCompletionDate } from './completion-request.ts'
import type { SharingStore } from './ports.ts'
import { invalidFields, type PrefillLimits, prefillBody, readPrefillRequest } from './prefill-request.ts'
import { prefillResponse } from './prefill-response.ts'

export interface SharingLimits extends PrefillLimits {
  unscannedRetryAfterSeconds: number
}

export type Sharing = ReturnType<typeof createSharing>

/** Version 2: returns what a candidate has released, and records each disclosure before it happens. */
export function createSharing(deps: {
  store: SharingStore
  candidates: { find(candidateId: string): Promise<Candidate | undefined> }
  blobs: BlobStore
  clock: Clock
  limits: SharingLimits
  /** With a scanner, a resume is not offered before its verdict. */
  hasScanner: boolean
}) {
  const { store, blobs, clock, limits } = deps
  const description = prefillBody(limits)

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
        throw new Problem('token-of-another-advertiser')
      }
      const [candidate, resumeId] = await Promise.all([
        deps.candidates.find(token.candidateId),
        offeredResume(token),
      ])
      if (candidate === undefined) throw new Problem('invalid-token')
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
      if (application === undefined) throw await whyNotRecorded(request.advertiserId)
      return prefillResponse(application, candidate, baseUrl)
    },

    /** `open` and `handOver` record the download before they return the first byte or the address of the file. */
    async resume(token: ProfileToken, releasedId: string) {
      const mayRead = includes(token.released, 'resume') && isUuid(releasedId)
      const file = mayRead ? await store.findReleasedResume(token.grantId, releasedId) : undefined
      if (file === undefined || file.scan === 'infected') throw new Problem('not-found')
      if (isUnjudged(file)) {
        if (file.scan === 'not-judged') throw new Problem('file-not-judged')
        throw new Problem('not-yet-scanned', undefined, {
          retryAfterSeconds: limits.unscannedRetryAfterSeconds,
        })
      }
      const record = async () => {
        if (await store.recordDownload(token, newUuid(), clock())) return
        // Unticking the resume deletes its identifiers but not the token; a withdrawal revokes the token only.
        const isStillReleased = await store.findReleasedResume(token.grantId, releasedId)
        throw new Problem(isStillReleased === undefined ? 'not-found' : 'invalid-token')
      }
      return {
        file,
        async handOver(request: HandOverRequest): Promise<HandOver | undefined> {
          const way = await blobs.handOver?.(file, request)
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
  }

  /** Finds out why nothing was recorded: the advertiser is not active, or the token was just revoked. */
  async function whyNotRecorded(advertiserId: number): Promise<Problem> {
    return (await store.isActiveAdvertiser(advertiserId))
      ? new Problem('invalid-token')
      : invalidFields([
          { field: 'advertiserId', code: 'unknown', message: 'There is no active advertiser with this ID.' },
        ])
  }
}
