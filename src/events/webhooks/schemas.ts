import { eventTypes } from '../../model/events.ts'
import { problemResponses } from '../../model/problem-responses.ts'
import { closedObject, numericId, optional, orNull, time } from '../../platform/core/input/json-body.ts'
import { type TSchema, Type } from '../../platform/core/input/json-schema.ts'
import type { ProblemCode } from '../../platform/core/problems.ts'
import { contentResponse, rateLimitHeaders } from '../../platform/http/documents.ts'
import { attemptOutcomes } from './ports.ts'
import { signatureSchemes } from './signing-rules.ts'

const closed = { additionalProperties: false }
const Time = Type.String({ format: 'date-time' })
const LaneState = Type.Enum(['waiting', 'running', 'done', 'cancelled', 'given-up'])
const attempt = {
  outcome: Type.Enum([...attemptOutcomes], {
    description:
      '`accepted`: 2xx. `refused`: any other status. `timeout`: no answer in time. `dns`: the name has no address, or its name server did not answer. `connect`: no connection. `tls`: no valid certificate. `address`: not a public address. `cut`: the connection ended before a status came.',
  }),
  status: orNull(Type.Integer()),
  ms: Type.Integer(),
  answer: orNull(Type.String({ description: 'The beginning of the answer to a failed attempt.' })),
}

export const WebhookSchema = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    description: Type.String(),
    types: Type.Array(Type.Enum([...eventTypes])),
    scheme: Type.Enum([...signatureSchemes]),
    state: Type.Enum(['new', 'active', 'failing', 'paused', 'stopped'], {
      description: '`new` until a test is answered; `stopped` after five days of failures, or 410.',
    }),
    createdAt: Time,
    lastSuccessAt: orNull(Time),
    failingSince: orNull(Time),
    stopReason: orNull(
      Type.Enum(['gone', 'failing', 'key-lost'], {
        description:
          '`key-lost`: this service was restored without the key of the secret. Rotate the secret, give it to your receiver, then resume.',
      }),
    ),
    overlapUntil: orNull(
      Type.String({ format: 'date-time', description: 'Until when the previous key signs as well.' }),
    ),
    key: Type.Optional(
      Type.String({
        description:
          'What your receiver verifies with. A secret (`whsec_…`, v1) is returned only when it is created or rotated; a public key (`whpk_…`, v1a) also when the endpoint is read.',
      }),
    ),
    test: Type.Optional(Type.Object(attempt, { ...closed, description: 'How the test ended.' })),
    resent: Type.Optional(Type.Integer({ description: 'How many parked events will be sent again.' })),
    replayId: Type.Optional(Type.String({ description: 'The header `dossier-replay` has it.' })),
    behind: Type.Optional(
      Type.Object(
        { events: Type.Integer(), oldestAt: orNull(Time), nextTryAt: orNull(Time) },
        { ...closed, description: 'Events that have not been accepted yet; counted up to a bound.' },
      ),
    ),
    attempts: Type.Optional(
      Type.Array(
        Type.Object(
          {
            at: Time,
            eventId: orNull(Type.String({ description: 'Null for a test.' })),
            attempt: Type.Integer(),
            ...attempt,
          },
          closed,
        ),
        { description: 'The newest first: failures, and some of the successes.' },
      ),
    ),
    replays: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String(),
            advertiserId: Type.Integer(),
            state: LaneState,
            delivered: Type.Integer(),
            createdAt: Time,
          },
          closed,
        ),
      ),
    ),
    parked: Type.Optional(
      Type.Array(
        Type.Object(
          { eventId: Type.String(), state: LaneState, tries: Type.Integer(), nextTryAt: orNull(Time) },
          closed,
        ),
        {
          description:
            'Events that the receiver refused while it accepted the next one, newest first. `given-up`: its retries are over, and `resend` sends it again.',
        },
      ),
    ),
  },
  { ...closed, $id: 'Webhook' },
)

const url = Type.String({ description: 'An https URL of a public host.' })
const types = Type.Array(Type.String(), { description: `Of: ${eventTypes.join(', ')}.` })

export const newWebhookBody = closedObject({
  url,
  types,
  description: optional(Type.String()),
  scheme: optional(
    Type.Enum([...signatureSchemes], {
      description:
        'v1 (default): shared secret. v1a: public key, for receivers that must not be able to sign.',
    }),
  ),
})

export const changedWebhookBody = closedObject({
  url: optional(url),
  types: optional(types),
  description: optional(Type.String()),
})

export const replayBody = closedObject({
  advertiserId: numericId('The advertiser whose events to send again. A company names itself.'),
  from: time(),
  to: optional(time()),
  types: optional(types),
})

