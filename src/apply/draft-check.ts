import {
  type ApplicationDraft,
  type ApplicationFile,
  isDocument,
  type QuestionnaireResult,
  type QuestionType,
  questionNumberOf,
  type ResultQuestion,
} from '../model/application.ts'
import {
  isAnswerDay,
  isStoredNumber,
  isTyped,
  screenAnswers,
  screenQuestions,
  statementRead,
} from '../model/questionnaire.ts'
import { maxAnswerLength } from '../model/questionnaire-answers.ts'
import { longTextLength, nameLength, phoneLength, referenceLength } from '../model/text-lengths.ts'
import { emailLength, isAnyAddress } from '../platform/core/email.ts'
import type { FieldError } from '../platform/core/problems.ts'
import { lineBreak, type TextRules, textFault, textFaultInWords } from '../platform/core/text.ts'

/** Limit: A hundred years. */
export const monthsInRole = 1_200

/** Returns an error for every invalid field; an empty list means that the draft can be stored. */
export function checkDraft(draft: ApplicationDraft): FieldError[] {
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
  text('jobSeekerId', draft.jobSeekerId, nameLength, true)
  text('email', contact.email, emailLength, true)
  if (!isAnyAddress(contact.email)) refuse('email', 'not-an-address', 'email must be an email address.')
  line('firstName', contact.firstName, nameLength, true)
  line('lastName', contact.lastName, nameLength, true)
  line('phone', contact.phone, phoneLength, false)
  text('jobReference', draft.jobReference, referenceLength, true)
  line('primaryJobSeekingInfo.jobTitle', info?.jobTitle, nameLength, true)
  line('primaryJobSeekingInfo.companyName', info?.companyName, nameLength, true)
  const months = info?.timeInRoleMonths
  if (months !== undefined && !(Number.isInteger(months) && months >= 0 && months <= monthsInRole)) {
    const field = 'primaryJobSeekingInfo.timeInRoleMonths'
    refuse(field, 'out-of-range', `${field} must be a whole number of months from 0 to ${monthsInRole}.`)
  }
  draft.files.forEach((file, index) => {
    checkFile(file, `files[${index}]`)
  })
  if (new Set(draft.files.map(file => file.type)).size < draft.files.length) {
    refuse('files', 'repeated', 'files must contain each type at most once.')
  }
  if (screen !== undefined) checkQuestionnaire(screen)
  for (const { type } of draft.files) {
    if (isDocument(type) || screen?.questions[questionNumberOf(type) - 1]?.kind === 'file') continue
    refuse(
      type,
      'not-asked',
      `The questionnaire does not ask for a file as its question ${questionNumberOf(type)}.`,
    )
  }
  return errors

  function checkFile(file: ApplicationFile, field: string): void {
    text(`${field}.fileName`, file.fileName, nameLength, true)
    if (!/^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/.test(file.contentType)) {
      refuse(`${field}.contentType`, 'not-a-type', `${field}.contentType must be a media type.`)
    }
  }

  function checkQuestionnaire({ id, name, questions }: QuestionnaireResult): void {
    text('screen.id', id, nameLength, true)
    text('screen.name', name, nameLength, true)
    if (questions.length > screenQuestions) {
      refuse(
        'screen.questions',
        'too-many',
        `screen.questions must contain ${screenQuestions} items or fewer.`,
      )
      return
    }
    questions.forEach((question, index) => {
      checkQuestion(question, `screen.questions[${index}]`)
    })
  }

  function checkQuestion(question: ResultQuestion, field: string): void {
    const { id, type, text: questionText, answers } = question
    text(`${field}.id`, id, nameLength, true)
    text(`${field}.text`, questionText, longTextLength, true)
    const list = `${field}.answers`
    if (answers.length > screenAnswers) {
      refuse(list, 'too-many', `${list} must contain ${screenAnswers} items or fewer.`)
      return
    }
    if (question.kind !== undefined && !hasFormOf(question)) {
      const why = `${field} has the kind ${question.kind}, which must be a Text question whose answer is empty or has that form.`
      refuse(`${field}.kind`, 'not-of-this-kind', why)
    }
    if (question.reference !== undefined) {
      line(`${field}.reference`, question.reference, referenceLength, true)
    }
    // Version 1 renders the answer to a Text question as one object, so there must be exactly one answer, even if empty.
    if (type === 'Text' && answers.length !== 1) {
      refuse(list, 'not-one', `${list} must contain exactly one item for a Text question.`)
    }
    if (isForOneAnswer(type) && answers.filter(({ selected }) => selected).length > 1) {
      refuse(list, 'several', `${list} must contain at most one selected item for ${type}.`)
    }
    answers.forEach((answer, index) => {
      const each = `${list}[${index}]`
      text(`${each}.id`, answer.id, nameLength, true)
      text(`${each}.text`, answer.text, maxAnswerLength(question), false)
      if (isTyped(type) && answer.selected !== (answer.text !== '')) {
        const why = `${each}.selected must be true if text is not empty, and false if it is.`
        refuse(`${each}.selected`, 'not-as-entered', why)
      }
    })
  }
}

function hasFormOf({ type, kind, answers }: ResultQuestion): boolean {
  const text = answers[0]?.text ?? ''
  if (type !== 'Text') return false
  if (text === '') return true
  if (kind === 'file') return false
  if (kind === 'number') return isStoredNumber(text)
  if (kind === 'date') return isAnswerDay(text)
  return kind !== 'statement' || text === statementRead
}

function isForOneAnswer(type: QuestionType): boolean {
  return type === 'MultipleChoiceOneAnswer' || type === 'True/False'
}
