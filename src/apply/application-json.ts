import { type ApplicationDraft, type Contact, questionKinds, questionTypes } from '../model/application.ts'
import { closedObject, optional } from '../platform/core/input/json-body.ts'
import { type Static, Type } from '../platform/core/input/json-schema.ts'
import type { FieldError } from '../platform/core/problems.ts'

/** The draft check validates the texts, here and in the form. */
const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, ...(description === undefined ? {} : { description }) })

/** Describes an application sent by another system, without its files and questionnaire. */
export const applicant = {
  jobReference: optional(text(200, "Defaults to the job ad's reference.")),
  jobSeekerId: text(200, "The job board's ID for this candidate, always the same."),
  contact: closedObject(
    {
      email: text(254),
      firstName: text(200),
      lastName: text(200),
      phone: optional(Type.String({ maxLength: 50 })),
    },
    { description: 'No line breaks.' },
  ),
  primaryJobSeekingInfo: optional(
    closedObject({
      jobTitle: optional(text(200)),
      companyName: optional(text(200)),
      timeInRoleMonths: optional(Type.Integer({ minimum: 0, maximum: 1200 })),
      isNewToWorkForce: Type.Boolean(),
    }),
  ),
}

const Answer = closedObject({
  id: text(200),
  text: Type.String({ maxLength: 20_000 }),
  selected: Type.Boolean(),
})
const answersDescription =
  'Exactly one for a Text question. `selected` is true if text was entered. At most one option of True/False and MultipleChoiceOneAnswer is selected.'

/** Describes a questionnaire that was answered elsewhere, with its outcome. */
export const ResultBody = closedObject({
  id: text(200),
  name: text(200),
  successful: Type.Boolean(),
  questions: Type.Array(
    closedObject({
      id: text(200),
      type: Type.Enum([...questionTypes]),
      kind: optional(
        Type.Enum([...questionKinds], {
          description: 'Only with the type Text, and then the text of its answer has this form.',
        }),
      ),
      reference: optional(text(200, "The advertiser's own name of the question.")),
      text: text(10_000),
      answers: Type.Array(Answer, { maxItems: 200, description: answersDescription }),
    }),
    { maxItems: 200 },
  ),
})

const Applicant = Type.Object(applicant)

export function draftOf({
  contact,
  ...rest
}: Static<typeof Applicant>): Omit<ApplicationDraft, 'files' | 'screen'> {
  return { ...rest, contact: { phone: '', ...contact } }
}

const contactFields = new Set<string>(['email', 'firstName', 'lastName', 'phone'] satisfies (keyof Contact)[])

/** Translates the field paths of the draft check to the paths in the JSON. */
export function inSentNames({ field, code, message }: FieldError): FieldError {
  const path = contactFields.has(field) ? `contact.${field}` : field.replace(/^screen\./, 'screen.result.')
  return { field: path, code, message: message.replace(field, path) }
}
