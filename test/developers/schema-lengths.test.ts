import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { monthsInRole } from '../../src/apply/draft-check.ts'
import { jobDescriptionLength } from '../../src/jobs/job-ad-check.ts'
import { questionIdLength } from '../../src/jobs/questionnaire-check.ts'
import { screenAnswers, screenQuestions } from '../../src/model/questionnaire.ts'
import {
  longAnswerLength,
  longTextLength,
  nameLength,
  phoneLength,
  referenceLength,
} from '../../src/model/text-lengths.ts'
import { emailLength } from '../../src/platform/core/email.ts'
import { formUrlLength, postalCodeLength } from '../../src/share/prefill/prefill-request.ts'
import {
  callsOf,
  type OpenApiDocument,
  type Schema,
  variantsOf,
} from '../../src/site/docs/reference/openapi.ts'

const document: OpenApiDocument = JSON.parse(
  readFileSync(new URL('../../spec/openapi.json', import.meta.url), 'utf8'),
)

/** The schema of a body's field: its own, or the one beside null. */
function fieldAt(operationId: string, path: string): { schema: Schema; takesNull: boolean } {
  const call = callsOf(document).find(each => each.operationId === operationId)
  const [content] = Object.values(call?.requestBody?.content ?? {})
  let schema = content?.schema
  let takesNull = false
  for (const key of path.split('.')) {
    const inside = [schema, ...forms(schema)].find(form => form?.properties?.[key] ?? form?.items)
    schema = key === '[]' ? inside?.items : inside?.properties?.[key]
    takesNull = forms(schema).some(({ type }) => type === 'null')
    assert.ok(schema !== undefined, `${operationId} ${path}: ${key}`)
  }
  return { schema: forms(schema).find(({ type }) => type !== 'null') ?? (schema as Schema), takesNull }
}

/** Also those within a form that has several. */
function forms(schema: Schema | undefined): readonly Schema[] {
  return schema === undefined ? [] : variantsOf(schema).flatMap(form => [form, ...forms(form)])
}

type Bound = 'maxLength' | 'maxItems' | 'maximum'
const bounds: [operation: string, path: string, bound: Bound, limit: number][] = [
  ['intake-application', 'application.jobSeekerId', 'maxLength', nameLength],
  ['intake-application', 'application.jobReference', 'maxLength', referenceLength],
  ['intake-application', 'application.contact.email', 'maxLength', emailLength],
  ['intake-application', 'application.contact.firstName', 'maxLength', nameLength],
  ['intake-application', 'application.contact.lastName', 'maxLength', nameLength],
  ['intake-application', 'application.contact.phone', 'maxLength', phoneLength],
  ['intake-application', 'application.primaryJobSeekingInfo.jobTitle', 'maxLength', nameLength],
  ['intake-application', 'application.primaryJobSeekingInfo.timeInRoleMonths', 'maximum', monthsInRole],
  ['intake-application', 'application.screen.answers.[].text', 'maxLength', longAnswerLength],
  ['intake-application', 'application.screen.result.questions', 'maxItems', screenQuestions],
  ['intake-application', 'application.screen.result.questions.[].answers', 'maxItems', screenAnswers],
  ['createJobAd', 'title', 'maxLength', nameLength],
  ['createJobAd', 'location', 'maxLength', nameLength],
  ['createJobAd', 'description', 'maxLength', jobDescriptionLength],
  ['createJobAd', 'reference', 'maxLength', referenceLength],
  ['createScreen', 'name', 'maxLength', nameLength],
  ['createScreen', 'questions', 'maxItems', screenQuestions],
  ['createScreen', 'questions.[].id', 'maxLength', questionIdLength],
  ['createScreen', 'questions.[].text', 'maxLength', longTextLength],
  ['createScreen', 'questions.[].options', 'maxItems', screenAnswers],
  ['createScreen', 'questions.[].passingTexts', 'maxItems', screenAnswers],
  ['prefill', 'applicationFormUrl', 'maxLength', formUrlLength],
  ['prefill', 'positionTitle', 'maxLength', nameLength],
  ['prefill', 'positionUri', 'maxLength', formUrlLength],
  ['prefill', 'positionReference', 'maxLength', referenceLength],
  ['prefill', 'postalCode', 'maxLength', postalCodeLength],
]

test('the document states the lengths that the service accepts', () => {
  for (const [operation, path, bound, limit] of bounds) {
    assert.equal(fieldAt(operation, path).schema[bound], limit, `${operation} ${path}`)
  }
})

test('optional fields may be null', () => {
  for (const [operation, paths] of Object.entries({
    'intake-application': [
      'application.jobAdId',
      'application.submitted',
      'application.jobReference',
      'application.contact.phone',
      'application.primaryJobSeekingInfo',
      'application.primaryJobSeekingInfo.jobTitle',
      'application.screen',
      'application.screen.screenId',
    ],
    createJobAd: ['reference', 'screenId', 'closingDate'],
    createScreen: ['questions.[].id', 'questions.[].isRequired', 'questions.[].options.[].passes'],
    prefill: ['positionTitle', 'positionUri', 'positionReference', 'countryCode', 'postalCode'],
  })) {
    for (const path of paths) assert.ok(fieldAt(operation, path).takesNull, `${operation} ${path}`)
  }
})
