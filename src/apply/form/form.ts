import { snapshotOf } from '../../model/ad-version.ts'
import {
  type AnyFileType,
  answerFileType,
  type Contact,
  type FileType,
  type PrimaryJobSeekingInfo,
  type QuestionnaireResult,
} from '../../model/application.ts'
import type { JobAdFields } from '../../model/job-ad.ts'
import type { Profile } from '../../model/profile.ts'
import { type Answers, isTyped, type Questionnaire } from '../../model/questionnaire.ts'
import { checkAnswers } from '../../model/questionnaire-answers.ts'
import { questionnaireResult } from '../../model/questionnaire-outcome.ts'
import { longTextLength, nameLength, phoneLength } from '../../model/text-lengths.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { emailLength, isEmail } from '../../platform/core/email.ts'
import { sha256Hex } from '../../platform/core/hashing.ts'
import type { FieldError } from '../../platform/core/problems.ts'
import { isVisible, lineBreak, textFault } from '../../platform/core/text.ts'
import { aestDayOf } from '../../platform/core/time/ms-date.ts'
import { monthsInRole } from '../draft-check.ts'

/** Limit: Text of an apply form: 200 answers of two pages each. */
export const applyFormBytes = 4 * 1024 * 1024

/** Submitted form fields, under any names. */
export interface SentFields {
  get(name: string): string | undefined
  all(name: string): string[]
}

/** The form as the candidate filled it in, valid or not. */
export interface ApplyForm extends Contact {
  /** The kind of work that the form describes: `none`, `job`, or `new` to the workforce. */
  work: string
  jobTitle: string
  company: string
  months: string
  /** The ID of a stored resume, `upload` or `none`. */
  resume: string
  /** Whether to save an uploaded resume to the candidate's resumes. */
  keepResume: boolean
  /** Whether the company may keep the application for other jobs. */
  keepForOthers: boolean
  /** A typed cover letter. */
  coverLetterText: string
  answers: Answers
}

/** The context of a form's checks. */
export interface FormContext {
  screen: Questionnaire | null
  /** The candidate's own resumes. */
  resumes: readonly { id: string; scan: string }[]
}

/** The content that the candidate wants to send, without the uploaded files. */
export interface CheckedForm {
  contact: Contact
  resume: { kind: 'none' | 'upload' } | { kind: 'stored'; id: string }
  keepResume: boolean
  keepForOthers: boolean
  /** Undefined if none was typed. */
  coverLetterText: string | undefined
  work: PrimaryJobSeekingInfo | undefined
  screen: QuestionnaireResult | undefined
}

/** The file fields, in the order of the form. */
export const fileFields = {
  resumeFile: 'resume',
  coverLetter: 'coverLetter',
  selectionCriteria: 'selectionCriteria',
} as const satisfies Record<string, FileType>

export type FileField = keyof typeof fileFields
export const fileFieldNames = Object.keys(fileFields) as FileField[]

/** Questions that ask for a file, each with its field and the type of its file. */
export function fileQuestions(screen: Questionnaire | null) {
  return (screen?.questions ?? []).flatMap((question, index) =>
    question.kind === 'file'
      ? [{ question, number: index + 1, field: questionField(question.id), type: answerFileType(index) }]
      : [],
  )
}

/** The type of the file in a field; other file fields have documents. */
export const fileTypeOf = (field: string, screen: Questionnaire | null): AnyFileType =>
  fileQuestions(screen).find(each => each.field === field)?.type ?? fileFields[field as FileField]

/** Contains no spaces, because aria-describedby separates IDs by spaces. */
export const questionField = (questionId: string) => `question-${encodeURIComponent(questionId)}`

