import { type TSchema, Type } from 'typebox'
import type { ProblemCode } from '../core/problems.ts'
import {
  contentResponse,
  idempotencyHeaders,
  optional,
  orNull,
  problemResponses,
  rateLimitHeaders,
  replayedHeader,
  text,
} from '../http/documents.ts'
import { questionTypes } from '../model/application.ts'

const closed = { additionalProperties: false }

const ScreenId = Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^\\d+$' })], {
  description: 'A number, or a text of digits: an open screen of the same advertiser.',
})
const AdvertiserId = Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^\\d+$' })], {
  description: 'A number, or a text of digits: an advertiser listed on the client.',
})
const Status = Type.Enum(['open', 'closed'], {
  description: 'An ad is closed, too, once its closing date has passed.',
})
const Day = Type.String({
  format: 'date',
  description: 'The last day on which applications are taken, AEST.',
})
const Time = Type.String({ format: 'date-time' })
const kept = { status: Status, createdAt: Time, updatedAt: Time }

const JobAdBody = Type.Object(
  {
    advertiserId: AdvertiserId,
    title: text(200, 'One line.'),
    location: text(200, 'One line.'),
    description: text(20_000, 'Plain text; line breaks are kept.'),
    reference: optional(
      Type.String({ maxLength: 200, description: "The advertiser's own, shown in version 1." }),
    ),
    screenId: optional(ScreenId),
    closingDate: optional(Day),
  },
  closed,
)

export const JobAdSchema = Type.Object(
  {
    id: Type.Integer(),
    advertiserId: Type.Integer(),
    title: Type.String(),
    location: Type.String(),
    description: Type.String(),
    reference: orNull(Type.String()),
    screenId: orNull(Type.Integer()),
    closingDate: orNull(Day),
    ...kept,
  },
  { ...closed, $id: 'JobAd' },
)

const QuestionKind = Type.Enum([...questionTypes])
const Id = Type.String({
  minLength: 1,
  maxLength: 50,
  description: 'Visible ASCII characters; numbered by us when it is left out.',
})

const ScreenBody = Type.Object(
  {
    advertiserId: AdvertiserId,
    name: text(200, 'One line.'),
    questions: Type.Array(
      Type.Object(
        {
          id: optional(Id),
          type: QuestionKind,
          text: text(10_000),
          isRequired: optional(Type.Boolean()),
          options: optional(
            Type.Array(
              Type.Object(
                {
                  id: optional(Id),
                  text: text(10_000),
                  passes: optional(Type.Boolean()),
                },
                closed,
              ),
              {
                maxItems: 200,
                description: 'To choose from. `True/False` has True and False, also when they are left out.',
              },
            ),
          ),
          passingTexts: optional(
            Type.Array(text(10_000), {
              maxItems: 200,
              description:
                'For Text and URLQuestion: what passes. For a URLQuestion each is the address of a page, of up to 2,000 characters. Letter case, blanks around it and how many stand between words make no difference.',
            }),
          ),
        },
        closed,
      ),
      { minItems: 1, maxItems: 200 },
    ),
  },
  closed,
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
          type: QuestionKind,
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

/** What the six calls of a kind are called in the document. */
export interface PostingWords {
  /** As in "Post a job ad". */
  one: string
  many: string
  /** As in `createJobAd`. */
  operation: string
  /** The key of the list in its answer. */
  listKey: string
  component: string
  body: TSchema
  /** Parameters of the list beyond those of both. */
  filters: Record<string, TSchema>
}

export const jobAdWords: PostingWords = {
  one: 'job ad',
  many: 'job ads',
  operation: 'JobAd',
  listKey: 'jobAds',
  component: 'JobAd',
  body: JobAdBody,
  filters: {
    reference: Type.Optional(Type.String({ description: 'Only ads with exactly this reference.' })),
  },
}

export const screenWords: PostingWords = {
  one: 'screen',
  many: 'screens',
  operation: 'Screen',
  listKey: 'screens',
  component: 'Questionnaire',
  body: ScreenBody,
  filters: {},
}

const callerProblems: ProblemCode[] = [
  'invalid-token',
  'advertiser-not-listed',
  'advertiser-on-hold',
  'rate-limited',
]
const bodyProblems: ProblemCode[] = ['invalid-fields', 'payload-too-large', 'unsupported-media-type']
const keyProblems: ProblemCode[] = ['invalid-parameter', 'idempotency-key-in-use', 'idempotency-key-reused']
const queryProblems: ProblemCode[] = ['invalid-parameter', 'repeated-parameter']

const IdParameter = Type.Object({ id: Type.String({ description: 'The ID from its creation or the list.' }) })
const Advertiser = Type.Integer({ description: 'The advertiser whose it is.' })

/** The documentation of the six calls. */
export function postingSchemas({ one, many, operation, listKey, component, body, filters }: PostingWords) {
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
          Location: { description: 'Where it can be read.', type: 'string' },
        }),
        ...problemResponses([...callerProblems, ...bodyProblems, ...keyProblems]),
      },
    },
    list: {
      ...common,
      summary: `List the ${many} of an advertiser`,
      description:
        'Ascending by ID, open and closed. A page ends before its limit when it has more than a million characters: go on by Link.',
      operationId: `list${operation}s`,
      querystring: Type.Object({
        advertiserId: Advertiser,
        afterId: Type.Optional(
          Type.String({ pattern: '^\\d{1,19}$', description: 'Only what has a higher ID.' }),
        ),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
        ...filters,
      }),
      response: {
        200: contentResponse(
          `The ${many}.`,
          { 'application/json': list },
          { ...rateLimitHeaders, Link: { description: 'The next page, when more follow.', type: 'string' } },
        ),
        ...problemResponses([...callerProblems, ...queryProblems]),
      },
    },
    read: { ...ofOne, summary: `Read a ${one}`, operationId: `read${operation}`, response: oneResponses },
    replace: {
      ...common,
      summary: `Replace a ${one}`,
      description: 'The whole of it. Applications that were made before keep what they had.',
      operationId: `replace${operation}`,
      params: IdParameter,
      body,
      response: {
        200: ok(`The ${one} as it is now.`),
        ...problemResponses([...callerProblems, ...bodyProblems, 'not-found']),
      },
    },
    close: {
      ...ofOne,
      summary: `Close a ${one}`,
      description: 'Repeating it is harmless.',
      operationId: `close${operation}`,
      response: oneResponses,
    },
    open: {
      ...ofOne,
      summary: `Open a ${one} again`,
      description: 'Repeating it is harmless.',
      operationId: `open${operation}`,
      response: oneResponses,
    },
  }
}
