import { questionKinds, questionTypes } from '../model/application.ts'
import { problemResponses } from '../model/problem-responses.ts'
import { type optional, orNull } from '../platform/core/input/json-body.ts'
import { type TSchema, Type } from '../platform/core/input/json-schema.ts'
import type { ProblemCode } from '../platform/core/problems.ts'
import {
  contentResponse,
  idempotencyHeaders,
  rateLimitHeaders,
  replayedHeader,
} from '../platform/http/documents.ts'
import { adDetails } from './ad-details-check.ts'
import { jobAdBody, shownDay } from './job-ad-check.ts'
import { questionnaireBody } from './questionnaire-check.ts'

const closed = { additionalProperties: false }

const Status = Type.Enum(['open', 'closed'], {
  description: 'An ad is also closed once its closing date has passed.',
})
const Time = Type.String({ format: 'date-time' })
const kept = { status: Status, createdAt: Time, updatedAt: Time }

export const JobAdSchema = Type.Object(
  {
    id: Type.Integer(),
    advertiserId: Type.Integer(),
    title: Type.String(),
    location: Type.String(),
    description: Type.String({
      description: 'Pages show a subset of Markdown: headings, lists, emphasis and links.',
    }),
    reference: orNull(Type.String()),
    screenId: orNull(Type.Integer()),
    closingDate: orNull(shownDay),
    ...adDetails(Type.Optional as typeof optional),
    warnings: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), message: Type.String() }, closed), {
        description: 'Fields that the ad should have by the rules of the job board, each with the reason.',
      }),
    ),
    hold: Type.Optional(
      Type.Object(
        { kind: Type.Enum(['review', 'held']), reason: orNull(Type.String()), at: Time },
        {
          ...closed,
          description:
            'Only while the operator of the job board keeps the ad off it, whatever its status: it waits for a review, or it is held. Its status is then `closed`.',
        },
      ),
    ),
    ...kept,
  },
  { ...closed, $id: 'JobAd' },
)

export const QuestionnaireSchema = Type.Object(
  {
    id: Type.Integer(),
    advertiserId: Type.Integer(),
    name: Type.String(),
    questions: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          type: Type.Enum([...questionTypes]),
          kind: Type.Optional(
            Type.Enum([...questionKinds], {
              description:
                'How a Text question is answered: with a number, a date (YYYY-MM-DD), a text of up to 20,000 characters, a file, or `Read` for a statement to read.',
            }),
          ),
          reference: Type.Optional(
            Type.String({ description: "The advertiser's own name of the question." }),
          ),
          text: Type.String(),
          isRequired: Type.Boolean(),
          options: Type.Array(
            Type.Object({ id: Type.String(), text: Type.String(), passes: Type.Boolean() }, closed),
          ),
          passingTexts: Type.Array(Type.String()),
        },
        closed,
      ),
    ),
    ...kept,
  },
  { ...closed, $id: 'Questionnaire' },
)

/** How the OpenAPI document names the six calls of each kind. */
export interface PostingWords {
  /** The kind in words, such as "job ad" in "Create a job ad". */
  one: string
  many: string
  /** The kind in operation IDs, such as `JobAd` in `createJobAd`. */
  operation: string
  /** The key of the list in the response. */
  listKey: string
  component: string
  body: TSchema
  /** Query parameters of the list that only this kind has. */
  filters: Record<string, TSchema>
  /** Rules for a replacement that only this kind has. */
  replacing?: string
  /** When a closed entry cannot be opened. */
  opening?: string
}

export const jobAdWords = (): PostingWords => ({
  one: 'job ad',
  many: 'job ads',
  operation: 'JobAd',
  listKey: 'jobAds',
  component: 'JobAd',
  body: jobAdBody(),
  filters: {
    reference: Type.Optional(Type.String({ description: 'Only ads with exactly this reference.' })),
  },
  opening:
    'A closed ad that lacks a field which the operator requires by law is rejected with 422 (`invalid-fields`): replace it first.',
})

