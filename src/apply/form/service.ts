import type { JobBoard } from '../../jobs/posting-store.ts'
import type { PublicJobAd } from '../../jobs/postings.ts'
import { snapshotOf } from '../../model/ad-version.ts'
import { type ApplicationFile, type FileType, readFileType } from '../../model/application.ts'
import { readsRecordedSince } from '../../model/application-read.ts'
import type { LastApplication } from '../../model/application-status.ts'
import type { Candidate, Resume } from '../../model/candidate.ts'
import { isOpen } from '../../model/job-ad.ts'
import { maxResumes } from '../../model/profile.ts'
import type { BlobStore, ByteRange, UploadedFile } from '../../platform/blobs/ports.ts'
import type { FileReceiver } from '../../platform/blobs/receiving-service.ts'
import type { ReceivedFile } from '../../platform/blobs/stored-file.ts'
import { assertNotSwept } from '../../platform/blobs/upload-age.ts'
import type { Background } from '../../platform/core/async/background.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { isUuid, newUuid } from '../../platform/core/ids.ts'
import { Problem } from '../../platform/core/problems.ts'
import { prepareApplication } from '../new-application.ts'
import { type Draft, DraftChanged, fieldsOf } from './draft.ts'
import type { Drafts } from './draft-service.ts'
import { type CheckedForm, type FormContext, fileQuestions, fileTypeOf, formTexts } from './form.ts'
import type { Outcome, SentApplication } from './own-application.ts'
import type { OwnApplicationStore } from './own-application-store.ts'
import type { OwnRetention } from './own-retention-service.ts'

/** File name of a typed cover letter. */
const letterName = 'cover-letter.txt'

/**
 * Limit: How often a candidate may replace or add one document of an application: each is a file and an entry in its
 * history.
 */
const replacementsPerDocument = 20

/** The candidate's details for the form. */
export interface Applicants {
  find(candidateId: string): Promise<Candidate | undefined>
  /** Newest first. */
  listResumes(candidateId: string): Promise<Resume[]>
}

const notSent = 'You have not sent this application.'

/** A job ad, and the choices that its form offers. */
export interface Offer {
  ad: PublicJobAd
  isOpen: boolean
  resumes: Resume[]
  /** How long the company keeps an application sent now; null: no end. */
  keptMonths: number | null
  /** The last day for which the company asks to keep it for other jobs; null: it does not ask. */
  keepUntil: string | null
  draft: Draft | undefined
}

export type ApplyForms = ReturnType<typeof createApplyForm>

