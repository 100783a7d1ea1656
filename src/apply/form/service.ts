import type { Background } from '../../core/async/background.ts'
import type { Clock } from '../../core/clock.ts'
import { invalidField } from '../../core/fields.ts'
import { isUuid, newUuid } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import type { BlobStore, ByteRange, FileReceiver, UploadedFile } from '../../files/ports.ts'
import { assertNotSwept } from '../../files/upload-age.ts'
import type { JobBoard, PublicJobAd } from '../../jobs/ports.ts'
import type { Limits } from '../../limits.ts'
import { type ApplicationFile, type FileType, fileTypes } from '../../model/application.ts'
import { readsRecordedSince } from '../../model/application-read.ts'
import type { LastApplication } from '../../model/application-status.ts'
import type { Candidate, Resume } from '../../model/candidate.ts'
import { isOpen } from '../../model/job-ad.ts'
import type { ReceivedFile } from '../../model/stored-file.ts'
import { prepareApplication } from '../new-application.ts'
import {
  type CheckedForm,
  type FileField,
  type FormContext,
  type FormLimits,
  fileFields,
  formTexts,
} from './form.ts'
import type { KeptApplications } from './keeping-service.ts'
import type { Applicants, Outcome, OwnApplicationStore, SentApplication } from './ports.ts'
import { applyTexts } from './texts.ts'

const notSent = 'You have not sent this application.'

/** A job ad, and what a form that is sent for it may choose. */
export interface Offer {
  ad: PublicJobAd
  isOpen: boolean
  resumes: Resume[]
  /** How long the company keeps an application that is sent now; null: no end. */
  keptMonths: number | null
}

export type Applying = ReturnType<typeof createApplying>

