import { clientEventTypes, eventTypes } from '../../model/events.ts'
import { problemResponses } from '../../model/problem-responses.ts'
import { Type } from '../../platform/core/input/json-schema.ts'
import { maxPageSize } from '../../platform/core/input/page-parameters.ts'
import { contentResponse, rateLimitHeaders } from '../../platform/http/documents.ts'
import { clientFeedData, feedData, payloadSchemas } from '../payload-schemas.ts'
import { eventPageDefault, eventWaitSeconds } from './query.ts'

const strict = { additionalProperties: false }

export const eventEnvelope = {
  id: Type.String({
    description: 'Unique, and the same wherever the event appears.',
    examples: ['evt_10000001_1794614400123'],
  }),
  timestamp: Type.String({
    format: 'date-time',
    description: 'For people. The order is that of the feed.',
  }),
}

const EventSchema = Type.Object(
  {
    id: eventEnvelope.id,
    type: Type.Enum([...eventTypes, 'stream.restored']),
    timestamp: eventEnvelope.timestamp,
    data: feedData,
    application: Type.Optional(Type.Ref('JobApplication')),
    answers: Type.Optional(Type.Ref('ApplicationAnswers')),
  },
  { ...strict, $id: 'Event' },
)

const ClientEventSchema = Type.Object(
  {
    id: eventEnvelope.id,
    type: Type.Enum([...clientEventTypes, 'stream.restored']),
    timestamp: eventEnvelope.timestamp,
    data: clientFeedData,
  },
  { ...strict, $id: 'ClientEvent' },
)

const pageOf = (event: string) => ({
  events: Type.Array(Type.Ref(event)),
  cursor: Type.String({ description: 'Send it with the next request.' }),
  more: Type.Boolean({ description: 'Whether asking again at once brings more.' }),
})

/** The components of the OpenAPI document that the feeds use. */
export const feedSchemas = [
  ...payloadSchemas,
  EventSchema,
  Type.Object(pageOf('Event'), { ...strict, $id: 'Events' }),
  ClientEventSchema,
  Type.Object(pageOf('ClientEvent'), { ...strict, $id: 'ClientEvents' }),
]

const parametersOf = (types: readonly string[]) => ({
  cursor: Type.Optional(
    Type.String({
      description:
        'The cursor of the last answer. `now`, or none: an empty list and the cursor of this moment. `start`: the oldest event that is kept.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxPageSize,
      default: eventPageDefault,
      description: 'The maximum number of events in a response.',
    }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: eventWaitSeconds,
      default: 0,
      description: 'Seconds to wait for an event if there is none.',
    }),
  ),
  types: Type.Optional(
    Type.String({
      description: `Only these, separated by commas: ${types.map(type => `\`${type}\``).join(', ')}.`,
    }),
  ),
})

const description =
  'Returns what happened after the cursor, in order, without gap or repetition, and a cursor that has moved. With `wait`, the answer comes as soon as there is an event. Events contain no personal data.'

const problems = [
  'invalid-parameter',
  'repeated-parameter',
  'bad-cursor',
  'cursor-too-old',
  'too-many-waiting',
  'rate-limited',
] as const

export const advertiserFeedSchema = () => ({
  summary: 'Follow what happens to an advertiser',
  description,
  operationId: 'followEvents',
  tags: ['Version 1'],
  security: [{ sws: [] }],
  querystring: Type.Object({
    ...parametersOf(eventTypes),
    include: Type.Optional(
      Type.Enum(['application', 'answers', 'application,answers'], {
        description:
          '`application` adds the application of each event, as the list shows it now, with its primary job-seeking info. `answers` adds its answers with their kinds, and needs JSON.',
      }),
    ),
  }),
  response: {
    200: contentResponse(
      'The events.',
      { 'application/json': Type.Ref('Events'), 'application/xml': Type.String(), 'text/xml': Type.String() },
      rateLimitHeaders,
    ),
    ...problemResponses([
      ...problems,
      'invalid-credential',
      'advertiser-on-hold',
      'agent-not-authorised',
      'not-acceptable',
    ]),
  },
})

export const clientFeedSchema = () => ({
  summary: 'Follow what happens to the data that a client holds',
  description: `${description} A client learns here which prefilled applications it must delete, and a client of an agent which webhook endpoints of the agent fail.`,
  operationId: 'followClientEvents',
  tags: ['Version 2'],
  security: [{ bearer: [] }],
  querystring: Type.Object(parametersOf(clientEventTypes)),
  response: {
    200: contentResponse('The events.', { 'application/json': Type.Ref('ClientEvents') }, rateLimitHeaders),
    ...problemResponses([...problems, 'invalid-token']),
  },
})
