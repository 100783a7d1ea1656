import { isAnyAddress } from '../core/email.ts'
import type { FieldError } from '../core/problems.ts'
import { hasLineBreak, isVisible, type TextFault, textFault } from '../core/text.ts'
import type {
  ApplicationDraft,
  ApplicationFile,
  QuestionType,
  ScreenQuestion,
  ScreenResult,
} from '../model/application.ts'
import { isTyped } from '../model/questionnaire.ts'

export interface DraftLimits {
  nameLength: number
  emailLength: number
  phoneLength: number
  referenceLength: number
  longTextLength: number
  screenQuestions: number
  screenAnswers: number
  monthsInRole: number
}

const faultMessages: Record<TextFault | 'line-break', string> = {
  empty: 'must not be empty',
  'too-long': 'is too long',
  'unwritable-character': 'holds a character that cannot be written in JSON and XML',
  'line-break': 'must be one line',
}

/** Every field that cannot be taken, each with the reason; none when the draft may be stored. */
export function checkDraft(draft: ApplicationDraft, limits: DraftLimits): FieldError[] {
  const errors: FieldError[] = []
  const refuse = (field: string, code: string, message: string) => errors.push({ field, code, message })
  const text = (
    field: string,
    value: string | undefined,
    maxLength: number,
    required: boolean,
    isLine = false,
  ) => {
    if (value === undefined) return
    const fault =
      textFault(value, { maxLength, required: false }) ??
      (required && !isVisible(value) ? 'empty' : undefined) ??
      (isLine && hasLineBreak(value) ? 'line-break' : undefined)
    if (fault !== undefined) refuse(field, fault, `${field} ${faultMessages[fault]}.`)
  }
  const line = (field: string, value: string | undefined, maxLength: number, required: boolean) =>
    text(field, value, maxLength, required, true)

  const { contact, primaryJobSeekingInfo: info, screen } = draft
  text('jobSeekerId', draft.jobSeekerId, limits.nameLength, true)
  text('email', contact.email, limits.emailLength, true)
  if (!isAnyAddress(contact.email)) refuse('email', 'not-an-address', 'email must be an e-mail address.')
  line('firstName', contact.firstName, limits.nameLength, true)
  line('lastName', contact.lastName, limits.nameLength, true)
  line('phone', contact.phone, limits.phoneLength, false)
  text('jobReference', draft.jobReference, limits.referenceLength, true)
  line('primaryJobSeekingInfo.jobTitle', info?.jobTitle, limits.nameLength, true)
  line('primaryJobSeekingInfo.companyName', info?.companyName, limits.nameLength, true)
  const months = info?.timeInRoleMonths
  if (months !== undefined && !(Number.isInteger(months) && months >= 0 && months <= limits.monthsInRole)) {
    const field = 'primaryJobSeekingInfo.timeInRoleMonths'
    refuse(field, 'out-of-range', `${field} must be a whole number of months up to ${limits.monthsInRole}.`)
  }
  draft.files.forEach((file, index) => {
    checkFile(file, `files[${index}]`)
  })
  if (new Set(draft.files.map(file => file.type)).size < draft.files.length) {
    refuse('files', 'repeated', 'files may hold each type once.')
  }
  if (screen !== undefined) checkScreen(screen)
  return errors

  function checkFile(file: ApplicationFile, field: string): void {
    text(`${field}.fileName`, file.fileName, limits.nameLength, true)
    if (!/^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/.test(file.contentType)) {
      refuse(`${field}.contentType`, 'not-a-type', `${field}.contentType must be a media type.`)
    }
  }

  function checkScreen({ id, name, questions }: ScreenResult): void {
    text('screen.id', id, limits.nameLength, true)
    text('screen.name', name, limits.nameLength, true)
    if (questions.length > limits.screenQuestions) {
      refuse('screen.questions', 'too-many', `screen.questions may hold ${limits.screenQuestions} at most.`)
      return
    }
    questions.forEach((question, index) => {
      checkQuestion(question, `screen.questions[${index}]`)
    })
  }

  function checkQuestion({ id, type, text: questionText, answers }: ScreenQuestion, field: string): void {
    text(`${field}.id`, id, limits.nameLength, true)
    text(`${field}.text`, questionText, limits.longTextLength, true)
    const list = `${field}.answers`
    if (answers.length > limits.screenAnswers) {
      refuse(list, 'too-many', `${list} may hold ${limits.screenAnswers} at most.`)
      return
    }
    // Version 1 writes a Text question's answer as one object, so there is exactly one, unanswered or not.
    if (type === 'Text' && answers.length !== 1) {
      refuse(list, 'not-one', `${list} must hold exactly one for a Text question.`)
    }
    if (isForOneAnswer(type) && answers.filter(({ selected }) => selected).length > 1) {
      refuse(list, 'several', `${list} may hold one at most that is selected, for ${type}.`)
    }
    answers.forEach((answer, index) => {
      const each = `${list}[${index}]`
      text(`${each}.id`, answer.id, limits.nameLength, true)
      text(`${each}.text`, answer.text, limits.longTextLength, false)
      if (isTyped(type) && answer.selected !== (answer.text !== '')) {
        const why = `${each}.selected must be true when there is a text, and false when it is empty.`
        refuse(`${each}.selected`, 'not-as-entered', why)
      }
    })
  }
}

function isForOneAnswer(type: QuestionType): boolean {
  return type === 'MultipleChoiceOneAnswer' || type === 'True/False'
}
