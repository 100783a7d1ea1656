import { type TSchema, Type } from 'typebox'
import { questionTypes } from '../applications/rules.ts'
import type { ProblemCode } from '../core/problems.ts'
import { contentResponse, problemResponses, rateLimitHeaders } from '../http/documents.ts'

const closed = { additionalProperties: false }
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const AdvertiserId = Type.Union([Type.Integer(), Type.String()], {
  description: 'A number, or a text of digits: an advertiser listed on the client.',
})
const Status = Type.Enum(['open', 'closed'])
const Day = Type.String({
  format: 'date',
  description: 'The last day on which applications are taken, AEST.',
})
const Time = Type.String({ format: 'date-time' })
const kept = { status: Status, createdAt: Time, updatedAt: Time }

const JobAdBody = Type.Object(
  {
    advertiserId: AdvertiserId,
    title: Type.String(),
    location: Type.String(),
    description: Type.String({ description: 'Plain text; line breaks are kept.' }),
    reference: Type.Optional(
      orNull(Type.String({ description: "The advertiser's own, shown in version 1." })),
    ),
    screenId: Type.Optional(orNull(Type.Integer({ description: 'An open screen of the same advertiser.' }))),
    closingDate: Type.Optional(orNull(Day)),
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
    name: Type.String(),
    questions: Type.Array(
      Type.Object(
        {
          id: Type.Optional(Id),
          type: QuestionKind,
          text: Type.String(),
          isRequired: Type.Optional(Type.Boolean()),
          options: Type.Optional(
            Type.Array(
              Type.Object(
                {
                  id: Type.Optional(Id),
                  text: Type.String(),
                  passes: Type.Optional(Type.Boolean()),
                },
                closed,
              ),
              {
                description: 'To choose from. `True/False` has True and False, also when they are left out.',
              },
            ),
          ),
          passingTexts: Type.Optional(
            Type.Array(Type.String(), {
              description:
                'For Text and URLQuestion: what passes. Letter case, blanks around it and how many stand between words make no difference.',
            }),
          ),
        },
        closed,
      ),
      { minItems: 1 },
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
}

export const jobAdWords: PostingWords = {
  one: 'job ad',
  many: 'job ads',
  operation: 'JobAd',
  listKey: 'jobAds',
  component: 'JobAd',
  body: JobAdBody,
}

export const screenWords: PostingWords = {
  one: 'screen',
  many: 'screens',
  operation: 'Screen',
  listKey: 'screens',
  component: 'Questionnaire',
  body: ScreenBody,
}

const callerProblems: ProblemCode[] = [
  'invalid-token',
  'advertiser-not-listed',
  'advertiser-on-hold',
  'rate-limited',
]
const bodyProblems: ProblemCode[] = ['invalid-fields', 'payload-too-large', 'unsupported-media-type']
const queryProblems: ProblemCode[] = ['invalid-parameter', 'repeated-parameter']

const IdParameter = Type.Object({ id: Type.String({ description: 'The ID from its creation or the list.' }) })
const Advertiser = Type.Integer({ description: 'The advertiser whose it is.' })

/** The documentation of the six calls. */
export function postingSchemas({ one, many, operation, listKey, component, body }: PostingWords) {
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
      body,
      response: {
        201: contentResponse(`The new ${one}, open.`, entry, {
          ...rateLimitHeaders,
          Location: { description: 'Where it can be read.', type: 'string' },
        }),
        ...problemResponses([...callerProblems, ...bodyProblems]),
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
