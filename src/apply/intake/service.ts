import { createHash } from 'node:crypto'
import type { BoardAccess } from '../../companies/board-access-ports.ts'
import type { JobAdStore, QuestionnaireStore } from '../../jobs/posting-store.ts'
import type { JobAd } from '../../jobs/postings.ts'
import { type AdSnapshot, snapshotOf } from '../../model/ad-version.ts'
import {
  type AnyFileType,
  type ApplicationDraft,
  type ApplicationFile,
  answerFileType,
  inFileOrder,
  type QuestionnaireResult,
} from '../../model/application.ts'
import { isOpen } from '../../model/job-ad.ts'
import { BoardProblem } from '../../model/problems.ts'
import type { Questionnaire } from '../../model/questionnaire.ts'
import { checkAnswers } from '../../model/questionnaire-answers.ts'
import { questionnaireResult } from '../../model/questionnaire-outcome.ts'
import type { FileReceiver } from '../../platform/blobs/receiving-service.ts'
import { assertNotSwept } from '../../platform/blobs/upload-age.ts'
import type { Background } from '../../platform/core/async/background.ts'
import { retry } from '../../platform/core/async/retry.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { contentHash, type SentPart } from '../../platform/core/content-hash.ts'
import { invalidField } from '../../platform/core/fields.ts'
import {
  intakeKeySeconds,
  keyInUse,
  type MadeBefore,
  madeBefore,
} from '../../platform/core/idempotency-keys.ts'
import { newUuid } from '../../platform/core/ids.ts'
import type { Log } from '../../platform/core/log.ts'
import { Problem } from '../../platform/core/problems.ts'
import { prepareApplication } from '../new-application.ts'
import type { IntakeReceipt, IntakeStore, KeyClaim } from './intake-store.ts'
import { type IntakeRequest, readIntakeRequest, type SentQuestionnaire } from './request.ts'

/**
 * Limit: How long a request may hold its Idempotency-Key: it may take five minutes to arrive, and its files
 * wait for the scanner.
 */
const intakeClaimSeconds = 600
/**
 * Limit: The Idempotency-Keys of a dead node are free after this time. Running requests renew theirs three times
 * within it.
 */
export const intakeLeaseSeconds = 15

const bounds = { intakeLeaseSeconds }
export type IntakeLimits = typeof bounds

export type Sent = Omit<IntakeReceipt, 'advertiserId'>

export interface IntakeAnswer {
  sent: Sent
  isReplay: boolean
}

/** One request from a job board. The methods are called in the order in which its parts arrive. */
export interface Submission {
  /** Takes the `application` part; throws if it is invalid, before any file is read. */
  open(application: unknown): void
  take(type: AnyFileType, file: { name: string; content: AsyncIterable<Uint8Array> }): Promise<void>
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
  /** The files that required questions ask for. */
  wantedFiles: WantedFile[]
  shownAd: AdSnapshot | undefined
}