/** Lets a candidate apply on the job board itself and see what was sent. */
export function createApplying(deps: {
  store: OwnApplicationStore
  jobBoard: Pick<JobBoard, 'find'>
  candidates: Applicants
  files: FileReceiver
  blobs: Pick<BlobStore, 'open'>
  /** Erases the applications that are due. */
  erasure: { run(): Promise<unknown> }
  background: Background
  flushReads(): Promise<void>
  keeping: Pick<KeptApplications, 'monthsOf'>
  clock: Clock
  withdrawnDays: number
  limits: FormLimits & Pick<Limits, 'cleanUpWindowSeconds' | 'resumes' | 'readDays'>
}) {
  const { store, jobBoard, candidates, files, blobs, background, clock, withdrawnDays, limits } = deps

  return {
    limits,
    withdrawnDays,

    /** Undefined when there is no such ad. */
    async offer(candidateId: string, jobAdId: number): Promise<Offer | undefined> {
      const [ad, resumes] = await Promise.all([jobBoard.find(jobAdId), candidates.listResumes(candidateId)])
      if (ad === undefined) return undefined
      const keptMonths = deps.keeping.monthsOf(ad.retentionChoice)
      return { ad, isOpen: isOpen(ad, clock()), resumes, keptMonths }
    },

    /** Whose details a new form contains. */
    async applicant(candidateId: string): Promise<Candidate> {
      const candidate = await candidates.find(candidateId)
      if (candidate === undefined) throw new Problem('not-found')
      return candidate
    },

    /** Only for showing a form: a form that is sent and accepted needs no look at earlier applications. */
    lastFor: (candidateId: string, jobAdId: number): Promise<LastApplication | undefined> =>
      store.lastFor(candidateId, jobAdId),

    contextOf: ({ ad, resumes }: Offer): FormContext => ({ screen: ad.screen, resumes, limits }),

    /** Receives a file. Rejects a resume file, before reading it, if the candidate chose another resume. */
    async receive(
      field: FileField,
      file: UploadedFile,
      resume: CheckedForm['resume'],
    ): Promise<ReceivedFile> {
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
        uploads,
      }: {
        formKey: string
        ad: PublicJobAd
        form: CheckedForm
        uploads: ReadonlyMap<FileField, ReceivedFile>
      },
    ): Promise<Exclude<Outcome, { kind: 'no-such-resume' }>> {
      if (form.resume.kind === 'upload' && !uploads.has('resumeFile')) {
        await Promise.all([...uploads.values()].map(file => files.discard(file)))
        throw invalidField('resumeFile', 'required', formTexts.noFile)
      }
      const letter = uploads.has('coverLetter') ? undefined : form.coverLetterText
      const typed = letter === undefined ? undefined : await files.receiveText(applyTexts.letterName, letter)
      const received = [...uploads.values(), ...(typed === undefined ? [] : [typed])]
      const discardAll = () => Promise.all(received.map(file => files.discard(file)))
      const now = clock()
      assertNotSwept(received, now, limits)
      const outcome = await store.send(
        candidateId,
        {
          formKey,
          resumeId: form.resume.kind === 'stored' ? form.resume.id : undefined,
          keepResume:
            form.resume.kind === 'upload' && form.keepResume
              ? { id: newUuid(), max: limits.resumes }
              : undefined,
          ad: {
            advertiserId: ad.advertiserId,
            jobAdId: ad.id,
            jobTitle: ad.title,
            jobLocation: ad.location,
            advertiserName: ad.advertiserName,
          },
          application: prepareApplication(
            {
              jobSeekerId: candidateId,
              contact: form.contact,
              jobAdId: ad.id,
              files: [
                ...[...uploads].map(
                  ([field, file]): ApplicationFile => ({ ...file, type: fileFields[field] }),
                ),
                ...(typed === undefined ? [] : [{ ...typed, type: 'coverLetter' as const }]),
              ],
              ...(ad.reference === null ? {} : { jobReference: ad.reference }),
              ...(form.work === undefined ? {} : { primaryJobSeekingInfo: form.work }),
              ...(form.screen === undefined ? {} : { screen: form.screen }),
            },
            limits,
          ),
        },
        now,
      )
      // If the store throws, rows may or may not exist, so the files are left to the clean-up.
      if (outcome.kind !== 'sent') await discardAll()
      if (outcome.kind === 'no-such-resume') {
        throw invalidField('resume', 'unknown', formTexts.resumeGone)
      }
      return outcome
    },

    /** Replaces or adds a document; refused once the company has seen the application. */
    async replaceFile(
      candidateId: string,
      applicationId: number | undefined,
      type: FileType,
      file: UploadedFile,
    ): Promise<ReceivedFile> {
      if (applicationId === undefined) throw new Problem('not-found', notSent)
      const received = await files.receive(file, 'file')
      // Reads of programs are gathered in memory for some seconds.
      await deps.flushReads()
      const now = clock()
      assertNotSwept([received], now, limits)
      // If the store throws, rows may or may not exist, so the file is left to the clean-up.
      const times = { now, recordedSince: readsRecordedSince(now, limits) }
      const done = await store.replaceFile(candidateId, applicationId, { ...received, type }, times)
      if (done === 'replaced') return received
      await files.discard(received)
      if (done === 'unknown') throw new Problem('not-found', notSent)
      throw invalidField('file', 'too-late', formTexts.tooLate)
    },

    /** Withdraws an application; returns false if that was done before. */
    async withdraw(candidateId: string, applicationId: number | undefined): Promise<boolean> {
      const now = clock()
      const times = { now, eraseAt: now + withdrawnDays * 86_400_000 }
      const done =
        applicationId === undefined ? 'unknown' : await store.withdraw(candidateId, applicationId, times)
      if (done === 'unknown') throw new Problem('not-found', notSent)
      if (done === 'withdrawn' && withdrawnDays === 0) {
        // If it fails, the background task completes it.
        background.run(deps.erasure.run(), 'a withdrawn application is not erased yet', { level: 'error' })
      }
      return done === 'withdrawn'
    },

    /** Finds the application that this form has already created. */
    findSent: (candidateId: string, formKey: string) =>
      isUuid(formKey) ? store.findSent(candidateId, formKey) : Promise.resolve(undefined),

    async find(candidateId: string, applicationId: number | undefined): Promise<SentApplication> {
      const found = applicationId === undefined ? undefined : await store.find(candidateId, applicationId)
      if (found === undefined) throw new Problem('not-found', notSent)
      return found
    },

    /** Opens a file that was sent, even if not scanned yet, because it came from this candidate. */
    async openFile(candidateId: string, applicationId: number | undefined, type: string) {
      const known = fileTypes.find((each): each is FileType => each === type)
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
