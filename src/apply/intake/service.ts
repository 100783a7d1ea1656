import { createHash } from 'node:crypto'
import type { BoardAccess } from '../../advertisers/board-access-ports.ts'
import type { Background } from '../../core/async/background.ts'
import { keepTrying } from '../../core/async/keep-trying.ts'
import type { Clock, EpochMs } from '../../core/clock.ts'
import { contentHash, type SentPart } from '../../core/content-hash.ts'
import { invalidField } from '../../core/fields.ts'
import { keyInUse, type MadeBefore, madeBefore } from '../../core/idempotency-keys.ts'
import { newUuid } from '../../core/ids.ts'
import type { Log } from '../../core/log.ts'
import { Problem } from '../../core/problems.ts'
import type { FileReceiver } from '../../files/ports.ts'
import { assertNotSwept } from '../../files/upload-age.ts'
import type { JobAd, JobAdStore, QuestionnaireStore } from '../../jobs/ports.ts'
import {
  type ApplicationDraft,
  type ApplicationFile,
  type FileType,
  fileTypes,
} from '../../model/application.ts'
import { isOpen } from '../../model/job-ad.ts'
import type { Questionnaire } from '../../model/questionnaire.ts'
import { type AnswerLimits, checkAnswers } from '../../model/questionnaire-answers.ts'
import { questionnaireResult } from '../../model/questionnaire-outcome.ts'
import type { DraftLimits } from '../draft-check.ts'
import { prepareApplication } from '../new-application.ts'
import type { IntakeReceipt, IntakeStore, KeyClaim } from './ports.ts'
import { type IntakeRequest, readIntakeRequest, type SentQuestionnaire } from './request.ts'

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