/** The script also shows some of these while the candidate types. */
export const formTexts = {
  firstName: 'Enter your first name.',
  lastName: 'Enter your last name.',
  email: 'Enter your email address.',
  notAnEmail: 'Enter an email address like name@example.com.',
  unwritable: 'This contains a character that cannot be saved. Type it in instead of pasting it.',
  oneLine: 'Keep this on one line.',
  chooseAnswer: 'Choose an answer.',
  enterAnswer: 'Answer this question.',
  confirmRead: 'Confirm that you have read this.',
  notAnAddress: 'Enter the full link, starting with https:// or http://.',
  noAnswerFile: 'Choose a file.',
  savedInfected:
    'A virus was found in the file saved with your draft. Choose another file, or tick its box to remove it.',
  noResume: 'Choose a resume, or “No resume”.',
  noFile: 'Choose a file to upload, or choose another resume or “No resume” above.',
  twoResumes: 'You chose a file here, but a different option above. Keep one of the two.',
  resumeGone: 'This resume can’t be sent: it was deleted, or a virus was found in it. Choose another.',
  tooLate:
    'The documents of this application can’t be replaced any longer: the company has seen it, or it was withdrawn. Nothing was changed.',
  tooOften: (max: number) =>
    `You have replaced this document ${max} times, and can’t do so again. The company gets the last one. Nothing was changed.`,
  noWork: 'Fill in at least one detail of your job, or choose not to include it.',
  months: (max: number) => `Enter a whole number of months up to ${max}, for example 18.`,
  tooLong: (max: number | string, length: number | string) =>
    `Use ${max} characters or fewer; you have ${length}.`,
} as const

export function readApplyForm(fields: SentFields, screen: Questionnaire | null): ApplyForm {
  const text = (name: string) => fields.get(name) ?? ''
  const questions = screen?.questions ?? []
  return {
    firstName: text('firstName'),
    lastName: text('lastName'),
    email: text('email'),
    phone: text('phone'),
    work: text('work'),
    jobTitle: text('jobTitle'),
    company: text('company'),
    months: text('months'),
    resume: text('resume'),
    keepResume: text('keepResume') === 'yes',
    keepForOthers: text('keepForOthers') === 'yes',
    coverLetterText: lines(text('coverLetterText')),
    answers: new Map(
      questions
        .filter(({ kind }) => kind !== 'file')
        .map(({ id, type }) => {
          const name = questionField(id)
          return [id, isTyped(type) ? lines(text(name)) : fields.all(name)]
        }),
    ),
  }
}

/** Browsers send line breaks as two characters. */
const lines = (text: string) => text.replaceAll(/\r\n?/g, '\n')

/** The form as first shown, with values from the profile. */
export function prefilledForm(
  candidate: { email: string; firstName: string; lastName: string; profile: Profile },
  resumes: readonly { id: string; scan: string; isDefault: boolean }[],
  now: EpochMs,
): ApplyForm {
  const { profile } = candidate
  // The profile is saved with the newest job first.
  const [job] = profile.workHistory
  const usable = resumes.filter(({ scan }) => scan !== 'infected')
  const resume = usable.find(({ isDefault }) => isDefault) ?? usable[0]
  return {
    firstName: candidate.firstName,
    lastName: candidate.lastName,
    email: candidate.email,
    phone: profile.phoneNumber ?? '',
    work: job?.to === null ? 'job' : 'none',
    jobTitle: job?.jobTitle ?? '',
    company: job?.companyName ?? '',
    months: job === undefined ? '' : String(monthsBetween(job.from, job.to ?? aestDayOf(now))),
    resume: resume?.id ?? 'upload',
    keepResume: true,
    keepForOthers: false,
    coverLetterText: '',
    answers: new Map(),
  }
}

/** Both dates begin with YYYY-MM. */
function monthsBetween(from: string, to: string): number {
  const count = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))
  return Math.max(0, count(to) - count(from))
}

/**
 * Identifies the questions that a form was rendered with. Which answers pass is left out, because the candidate
 * never sees that.
 */
export function questionsMark(screen: Questionnaire | null): string {
  const shown = screen?.questions.map(({ id, type, kind, text, isRequired, options }) => [
    [id, type, text, isRequired, ...(kind === undefined ? [] : [kind])],
    options.map(option => [option.id, option.text]),
  ])
  return sha256Hex(JSON.stringify([screen?.id, shown])).slice(0, 16)
}

/** Identifies the text of the ad that a form was rendered with, on which candidates base their decision. */
export function adMark(ad: JobAdFields & { timeZone: string }): string {
  const { questionnaire: _, reference: __, ...shown } = snapshotOf(ad, null, ad.timeZone)
  return sha256Hex(JSON.stringify(shown)).slice(0, 16)
}