export const rotateBody = closedObject({
  overlapHours: optional(Type.Integer({ description: '0 to 168; 24 by default.' })),
})

const callerProblems: ProblemCode[] = [
  ...(['invalid-token', 'invalid-credential'] as const),
  ...(['webhooks-not-allowed', 'advertiser-on-hold', 'rate-limited'] as const),
]
const bodyProblems: ProblemCode[] = ['invalid-fields', 'payload-too-large', 'unsupported-media-type']
const common = { tags: ['Webhooks'], security: [{ bearer: [] }, { sws: [] }] }
const one = { 'application/json': Type.Ref('Webhook') }
const webhookId = Type.String({ description: 'The ID of the endpoint.' })
const ok = (content: Parameters<typeof contentResponse>[1], description: string) => ({
  200: contentResponse(description, content, rateLimitHeaders),
})

/** A call of one endpoint. */
const act = (summary: string, operationId: string, problems: ProblemCode[] = []) => ({
  ...common,
  summary,
  operationId,
  params: Type.Object({ webhookId }),
  response: {
    ...ok(one, 'The endpoint in its current state.'),
    ...problemResponses([...callerProblems, 'not-found', ...problems]),
  },
})

const removal = (summary: string, operationId: string, params: TSchema = Type.Object({ webhookId })) => ({
  ...common,
  summary,
  operationId,
  params,
  response: {
    204: { description: 'Done.', type: 'null', headers: rateLimitHeaders },
    ...problemResponses([...callerProblems, 'not-found']),
  },
})

export const webhookSchemas = {
  list: {
    ...common,
    summary: 'List webhook endpoints',
    operationId: 'listWebhooks',
    response: {
      ...ok(
        { 'application/json': Type.Object({ webhooks: Type.Array(Type.Ref('Webhook')) }, closed) },
        'All endpoints, the oldest first.',
      ),
      ...problemResponses(callerProblems),
    },
  },
  create: {
    ...common,
    summary: 'Create a webhook endpoint',
    operationId: 'createWebhook',
    description:
      'The endpoint of an agent receives the events of every advertiser that authorises it, now and later; that of a company its own. Store the key, then call `test`: events are sent once a test has been answered.',
    body: newWebhookBody,
    response: {
      201: contentResponse('The new endpoint with its key.', one, {
        ...rateLimitHeaders,
        Location: { description: 'The URL of the new endpoint.', type: 'string' },
      }),
      ...problemResponses([...callerProblems, ...bodyProblems, 'endpoint-address']),
    },
  },
  read: act('Read a webhook endpoint with its last attempts', 'readWebhook'),
  change: {
    ...act('Change a webhook endpoint', 'changeWebhook', [
      ...bodyProblems,
      'endpoint-address',
      'endpoint-not-answering',
    ]),
    description:
      'Send only the fields to change. Another URL is sent a test first, unless the endpoint is new, and nothing is changed if the test fails.',
    body: changedWebhookBody,
  },
  remove: removal('Remove a webhook endpoint with its log', 'removeWebhook'),
  test: {
    ...act('Send a test', 'testWebhook'),
    description:
      'Sends `test.ping`. A 2xx answer makes a new endpoint active, and a failing one try again at once.',
  },
  rotate: {
    ...act('Rotate the key of a webhook endpoint', 'rotateWebhook', bodyProblems),
    description:
      'Returns the new key. The previous one signs as well until the overlap ends; keys before it no longer do. Send `{}` for the usual overlap.',
    body: rotateBody,
  },
  retire: act('End the overlap of two keys', 'retireWebhookKey'),
  resend: {
    ...act('Send parked events again', 'resendWebhooks'),
    description: 'Includes events that were given up.',
  },
  pause: {
    ...act('Pause a webhook endpoint', 'pauseWebhook'),
    description: 'Nothing is sent until it is resumed, and nothing is lost while events are kept.',
  },
  replay: {
    ...act('Send events again', 'replayWebhook', bodyProblems),
    description:
      'Sends events from a time on again beside new ones, in order, with the header `dossier-replay`; also those from before the endpoint existed.',
    body: replayBody,
  },
  cancelReplay: removal(
    'Cancel a replay',
    'cancelReplay',
    Type.Object({ webhookId, replayId: Type.String({ description: 'As `replayWebhook` returned it.' }) }),
  ),
  resume: {
    ...act('Resume a webhook endpoint', 'resumeWebhook', ['invalid-fields']),
    description: 'Continues where a paused or stopped endpoint was; a failing one is tried again at once.',
  },
}
