import { isAnyAddress } from '../core/email.ts'
import type { FieldError } from '../core/problems.ts'
import { lineBreak, type TextRules, textFault, textFaultInWords } from '../core/text.ts'
import type { Limits } from '../limits.ts'
import type {
  ApplicationDraft,
  ApplicationFile,
  QuestionnaireResult,
  QuestionType,
  ResultQuestion,
} from '../model/application.ts'
import { isTyped } from '../model/questionnaire.ts'

export type DraftLimits = Pick<
  Limits,
  | 'nameLength'
  | 'emailLength'
  | 'phoneLength'
  | 'referenceLength'
  | 'longTextLength'
  | 'screenQuestions'
  | 'screenAnswers'
  | 'monthsInRole'
>

/** Returns an error for every invalid field; an empty list means that the draft can be stored. */
export function checkDraft(draft: ApplicationDraft, limits: DraftLimits): FieldError[] {
  const errors: FieldError[] = []
  const refuse = (field: string, code: string, message: string) => errors.push({ field, code, message })
  const check = (field: string, value: string | undefined, rules: TextRules) => {
    const fault = value === undefined ? undefined : textFault(value, rules)
    if (fault !== undefined) refuse(field, fault, `${field} ${textFaultInWords(fault, value ?? '', rules)}.`)
  }
  const text = (field: string, value: string | undefined, maxLength: number, isRequired: boolean) =>
    check(field, value, { maxLength, isRequired })
  const line = (field: string, value: string | undefined, maxLength: number, isRequired: boolean) =>
    check(field, value, { maxLength, isRequired, notOnOneLine: lineBreak })

  const { contact, primaryJobSeekingInfo: info, screen } = draft
  text('jobSeekerId', draft.jobSeekerId, limits.nameLength, true)
  text('email', contact.email, limits.emailLength, true)
  if (!isAnyAddress(contact.email)) refuse('email', 'not-an-address', 'email must be an email address.')
  line('firstName', contact.firstName, limits.nameLength, true)
  line('lastName', contact.lastName, limits.nameLength, true)
  line('phone', contact.phone, limits.phoneLength, false)
  text('jobReference', draft.jobReference, limits.referenceLength, true)
  line('primaryJobSeekingInfo.jobTitle', info?.jobTitle, limits.nameLength, true)
  line('primaryJobSeekingInfo.companyName', info?.companyName, limits.nameLength, true)
  const months = info?.timeInRoleMonths
  if (months !== undefined && !(Number.isInteger(months) && months >= 0 && months <= limits.monthsInRole)) {
    const field = 'primaryJobSeekingInfo.timeInRoleMonths'
    refuse(
      field,
      'out-of-range',
      `${field} must be a whole number of months from 0 to ${limits.monthsInRole}.`,
    )
  }
  draft.files.forEach((file, index) => {
    checkFile(file, `files[${index}]`)
  })
  if (new Set(draft.files.map(file => file.type)).size < draft.files.length) {
    refuse('files', 'repeated', 'files must contain each type at most once.')
  }
  if (screen !== undefined) checkQuestionnaire(screen)
  return errors

  function checkFile(file: ApplicationFile, field: string): void {
    text(`${field}.fileName`, file.fileName, limits.nameLength, true)
    if (!/^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/.test(file.contentType)) {
      refuse(`${field}.contentType`, 'not-a-type', `${field}.contentType must be a media type.`)
    }
  }

  function checkQuestionnaire({ id, name, questions }: QuestionnaireResult): void {
    text('screen.id', id, limits.nameLength, true)
    text('screen.name', name, limits.nameLength, true)
    if (questions.length > limits.screenQuestions) {
      refuse(
        'screen.questions',
        'too-many',
        `screen.questions must contain ${limits.screenQuestions} items or fewer.`,
      )
      return
    }
    questions.forEach((question, index) => {
      checkQuestion(question, `screen.questions[${index}]`)
    })
  }

  function checkQuestion({ id, type, text: questionText, answers }: ResultQuestion, field: string): void {
    text(`${field}.id`, id, limits.nameLength, true)
    text(`${field}.text`, questionText, limits.longTextLength, true)
    const list = `${field}.answers`
    if (answers.length > limits.screenAnswers) {
      refuse(list, 'too-many', `${list} must contain ${limits.screenAnswers} items or fewer.`)
      return
    }
    // Version 1 renders the answer to a Text question as one object, so there must be exactly one, even if empty.
    if (type === 'Text' && answers.length !== 1) {
      refuse(list, 'not-one', `${list} must contain exactly one item for a Text question.`)
    }
    if (isForOneAnswer(type) && answers.filter(({ selected }) => selected).length > 1) {
      refuse(list, 'several', `${list} must contain at most one selected item for ${type}.`)
    }
    answers.forEach((answer, index) => {
      const each = `${list}[${index}]`
      text(`${each}.id`, answer.id, limits.nameLength, true)
      text(`${each}.text`, answer.text, limits.longTextLength, false)
      if (isTyped(type) && answer.selected !== (answer.text !== '')) {
        const why = `${each}.selected must be true if text is not empty, and false if it is.`
        refuse(`${each}.selected`, 'not-as-entered', why)
      }
    })
  }
}

function isForOneAnswer(type: QuestionType): boolean {
  return type === 'MultipleChoiceOneAnswer' || type === 'True/False'
}
