import type { EpochMs } from '../../core/clock.ts'
import { isEmail } from '../../core/email.ts'
import { sha256Hex } from '../../core/hashing.ts'
import type { FieldError } from '../../core/problems.ts'
import { hasLineBreak, isVisible, textFault } from '../../core/text.ts'
import type { Contact, FileType, PrimaryJobSeekingInfo, ScreenResult } from '../../model/application.ts'
import { dayOf } from '../../model/job-ad.ts'
import type { Profile } from '../../model/profile.ts'
import { type Answers, isTyped, type Screen } from '../../model/questionnaire.ts'
import { type AnswerLimits, checkAnswers } from '../../model/questionnaire-answers.ts'
import { screenResult } from '../../model/questionnaire-outcome.ts'
import type { DraftLimits } from '../draft-check.ts'

/** What a form sends; names may be anything. */
export interface SentFields {
  get(name: string): string | undefined
  all(name: string): string[]
}

/** The form as it stands on the page: whatever was typed, right or wrong. */
export interface ApplyForm extends Contact {
  /** What is said about the candidate's work: nothing, a job, or that it would be the first. */
  work: string
  jobTitle: string
  company: string
  months: string
  /** The ID of a stored resume, `upload` or `none`. */
  resume: string
  /** Whether an uploaded one is kept for the next time. */
  keepResume: boolean
  answers: Answers
}

export type FormLimits = DraftLimits & AnswerLimits

/** What the form is held against. */
export interface FormContext {
  screen: Screen | null
  /** Those of the candidate. */
  resumes: readonly { id: string; scan: string }[]
  limits: FormLimits
}

/** What the candidate wants to send, as far as it stands in the text fields. */
export interface CheckedForm {
  contact: Contact
  resume: { kind: 'none' | 'upload' } | { kind: 'stored'; id: string }
  keepResume: boolean
  work: PrimaryJobSeekingInfo | undefined
  screen: ScreenResult | undefined
}

/** The fields that hold files, in the order of the form. */
export const fileFields = {
  resumeFile: 'resume',
  coverLetter: 'coverLetter',
  selectionCriteria: 'selectionCriteria',
} as const satisfies Record<string, FileType>

export type FileField = keyof typeof fileFields

/** No blank in it, so that it can stand among the IDs that describe a field. */
export const questionField = (questionId: string) => `question-${encodeURIComponent(questionId)}`

/** Shown by the script as well, while somebody types. */
export const formTexts = {
  firstName: 'Enter your first name.',
  lastName: 'Enter your last name.',
  email: 'Enter your e-mail address.',
  notAnEmail: 'Enter an e-mail address such as name@example.com.',
  unwritable: 'There is a character in it that cannot be saved. Type it again instead of pasting it.',
  oneLine: 'Write it on one line.',
  chooseAnswer: 'Choose an answer.',
  enterAnswer: 'Answer this question.',
  notAnAddress: 'Enter the whole address of a page, beginning with https:// or http://.',
  noResume: 'Say which resume you want to send, or that you send none.',
  noFile: 'Choose the file to upload, or say above that you send another resume or none.',
  twoResumes: 'You chose a file here, but another resume above, or none. Choose one of them.',
  resumeGone: 'This resume cannot be sent: it was deleted, or a virus was found in it. Choose another.',
  noWork: 'Say something about your job, or choose to leave it out.',
  months: (most: number) => `Enter a whole number of months up to ${most}, for example 18.`,
  tooLong: (most: number | string, length: number | string) =>
    `Use ${most} characters at most; there are ${length}.`,
} as const

export function readApplyForm(fields: SentFields, screen: Screen | null): ApplyForm {
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
    answers: new Map(
      questions.map(({ id, type }) => {
        const name = questionField(id)
        // Browsers send line ends as two characters.
        return [id, isTyped(type) ? text(name).replaceAll(/\r\n?/g, '\n') : fields.all(name)]
      }),
    ),
  }
}

