import { createHash } from 'node:crypto'
import type { BoardAccess } from '../../advertisers/board-access-ports.ts'
import type { Background } from '../../core/async/background.ts'
import { keepTrying } from '../../core/async/keep-trying.ts'
import type { Clock, EpochMs } from '../../core/clock.ts'
import { contentHash, type SentPart } from '../../core/content-hash.ts'
import { invalidField } from '../../core/fields.ts'
import { keyInUse, type MadeBefore, madeBefore } from '../../core/idempotency-keys.ts'
import { newUuid } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import type { FileReceiver } from '../../files/ports.ts'
import { assertNotSwept } from '../../files/upload-age.ts'
import type { JobAd, JobAdStore, ScreenStore } from '../../jobs/ports.ts'
import {
  type ApplicationDraft,
  type ApplicationFile,
  type FileType,
  fileTypes,
} from '../../model/application.ts'
import { isOpen } from '../../model/job-ad.ts'
import type { Screen } from '../../model/questionnaire.ts'
import { type AnswerLimits, checkAnswers } from '../../model/questionnaire-answers.ts'
import { screenResult } from '../../model/questionnaire-outcome.ts'
import type { DraftLimits } from '../draft-check.ts'
import { prepareApplication } from '../new-application.ts'
import type { IntakeReceipt, IntakeStore, KeyClaim } from './ports.ts'
import { type IntakeRequest, readIntakeRequest, type SentScreen } from './request.ts'

export interface IntakeLimits extends DraftLimits, AnswerLimits {
  cleanUpWindowSeconds: number
  intakeClaimSeconds: number
  intakeKeySeconds: number
  intakeLeaseSeconds: number
}

export type Sent = Omit<IntakeReceipt, 'advertiserId'>

export interface IntakeAnswer {
  sent: Sent
  isReplay: boolean
}

/** One request of a job board, in the order in which its parts arrive. */
export interface Submission {
  /** The part `application`; throws when it cannot be taken, before any file is read. */
  open(application: unknown): void
  take(type: FileType, file: { name: string; content: AsyncIterable<Uint8Array> }): Promise<void>
  /** Once everything has arrived. */
  finish(): Promise<IntakeAnswer>
  /** In place of it, when something went wrong: nothing is left behind, and the key is free again. */
  abandon(): Promise<void>
}

type Draft = Omit<ApplicationDraft, 'files'>

interface Drafted {
  advertiserId: number
  submittedAt: EpochMs | undefined
  draft: Draft
}

export type Intake = ReturnType<typeof createIntake>