/** One request from a job board. The methods are called in the order in which its parts arrive. */
export interface Submission {
  /** Takes the `application` part; throws if it is invalid, before any file is read. */
  open(application: unknown): void
  take(type: FileType, file: { name: string; content: AsyncIterable<Uint8Array> }): Promise<void>
  /** Stores the application once everything has arrived. */
  finish(): Promise<IntakeAnswer>
  /** Called instead of `finish` after a failure: discards the files and releases the key. */
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
  questionnaires: Pick<QuestionnaireStore, 'find'>
  files: Pick<FileReceiver, 'receive' | 'discard'>
  background: Background
  clock: Clock
  pause(ms: number): Promise<void>
  limits: IntakeLimits
  log: Log
}) {
  const { store, access, jobAds, questionnaires, files, clock, limits } = deps
  const leaseMs = limits.intakeLeaseSeconds * 1000

  /** Renews the claim until the returned function is called, so that other nodes respect it while this one runs. */
  function keepHolding(claim: KeyClaim): () => void {
    // Goes on after a failed renewal: the next one may succeed, and if the claim is lost, `addOnce` stores nothing.
    const renew = () =>
      deps.background.run(store.renew(claim, leaseMs), 'the claim of an Idempotency-Key was not renewed')
    const timer = setInterval(renew, leaseMs / 3).unref()
    return () => clearInterval(timer)
  }

  /** Releases the key. While the database is unavailable, keeps retrying in the background, as the caller will too. */
  async function release(claim: KeyClaim): Promise<void> {
    const until = clock() + leaseMs
    await store.release(claim).catch(() =>
      deps.background.run(
        keepTrying(() => store.release(claim), until, deps),
        'an Idempotency-Key stays in use until it expires',
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
        // A rejection means that nothing was stored. After any other error, the outcome is unknown.
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
        // Awaited later; until then, do not report it as unhandled.
        drafting.catch(() => {})
      },

      async take(type, { name, content }) {
        // Wait for the access check first, so that no file is stored for a client that may not act for the advertiser.
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
        // If the outcome of the write is unknown, a row may refer to the files: leave them to the clean-up.
        const discarded = isStoring ? [] : received.map(file => files.discard(file))
        if (claim !== undefined) await release(claim)
        // The caller gets the error that made the submission fail, not this one.
        await Promise.all(discarded).catch(error =>
          deps.log.warn({ err: error }, 'the files of a failed submission are left to the clean-up'),
        )
      },
    }
  }

  /** Checks access on each read, so that a job board whose access was revoked can no longer read applications. */
  async function findSent(clientId: string, applicationId: number): Promise<Sent> {
    const found = await store.find(clientId, applicationId)
    if (found === undefined) throw new Problem('not-found')
    const { advertiserId, ...sent } = found
    await access.assertMayActFor(clientId, advertiserId)
    return sent
  }

  /** Handles a key that has already created an application: compares the request and stores nothing. */
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
        // Once the application has been erased, there is no hash left to compare with.
        const isOther = made.contentHash !== '' && contentHash(sent, parts) !== made.contentHash
        if (isOther) throw new Problem('idempotency-key-reused')
        return { sent: await findSent(clientId, made.madeId), isReplay: true }
      },

      abandon: async () => {},
    }
  }

  async function draftOf(clientId: string, request: IntakeRequest): Promise<Draft> {
    const { advertiserId, jobAdId, applicant, screen: sentQuestionnaire } = request
    await access.assertMayActFor(clientId, advertiserId)
    const ad = jobAdId === undefined ? undefined : await openAd(advertiserId, jobAdId)
    const screen = await questionnaireOf(advertiserId, ad, sentQuestionnaire)
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

  async function questionnaireOf(
    advertiserId: number,
    ad: JobAd | undefined,
    sent: SentQuestionnaire | undefined,
  ) {
    if (sent !== undefined && 'result' in sent) return sent.result
    const screenId = sent?.screenId ?? ad?.screenId ?? null
    if (screenId === null) {
      if (sent === undefined) return undefined
      const why = 'Send the ID of a screen, because there is no job ad with one.'
      throw invalidField('screen.screenId', 'required', why)
    }
    const screen = await askedQuestionnaire(advertiserId, ad, screenId)
    const answers = sent?.answers ?? new Map()
    const errors = checkAnswers(screen, answers, limits, id => `screen.answers.${id}`)
    if (errors.length > 0) {
      throw new Problem('invalid-fields', `Some answers to screen ${screenId} are invalid.`, { errors })
    }
    return questionnaireResult(screen, answers)
  }

  async function askedQuestionnaire(
    advertiserId: number,
    ad: JobAd | undefined,
    screenId: number,
  ): Promise<Questionnaire> {
    const field = 'screen.screenId'
    if (typeof ad?.screenId === 'number' && ad.screenId !== screenId) {
      throw invalidField(
        field,
        'not-of-this-ad',
        `Job ad ${ad.id} uses screen ${ad.screenId}. Send that ID, or none.`,
      )
    }
    const screen = await questionnaires.find(advertiserId, screenId)
    if (screen === undefined) {
      throw invalidField(field, 'unknown', `The advertiser has no screen ${screenId}.`)
    }
    // An ad keeps using its screen after the screen has been closed.
    if (screen.status === 'closed' && ad?.screenId !== screenId) {
      throw invalidField(field, 'closed', `Screen ${screenId} is closed.`)
    }
    return screen
  }

  return {
    /** Returns the current state of an application to the client that sent it. */
    find: findSent,

    /** Claims the key, before the request body is read. */
    async begin(clientId: string, key: string | undefined): Promise<Submission> {
      if (key === undefined) return newSubmission(clientId, undefined)
      const claim = { clientId, key, claim: newUuid() }
      const now = clock()
      const expiresAt = now + limits.intakeClaimSeconds * 1000
      const outcome = await store
        .claim(claim, now, { expiresAt, heldMs: leaseMs })
        .catch(async (error: unknown) => {
          // The claim may have succeeded despite the error.
          await release(claim)
          throw error
        })
      if (outcome === 'claimed') return newSubmission(clientId, claim)
      return replay(clientId, madeBefore(outcome))
    },
  }
}

/** Hashes the content as it passes, to compare it with a retry even if the content is not kept. */
async function* noting(content: AsyncIterable<Uint8Array>, digest: { update(chunk: Uint8Array): unknown }) {
  for await (const chunk of content) {
    digest.update(chunk)
    yield chunk
  }
}