export const questionnaireWords = (): PostingWords => ({
  one: 'screen',
  many: 'screens',
  operation: 'Screen',
  listKey: 'screens',
  component: 'Questionnaire',
  body: questionnaireBody(),
  filters: {},
  replacing:
    'Send the `id` of every question and option that stays. A question or option without an `id` is new and gets an ID that no other has had. If none of the questions, or none of the options of a question, has an `id`, the call is rejected with 422 (`ids-missing`), and the message lists the IDs to send.',
})

const callerProblems: ProblemCode[] = [
  'invalid-token',
  'advertiser-not-listed',
  'advertiser-on-hold',
  'rate-limited',
]
const bodyProblems: ProblemCode[] = ['invalid-fields', 'payload-too-large', 'unsupported-media-type']
const keyProblems: ProblemCode[] = ['invalid-parameter', 'idempotency-key-in-use', 'idempotency-key-reused']
const queryProblems: ProblemCode[] = ['invalid-parameter', 'repeated-parameter']

const IdParameter = Type.Object({
  id: Type.String({ description: 'The ID returned on creation or in the list.' }),
})
const Advertiser = Type.Integer({ description: 'The ID of the advertiser.' })

/** Documents the six calls of a kind. */
export function postingSchemas(words: PostingWords) {
  const { one, many, operation, listKey, component, body, filters, replacing, opening } = words
  const common = { tags: ['Intake'], security: [{ bearer: [] }] }
  const entry = { 'application/json': Type.Ref(component) }
  const ok = (description: string) => contentResponse(description, entry, rateLimitHeaders)
  const ofOne = { ...common, params: IdParameter, querystring: Type.Object({ advertiserId: Advertiser }) }
  const list = Type.Object({ [listKey]: Type.Array(Type.Ref(component)) }, closed)
  const oneResponses = {
    200: ok(`The ${one}.`),
    ...problemResponses([...callerProblems, ...queryProblems, 'not-found']),
  }
  return {
    create: {
      ...common,
      summary: `Create a ${one}`,
      operationId: `create${operation}`,
      headers: idempotencyHeaders(one),
      body,
      response: {
        201: contentResponse(`The new ${one}, open.`, entry, {
          ...rateLimitHeaders,
          ...replayedHeader,
          Location: { description: `The URL of the new ${one}.`, type: 'string' },
        }),
        ...problemResponses([...callerProblems, ...bodyProblems, ...keyProblems]),
      },
    },
    list: {
      ...common,
      summary: `List the ${many} of an advertiser`,
      description:
        'Returns open and closed entries in ascending order of ID. A page longer than a million characters ends before its limit. Follow Link to continue.',
      operationId: `list${operation}s`,
      querystring: Type.Object({
        advertiserId: Advertiser,
        afterId: Type.Optional(
          Type.String({ pattern: '^\\d{1,19}$', description: 'Only entries with a higher ID.' }),
        ),
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 1000,
            default: 100,
            description: 'The maximum number of entries on a page.',
          }),
        ),
        ...filters,
      }),
      response: {
        200: contentResponse(
          `The ${many}.`,
          { 'application/json': list },
          { ...rateLimitHeaders, Link: { description: 'The next page, if there is one.', type: 'string' } },
        ),
        ...problemResponses([...callerProblems, ...queryProblems]),
      },
    },
    read: { ...ofOne, summary: `Read a ${one}`, operationId: `read${operation}`, response: oneResponses },
    replace: {
      ...common,
      summary: `Replace a ${one}`,
      description: `Replaces all fields. Existing applications do not change.${replacing === undefined ? '' : ` ${replacing}`}`,
      operationId: `replace${operation}`,
      params: IdParameter,
      body,
      response: {
        200: ok(`The updated ${one}.`),
        ...problemResponses([...callerProblems, ...bodyProblems, 'not-found']),
      },
    },
    close: {
      ...ofOne,
      summary: `Close a ${one}`,
      description: 'You can safely repeat this call.',
      operationId: `close${operation}`,
      response: oneResponses,
    },
    open: {
      ...ofOne,
      summary: `Reopen a ${one}`,
      description: ['You can safely repeat this call.', opening].filter(Boolean).join(' '),
      operationId: `open${operation}`,
      response: {
        ...oneResponses,
        ...problemResponses([
          ...callerProblems,
          ...queryProblems,
          'not-found',
          ...(opening === undefined ? [] : (['invalid-fields'] as const)),
        ]),
      },
    },
  }
}