/** Lets a candidate apply on the job board itself and see the submitted application. */
export function createApplyForm(deps: {
  store: OwnApplicationStore
  drafts: Pick<Drafts, 'find'>
  jobBoard: Pick<JobBoard, 'find'>
  candidates: Applicants
  files: FileReceiver
  blobs: Pick<BlobStore, 'open'>
  /** Erases the applications that are due. */
  erasure: { run(): Promise<unknown> }
  background: Background
  flushReads(): Promise<void>
  ownRetention: Pick<OwnRetention, 'monthsOf' | 'keepUntilOf'>
  clock: Clock
  withdrawnDays: number
  limits: { readDays: number }
}) {
  const { store, drafts, jobBoard, candidates, files, blobs, background, clock, withdrawnDays, limits } = deps

  return {
    limits,
    withdrawnDays,

    /** Undefined if there is no such ad. */
    async offer(candidateId: string, jobAdId: number): Promise<Offer | undefined> {
      const [ad, resumes, draft] = await Promise.all([
        jobBoard.find(jobAdId),
        candidates.listResumes(candidateId),
        drafts.find(candidateId, jobAdId),
      ])
      if (ad === undefined) return undefined
      const keptMonths = deps.ownRetention.monthsOf(ad.retentionChoice)
      const keepUntil = deps.ownRetention.keepUntilOf(ad.keepMonths, ad.timeZone)
      return { ad, isOpen: isOpen(ad, clock(), ad.timeZone), resumes, keptMonths, keepUntil, draft }
    },

    /** The candidate whose details a new form contains. */
    async applicant(candidateId: string): Promise<Candidate> {
      const candidate = await candidates.find(candidateId)
      if (candidate === undefined) throw new Problem('not-found')
      return candidate
    },

    /** Only for showing a form: accepting a submitted form requires no check of earlier applications. */
    lastFor: (candidateId: string, jobAdId: number): Promise<LastApplication | undefined> =>
      store.lastFor(candidateId, jobAdId),

    contextOf: ({ ad, resumes }: Offer): FormContext => ({ screen: ad.screen, resumes }),

    /** Receives a file. Rejects a resume file, before reading it, if the candidate chose another resume. */
    async receive(field: string, file: UploadedFile, resume: CheckedForm['resume']): Promise<ReceivedFile> {
      if (field === 'resumeFile' && resume.kind !== 'upload') {
        throw invalidField(field, 'two-resumes', formTexts.twoResumes)
      }
      return files.receive(file, field)
    },

    discard: files.discard,

    /** Sends the application. Uploads that were not used are discarded before this returns. */
    async send(
      candidateId: string,
      {
        formKey,
        ad,
        form,
        keepUntil,
        uploads,
        draft,
      }: {
        formKey: string
        /** The draft that the form was made from. */
        draft: Pick<Draft, 'version' | 'files'> | undefined
        ad: PublicJobAd
        form: CheckedForm
        /** The last day, as the form named it. */
        keepUntil: string | null
        uploads: ReadonlyMap<string, ReceivedFile>
      },
    ): Promise<Exclude<Outcome, { kind: 'no-such-resume' }>> {
      const asked = fieldsOf(ad.screen)
      const saved = new Map(
        (draft?.files ?? []).flatMap(({ field, ...file }) =>
          uploads.has(field) ||
          !asked.includes(field) ||
          (field === 'resumeFile' && form.resume.kind !== 'upload')
            ? []
            : [[field, file]],
        ),
      )
      // A virus may have been found since the page was opened.
      for (const [field, { scan }] of saved) {
        if (scan !== 'infected') continue
        await Promise.all([...uploads.values()].map(file => files.discard(file)))
        throw invalidField(field, 'infected', formTexts.savedInfected)
      }
      const attached = new Map<string, ReceivedFile>([...uploads, ...saved])
      if (form.resume.kind === 'upload' && !attached.has('resumeFile')) {
        await Promise.all([...uploads.values()].map(file => files.discard(file)))
        throw invalidField('resumeFile', 'required', formTexts.noFile)
      }
      const missing = fileQuestions(ad.screen).find(
        ({ question, field }) => question.isRequired && !attached.has(field),
      )
      if (missing !== undefined) {
        await Promise.all([...uploads.values()].map(file => files.discard(file)))
        throw invalidField(missing.field, 'required', formTexts.noAnswerFile)
      }
      const letter = attached.has('coverLetter') ? undefined : form.coverLetterText
      const typed = letter === undefined ? undefined : await files.receiveText(letterName, letter)
      const received = [...uploads.values(), ...(typed === undefined ? [] : [typed])]
      const discardAll = () => Promise.all(received.map(file => files.discard(file)))
      const now = clock()
      assertNotSwept(received, now)
      const outcome = await store
        .send(
          candidateId,
          {
            formKey,
            draft: {
              version: draft?.version ?? 0,
              files: new Map([...saved.keys()].map(field => [field, fileTypeOf(field, ad.screen)])),
            },
            resumeId: form.resume.kind === 'stored' ? form.resume.id : undefined,
            keepResume:
              form.resume.kind === 'upload' && form.keepResume
                ? { id: newUuid(), max: maxResumes }
                : undefined,
            keepUntil: form.keepForOthers ? keepUntil : null,
            ad: {
              advertiserId: ad.advertiserId,
              jobAdId: ad.id,
              jobTitle: ad.title,
              jobLocation: ad.location,
              advertiserName: ad.advertiserName,
            },
            application: {
              ...prepareApplication({
                jobSeekerId: candidateId,
                contact: form.contact,
                jobAdId: ad.id,
                files: [
                  ...[...attached].map(
                    ([field, file]): ApplicationFile => ({ ...file, type: fileTypeOf(field, ad.screen) }),
                  ),
                  ...(typed === undefined ? [] : [{ ...typed, type: 'coverLetter' as const }]),
                ],
                ...(ad.reference === null ? {} : { jobReference: ad.reference }),
                ...(form.work === undefined ? {} : { primaryJobSeekingInfo: form.work }),
                ...(form.screen === undefined ? {} : { screen: form.screen }),
              }),
              privacyVersion: ad.privacyNotice?.version,
              shownAd: snapshotOf(ad, ad.screen, ad.timeZone),
            },
          },
          now,
        )
        .catch(async error => {
          // Nothing was stored.
          if (error instanceof DraftChanged) await discardAll()
          throw error
        })
      // If the store throws, rows may or may not exist, so leave the files to the clean-up.
      if (outcome.kind !== 'sent') await discardAll()
      if (outcome.kind === 'no-such-resume') {
        throw invalidField('resume', 'unknown', formTexts.resumeGone)
      }
      return outcome
    },

    /** Replaces or adds a document; rejected once the company has seen the application. */
    async replaceFile(
      candidateId: string,
      applicationId: number | undefined,
      type: FileType,
      file: UploadedFile,
    ): Promise<ReceivedFile> {
      if (applicationId === undefined) throw new Problem('not-found', notSent)
      const received = await files.receive(file, 'file')
      // Programs' reads are gathered in memory for some seconds.
      await deps.flushReads()
      const now = clock()
      assertNotSwept([received], now)
      // If the store throws, rows may or may not exist, so leave the file to the clean-up.
      const max = replacementsPerDocument
      const bounds = { now, recordedSince: readsRecordedSince(now, limits), max }
      const done = await store.replaceFile(candidateId, applicationId, { ...received, type }, bounds)
      if (done === 'replaced') return received
      await files.discard(received)
      if (done === 'unknown') throw new Problem('not-found', notSent)
      if (done === 'too-often') throw invalidField('file', 'too-often', formTexts.tooOften(max))
      throw invalidField('file', 'too-late', formTexts.tooLate)
    },

    /** Withdraws an application; returns false if it was already withdrawn. */
    async withdraw(candidateId: string, applicationId: number | undefined): Promise<boolean> {
      const now = clock()
      const times = { now, eraseAt: now + withdrawnDays * 86_400_000 }
      const done =
        applicationId === undefined ? 'unknown' : await store.withdraw(candidateId, applicationId, times)
      if (done === 'unknown') throw new Problem('not-found', notSent)
      if (done === 'withdrawn' && withdrawnDays === 0) {
        // If this run fails, a later one completes it.
        background.run(deps.erasure.run(), 'a withdrawn application is not erased yet', { level: 'error' })
      }
      return done === 'withdrawn'
    },

    /** Finds the application already created by this form. */
    findSent: (candidateId: string, formKey: string) =>
      isUuid(formKey) ? store.findSent(candidateId, formKey) : Promise.resolve(undefined),

    async find(candidateId: string, applicationId: number | undefined): Promise<SentApplication> {
      const found = applicationId === undefined ? undefined : await store.find(candidateId, applicationId)
      if (found === undefined) throw new Problem('not-found', notSent)
      return found
    },

    /** Opens a submitted file, even if not scanned yet, because it came from this candidate. */
    async openFile(candidateId: string, applicationId: number | undefined, type: string) {
      const known = readFileType(type)
      const file =
        applicationId === undefined || known === undefined
          ? undefined
          : await store.file(candidateId, applicationId, known)
      if (file === undefined) throw new Problem('not-found', 'You have not sent this file.')
      if (file.scan === 'infected') {
        throw new Problem('not-found', 'A virus was found in this file, so it was not kept.')
      }
      return { file, open: (range?: ByteRange) => blobs.open(file, range) }
    },
  }
}