/** The form before anything was typed: as much as is known already. */
export function prefilledForm(
  candidate: { email: string; firstName: string; lastName: string; profile: Profile },
  resumes: readonly { id: string; scan: string; isDefault: boolean }[],
  now: EpochMs,
): ApplyForm {
  const { profile } = candidate
  // As it is saved, the newest comes first.
  const [job] = profile.workHistory
  const usable = resumes.filter(({ scan }) => scan !== 'infected')
  const resume = usable.find(({ isDefault }) => isDefault) ?? usable[0]
  return {
    firstName: candidate.firstName,
    lastName: candidate.lastName,
    email: candidate.email,
    phone: profile.phoneNumber ?? '',
    // Nothing of it goes out unless the candidate says so.
    work: 'none',
    jobTitle: job?.jobTitle ?? '',
    company: job?.companyName ?? '',
    months: job === undefined ? '' : String(monthsBetween(job.from, job.to ?? dayOf(now))),
    resume: resume?.id ?? 'upload',
    keepResume: true,
    answers: new Map(),
  }
}

/** Both begin with YYYY-MM. */
function monthsBetween(from: string, to: string): number {
  const count = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))
  return Math.max(0, count(to) - count(from))
}

/**
 * Tells whether the questions are still those that the form was made with. Which answers pass does not count:
 * the candidate has not seen that.
 */
export function questionsMark(screen: Screen | null): string {
  const shown = screen?.questions.map(({ id, type, text, isRequired, options }) => [
    [id, type, text, isRequired],
    options.map(option => [option.id, option.text]),
  ])
  return sha256Hex(JSON.stringify([screen?.id, shown])).slice(0, 16)
}

/** Every field is checked, so that everything wrong is told at once, in the order of the form. */
export function checkApplyForm(
  form: ApplyForm,
  { screen, resumes, limits }: FormContext,
): { errors: FieldError[]; checked: CheckedForm } {
  const errors: FieldError[] = []
  const fail = (field: string, code: string, message: string) => {
    errors.push({ field, code, message })
  }

  /** `empty` is what to say when there is nothing; without it there may be nothing. */
  function line(field: string, typed: string, maxLength: number, empty?: string): string {
    const value = oneLine(typed)
    const isMissing = empty !== undefined && !isVisible(value)
    const fault = isMissing ? 'empty' : textFault(value, { maxLength, required: false })
    if (isMissing) fail(field, 'empty', empty)
    else if (hasLineBreak(typed.trim())) fail(field, 'line-break', formTexts.oneLine)
    else if (fault === 'too-long') fail(field, fault, formTexts.tooLong(maxLength, value.length))
    else if (fault !== undefined) fail(field, fault, formTexts.unwritable)
    return value
  }

  function emailAddress(): string {
    const wrong = errors.length
    const value = line('email', form.email, limits.emailLength, formTexts.email)
    if (errors.length === wrong && !isEmail(value, limits)) {
      fail('email', 'not-an-email', formTexts.notAnEmail)
    }
    return value
  }

  function months(): number | undefined {
    const digits = form.months.replaceAll(/\s/g, '')
    if (digits === '') return undefined
    const value = Number(digits)
    if (/^\d{1,5}$/.test(digits) && value <= limits.monthsInRole) return value
    fail('months', 'number', formTexts.months(limits.monthsInRole))
    return undefined
  }

  function work(): PrimaryJobSeekingInfo | undefined {
    if (form.work === 'new') return { isNewToWorkForce: true }
    if (form.work !== 'job') return undefined
    const wrong = errors.length
    const jobTitle = line('jobTitle', form.jobTitle, limits.nameLength)
    const companyName = line('company', form.company, limits.nameLength)
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
    firstName: line('firstName', form.firstName, limits.nameLength, formTexts.firstName),
    lastName: line('lastName', form.lastName, limits.nameLength, formTexts.lastName),
    email: emailAddress(),
    phone: line('phone', form.phone, limits.phoneLength),
  }
  const checkedWork = work()
  if (screen !== null) errors.push(...checkAnswers(screen, form.answers, limits, questionField))
  const checked: CheckedForm = {
    contact,
    work: checkedWork,
    resume: resume(),
    keepResume: form.keepResume,
    screen: screen === null ? undefined : screenResult(screen, form.answers),
  }
  return { errors, checked }
}

/** White space of any kind is one space: these stand in one line everywhere. */
function oneLine(value: string): string {
  return value.replaceAll(/\s+/g, ' ').trim()
}