/** Checks every field and returns all errors at once, in the order of the form. */
export function checkApplyForm(
  form: ApplyForm,
  { screen, resumes }: FormContext,
): { errors: FieldError[]; checked: CheckedForm } {
  const errors: FieldError[] = []
  const fail = (field: string, code: string, message: string) => {
    errors.push({ field, code, message })
  }

  /** `empty` is the message for an empty field; without it the field is optional. */
  function line(field: string, typed: string, maxLength: number, empty?: string): string {
    const value = oneLine(typed)
    const fault = lineBreak.test(typed.trim())
      ? 'line-break'
      : textFault(value, { maxLength, isRequired: empty !== undefined })
    if (fault === 'line-break') fail(field, fault, formTexts.oneLine)
    else if (fault === 'empty') fail(field, fault, empty ?? '')
    else if (fault === 'too-long') fail(field, fault, formTexts.tooLong(maxLength, value.length))
    else if (fault !== undefined) fail(field, fault, formTexts.unwritable)
    return value
  }

  function emailAddress(): string {
    const wrong = errors.length
    const value = line('email', form.email, emailLength, formTexts.email)
    if (errors.length === wrong && !isEmail(value)) {
      fail('email', 'not-an-email', formTexts.notAnEmail)
    }
    return value
  }

  function months(): number | undefined {
    const digits = form.months.replaceAll(/\s/g, '')
    if (digits === '') return undefined
    const value = Number(digits)
    if (/^\d{1,5}$/.test(digits) && value <= monthsInRole) return value
    fail('months', 'number', formTexts.months(monthsInRole))
    return undefined
  }

  function work(): PrimaryJobSeekingInfo | undefined {
    if (form.work === 'new') return { isNewToWorkForce: true }
    if (form.work !== 'job') return undefined
    const wrong = errors.length
    const jobTitle = line('jobTitle', form.jobTitle, nameLength)
    const companyName = line('company', form.company, nameLength)
    const timeInRoleMonths = months()
    const info: PrimaryJobSeekingInfo = {
      ...(jobTitle === '' ? {} : { jobTitle }),
      ...(companyName === '' ? {} : { companyName }),
      ...(timeInRoleMonths === undefined ? {} : { timeInRoleMonths }),
      isNewToWorkForce: false,
    }
    const isEmpty = Object.keys(info).length === 1
    if (isEmpty && errors.length === wrong) fail('jobTitle', 'empty', formTexts.noWork)
    return info
  }

  function coverLetterText(): string | undefined {
    const typed = form.coverLetterText
    const maxLength = longTextLength
    const fault = textFault(typed, { maxLength })
    if (fault === 'too-long') fail('coverLetterText', fault, formTexts.tooLong(maxLength, typed.length))
    else if (fault !== undefined) fail('coverLetterText', fault, formTexts.unwritable)
    return isVisible(typed) ? typed : undefined
  }

  function resume(): CheckedForm['resume'] {
    if (form.resume === 'none' || form.resume === 'upload') return { kind: form.resume }
    const stored = resumes.find(({ id }) => id === form.resume)
    if (form.resume === '') fail('resume', 'required', formTexts.noResume)
    else if (stored === undefined || stored.scan === 'infected') {
      fail('resume', 'unknown', formTexts.resumeGone)
    }
    return { kind: 'stored', id: form.resume }
  }

  const contact: Contact = {
    firstName: line('firstName', form.firstName, nameLength, formTexts.firstName),
    lastName: line('lastName', form.lastName, nameLength, formTexts.lastName),
    email: emailAddress(),
    phone: line('phone', form.phone, phoneLength),
  }
  const checkedWork = work()
  const letter = coverLetterText()
  if (screen !== null) errors.push(...checkAnswers(screen, form.answers, questionField))
  const checked: CheckedForm = {
    contact,
    work: checkedWork,
    resume: resume(),
    keepResume: form.keepResume,
    keepForOthers: form.keepForOthers,
    coverLetterText: letter,
    screen: screen === null ? undefined : questionnaireResult(screen, form.answers),
  }
  return { errors, checked }
}

/** Collapses white space of any kind to single spaces, because these values are shown on one line everywhere. */
function oneLine(value: string): string {
  return value.replaceAll(/\s+/g, ' ').trim()
}
