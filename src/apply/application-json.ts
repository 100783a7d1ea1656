import type { JsonFields } from '../core/input/json-fields.ts'
import type { FieldError } from '../core/problems.ts'
import {
  type ApplicationDraft,
  type Contact,
  type QuestionnaireResult,
  questionTypes,
} from '../model/application.ts'

/** Reads an application sent by another system, without its files. The draft check validates the texts. */
export function readApplication(fields: JsonFields): Omit<ApplicationDraft, 'files'> {
  const screen = fields.optionalObject('screen', screen => screen.object('result', readQuestionnaireResult))
  return { ...readApplicant(fields), ...(screen === undefined ? {} : { screen }) }
}

/** Reads everything but the questionnaire, which intake also accepts in other forms. */
export function readApplicant(fields: JsonFields): Omit<ApplicationDraft, 'files' | 'screen'> {
  const jobReference = fields.optionalText('jobReference')
  const info = fields.optionalObject('primaryJobSeekingInfo', readPrimaryInfo)
  return {
    jobSeekerId: fields.text('jobSeekerId'),
    contact: readContact(fields),
    ...(jobReference === undefined ? {} : { jobReference }),
    ...(info === undefined ? {} : { primaryJobSeekingInfo: info }),
  }
}

function readContact(fields: JsonFields): Contact {
  const contact = fields.object('contact', contact => ({
    email: contact.text('email'),
    firstName: contact.text('firstName'),
    lastName: contact.text('lastName'),
    phone: contact.optionalText('phone') ?? '',
  }))
  return contact ?? { email: '', firstName: '', lastName: '', phone: '' }
}

function readPrimaryInfo(info: JsonFields) {
  const jobTitle = info.optionalText('jobTitle')
  const companyName = info.optionalText('companyName')
  const timeInRoleMonths = info.optionalNumber('timeInRoleMonths')
  return {
    ...(jobTitle === undefined ? {} : { jobTitle }),
    ...(companyName === undefined ? {} : { companyName }),
    ...(timeInRoleMonths === undefined ? {} : { timeInRoleMonths }),
    isNewToWorkForce: info.flag('isNewToWorkForce'),
  }
}

/** Reads a questionnaire that was answered elsewhere, with its outcome. */
export function readQuestionnaireResult(screen: JsonFields): QuestionnaireResult {
  return {
    id: screen.text('id'),
    name: screen.text('name'),
    successful: screen.flag('successful'),
    questions: screen.requiredList('questions', question => ({
      id: question.text('id'),
      type: question.oneOf('type', questionTypes),
      text: question.text('text'),
      answers: question.requiredList('answers', answer => ({
        id: answer.text('id'),
        text: answer.text('text'),
        selected: answer.flag('selected'),
      })),
    })),
  }
}

const contactFields = new Set<string>(['email', 'firstName', 'lastName', 'phone'] satisfies (keyof Contact)[])

/** Translates the field paths of the draft check to the paths in the JSON. */
export function inSentNames({ field, code, message }: FieldError): FieldError {
  const path = contactFields.has(field) ? `contact.${field}` : field.replace(/^screen\./, 'screen.result.')
  return { field: path, code, message: message.replace(field, path) }
}