export function createIntake(deps: {
  store: IntakeStore
  access: BoardAccess
  jobAds: Pick<JobAdStore, 'find'>
  screens: Pick<ScreenStore, 'find'>
  files: FileReceiver
  background: Background
  clock: Clock
  pause(ms: number): Promise<void>
  limits: IntakeLimits
  /** A key that could not be let go of: it is free when its time is over. */
  onHeldKey(error: unknown): void
}) {
  const { store, access, jobAds, screens, files, clock, limits } = deps
  const leaseMs = limits.intakeLeaseSeconds * 1000

  /** Renews the key until it is told to stop: other nodes leave it alone as long as this one lives. */
  function keepHolding(claim: KeyClaim): () => void {
    // A renewal that fails is followed by the next; a claim that was lost for that reason adds nothing in the end.
    const renew = () => deps.background.run(store.renew(claim, leaseMs), () => {})
    const timer = setInterval(renew, leaseMs / 3).unref()
    return () => clearInterval(timer)
  }

  /** A database that is away when the key is to be freed is asked again until it is back: the caller will, too. */
  async function release(claim: KeyClaim): Promise<void> {
    const until = clock() + leaseMs
    await store.release(claim).catch(() =>
      deps.background.run(
        keepTrying(() => store.release(claim), until, deps),
        deps.onHeldKey,
      ),
    )
  }

  function newSubmission(clientId: string, claim: KeyClaim | undefined): Submission {
    const received: ApplicationFile[] = []
    const parts: SentPart[] = []
    let sent: unknown
    let drafting: Promise<Drafted> | undefined
    let isStoring = false
    const stopHolding = claim === undefined ? () => {} : keepHolding(claim)

    async function storeApplication(): Promise<Sent> {
      if (drafting === undefined) throw new Error('the application was not opened')
      const { advertiserId, submittedAt, draft } = await drafting
      received.sort((a, b) => fileTypes.indexOf(a.type) - fileTypes.indexOf(b.type))
      const application = prepareApplication({ ...draft, files: received }, limits)
      const now = clock()
      assertNotSwept(received, now, limits)
      const times = { now, submittedAt }
      isStoring = true
      try {
        const receipt =
          claim === undefined
            ? await store.add(clientId, advertiserId, application, times)
            : await store.addOnce(keptWith(claim, now), advertiserId, application, times)
        if (receipt === undefined) throw keyInUse(leaseMs)
        return { ...receipt, files: application.files }
      } catch (error) {
        // Refused for a reason, so nothing was stored; after anything else that is not known.
        if (error instanceof Problem && error.code !== 'unavailable') isStoring = false
        throw error
      }
    }

    const keptWith = (claim: KeyClaim, now: EpochMs) => ({
      ...claim,
      contentHash: contentHash(sent, parts),
      expiresAt: now + limits.intakeKeySeconds * 1000,
    })

    return {
      open(application) {
        const request = readIntakeRequest(application, limits, clock())
        const { advertiserId, submittedAt } = request
        sent = application
        drafting = draftOf(clientId, request).then(draft => ({ advertiserId, submittedAt, draft }))
        // Told to whoever awaits it; until then it is nobody's.
        drafting.catch(() => {})
      },

      async take(type, { name, content }) {
        // Whoever may not act for the advertiser has no file stored, not for a moment.
        await drafting
        const digest = claim === undefined ? undefined : createHash('sha256')
        const sent = digest === undefined ? content : noting(content, digest)
        received.push({ type, ...(await files.receive({ name, content: sent }, type)) })
        if (digest !== undefined) parts.push({ part: type, fileName: name, sha256: digest.digest('hex') })
      },

      async finish() {
        const sent = await storeApplication()
        stopHolding()
        return { sent, isReplay: false }
      },

      async abandon() {
        stopHolding()
        // A write whose end is unknown may have named the files: what nobody named is found by the clean-up.
        const discarded = isStoring ? [] : received.map(file => files.discard(file))
        if (claim !== undefined) await release(claim)
        await Promise.all(discarded)
      },
    }
  }

  /** Asked on each look: a job board that was forbidden to act for the advertiser reads nothing any longer. */
  async function findSent(clientId: string, applicationId: number): Promise<Sent> {
    const found = await store.find(clientId, applicationId)
    if (found === undefined) throw new Problem('not-found')
    const { advertiserId, ...sent } = found
    await access.assertMayActFor(clientId, advertiserId)
    return sent
  }

  /** The key has made an application: nothing is stored, only compared. */
  function replay(clientId: string, made: MadeBefore): Submission {
    const parts: SentPart[] = []
    let sent: unknown
    return {
      open(application) {
        readIntakeRequest(application, limits, clock())
        sent = application
      },

      async take(type, { name, content }) {
        const digest = createHash('sha256')
        for await (const chunk of content) digest.update(chunk)
        parts.push({ part: type, fileName: name, sha256: digest.digest('hex') })
      },

      async finish() {
        // Nothing is left to compare with once the application was erased.
        const isOther = made.contentHash !== '' && contentHash(sent, parts) !== made.contentHash
        if (isOther) throw new Problem('idempotency-key-reused')
        return { sent: await findSent(clientId, made.madeId), isReplay: true }
      },

      abandon: async () => {},
    }
  }

  async function draftOf(clientId: string, request: IntakeRequest): Promise<Draft> {
    const { advertiserId, jobAdId, applicant, screen: sentScreen } = request
    await access.assertMayActFor(clientId, advertiserId)
    const ad = jobAdId === undefined ? undefined : await openAd(advertiserId, jobAdId)
    const screen = await screenOf(advertiserId, ad, sentScreen)
    const jobReference = applicant.jobReference ?? ad?.reference
    return {
      ...applicant,
      ...(ad === undefined ? {} : { jobAdId: ad.id }),
      ...(jobReference ? { jobReference } : {}),
      ...(screen ? { screen } : {}),
    }
  }

  async function openAd(advertiserId: number, jobAdId: number): Promise<JobAd> {
    const ad = await jobAds.find(advertiserId, jobAdId)
    if (ad === undefined) {
      throw invalidField('jobAdId', 'unknown', `The advertiser has no job ad ${jobAdId}.`)
    }
    if (!isOpen(ad, clock())) throw invalidField('jobAdId', 'closed', `Job ad ${jobAdId} is closed.`)
    return ad
  }

  async function screenOf(advertiserId: number, ad: JobAd | undefined, sent: SentScreen | undefined) {
    if (sent !== undefined && 'result' in sent) return sent.result
    const screenId = sent?.screenId ?? ad?.screenId ?? null
    if (screenId === null) {
      if (sent === undefined) return undefined
      const why = 'It must be sent, because there is no job ad that has a screen.'
      throw invalidField('screen.screenId', 'required', why)
    }
    const screen = await askedScreen(advertiserId, ad, screenId)
    const answers = sent?.answers ?? new Map()
    const errors = checkAnswers(screen, answers, limits, id => `screen.answers.${id}`)
    if (errors.length > 0) {
      throw new Problem('invalid-fields', `The answers to screen ${screenId} cannot be taken.`, { errors })
    }
    return screenResult(screen, answers)
  }

  async function askedScreen(advertiserId: number, ad: JobAd | undefined, screenId: number): Promise<Screen> {
    const field = 'screen.screenId'
    if (typeof ad?.screenId === 'number' && ad.screenId !== screenId) {
      throw invalidField(field, 'not-of-this-ad', `Job ad ${ad.id} asks screen ${ad.screenId}.`)
    }
    const screen = await screens.find(advertiserId, screenId)
    if (screen === undefined) {
      throw invalidField(field, 'unknown', `The advertiser has no screen ${screenId}.`)
    }
    // An ad goes on asking the screen that it has.
    if (screen.status === 'closed' && ad?.screenId !== screenId) {
      throw invalidField(field, 'closed', `Screen ${screenId} is closed.`)
    }
    return screen
  }

  return {
    /** For the client that sent it, as it is now. */
    find: (clientId: string, applicationId: number | undefined): Promise<Sent> => {
      if (applicationId === undefined) throw new Problem('not-found')
      return findSent(clientId, applicationId)
    },

    /** Claims the key, before anything of the request is read. */
    async begin(clientId: string, key: string | undefined): Promise<Submission> {
      if (key === undefined) return newSubmission(clientId, undefined)
      const claim = { clientId, key, claim: newUuid() }
      const now = clock()
      const expiresAt = now + limits.intakeClaimSeconds * 1000
      const outcome = await store
        .claim(claim, now, { expiresAt, heldMs: leaseMs })
        .catch(async (error: unknown) => {
          // It may be ours all the same.
          await release(claim)
          throw error
        })
      if (outcome === 'claimed') return newSubmission(clientId, claim)
      return replay(clientId, madeBefore(outcome))
    },
  }
}

/** What was sent is compared with a retry, also where nothing of it is kept. */
async function* noting(content: AsyncIterable<Uint8Array>, digest: { update(chunk: Uint8Array): unknown }) {
  for await (const chunk of content) {
    digest.update(chunk)
    yield chunk
  }
}