interface WantedFile {
  questionId: string
  type: AnyFileType
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
  limits?: IntakeLimits
  log: Log
}) {
  const { store, access, jobAds, questionnaires, files, clock, limits = bounds } = deps
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
        retry(() => store.release(claim), until, deps),
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
      const { advertiserId, submittedAt, draft, wantedFiles, shownAd } = await drafting
      const missing = wantedFiles.find(wanted => received.every(({ type }) => type !== wanted.type))
      if (missing !== undefined)
        throw invalidField(
          `screen.answers.${missing.questionId}`,
          'required',
          `Send the file that answers this question as the part ${missing.type}.`,
        )
      // Check again, because a file may have taken its time, and the ad may have been held since.
      const { jobAdId } = draft
      if (jobAdId !== undefined && received.length > 0) {
        const { hold = null } = (await jobAds.find(advertiserId, jobAdId)) ?? {}
        if (hold !== null) throw closedAd(jobAdId)
      }
      const files = inFileOrder(received)
      const application = { ...prepareApplication({ ...draft, files }), shownAd }
      const now = clock()
      assertNotSwept(received, now)
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
      expiresAt: now + intakeKeySeconds * 1000,
    })

    return {
      open(application) {
        const request = readIntakeRequest(application, clock())
        const { advertiserId, submittedAt } = request
        sent = application
        drafting = draftOf(clientId, request).then(drafted => ({ advertiserId, submittedAt, ...drafted }))
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
        // The caller gets the error that made the submission fail, not one from discarding.
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
        readIntakeRequest(application, clock())
        sent = application
      },

      async take(type, { name, content }) {
        const digest = createHash('sha256')
        for await (const chunk of content) digest.update(chunk)
        parts.push({ part: type, fileName: name, sha256: digest.digest('hex') })
      },

      async finish() {
        // An erased application has no hash left to compare with.
        const isOther = made.contentHash !== '' && contentHash(sent, parts) !== made.contentHash
        if (isOther) throw new BoardProblem('idempotency-key-reused')
        return { sent: await findSent(clientId, made.madeId), isReplay: true }
      },

      abandon: async () => {},
    }
  }

  async function draftOf(
    clientId: string,
    request: IntakeRequest,
  ): Promise<Pick<Drafted, 'draft' | 'wantedFiles' | 'shownAd'>> {
    const { advertiserId, jobAdId, applicant, screen: sentQuestionnaire } = request
    const { timeZone } = await access.assertMayActFor(clientId, advertiserId)
    const ad = jobAdId === undefined ? undefined : await openAd(advertiserId, jobAdId, timeZone)
    const { screen, wantedFiles } = await questionnaireOf(advertiserId, ad, sentQuestionnaire)
    const jobReference = applicant.jobReference ?? ad?.reference
    const shownAd = ad && (await shownOf(ad, timeZone))
    const draft = {
      ...applicant,
      ...(ad === undefined ? {} : { jobAdId: ad.id }),
      ...(jobReference ? { jobReference } : {}),
      ...(screen ? { screen } : {}),
    }
    return { draft, wantedFiles, shownAd }
  }

  /** The board shows the ad elsewhere, so its current version represents what the candidate saw. */
  async function shownOf(ad: JobAd, timeZone: string): Promise<AdSnapshot> {
    const { advertiserId, screenId } = ad
    const questionnaire = screenId === null ? undefined : await questionnaires.find(advertiserId, screenId)
    return snapshotOf(ad, questionnaire ?? null, timeZone)
  }

  async function openAd(advertiserId: number, jobAdId: number, timeZone: string): Promise<JobAd> {
    const ad = await jobAds.find(advertiserId, jobAdId)
    if (ad === undefined) {
      throw invalidField('jobAdId', 'unknown', `The advertiser has no job ad ${jobAdId}.`)
    }
    if (!isOpen(ad, clock(), timeZone)) throw closedAd(jobAdId)
    return ad
  }

  async function questionnaireOf(
    advertiserId: number,
    ad: JobAd | undefined,
    sent: SentQuestionnaire | undefined,
  ): Promise<{ screen: QuestionnaireResult | undefined; wantedFiles: WantedFile[] }> {
    if (sent !== undefined && 'result' in sent) return { screen: sent.result, wantedFiles: [] }
    const screenId = sent?.screenId ?? ad?.screenId ?? null
    if (screenId === null) {
      if (sent === undefined) return { screen: undefined, wantedFiles: [] }
      const why = 'Send the ID of a screen, because there is no job ad with one.'
      throw invalidField('screen.screenId', 'required', why)
    }
    const screen = await askedQuestionnaire(advertiserId, ad, screenId)
    const answers = sent?.answers ?? new Map()
    const errors = checkAnswers(screen, answers, id => `screen.answers.${id}`)
    if (errors.length > 0) {
      throw new Problem('invalid-fields', `Some answers to screen ${screenId} are invalid.`, { errors })
    }
    const wantedFiles = screen.questions.flatMap(({ id, kind, isRequired }, index) =>
      kind === 'file' && isRequired ? [{ questionId: id, type: answerFileType(index) }] : [],
    )
    return { screen: questionnaireResult(screen, answers), wantedFiles }
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
      const expiresAt = now + intakeClaimSeconds * 1000
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

const closedAd = (jobAdId: number) => invalidField('jobAdId', 'closed', `Job ad ${jobAdId} is closed.`)

/** Hashes the content while passing it on, to compare it with a retry even if the content is not kept. */
async function* noting(content: AsyncIterable<Uint8Array>, digest: { update(chunk: Uint8Array): unknown }) {
  for await (const chunk of content) {
    digest.update(chunk)
    yield chunk
  }
}
