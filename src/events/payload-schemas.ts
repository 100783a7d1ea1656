import { stateOf } from '../model/application-status.ts'
import { categories } from '../model/categories.ts'
import type { EventType } from '../model/events.ts'
import { orNull } from '../platform/core/input/json-body.ts'
import { Type } from '../platform/core/input/json-schema.ts'

/** The content of events inside their envelope: one schema for each form of `data`. */

const closed = { additionalProperties: false }
const Time = Type.String({ format: 'date-time' })
const advertiser = { advertiserId: Type.Integer() }
const application = { ...advertiser, applicationId: Type.Integer() }
const State = Type.Enum(Object.values(stateOf))
const ScanState = Type.Enum(['unscanned', 'clean', 'infected'])

export const payloadSchemas = [
  Type.Object(
    {
      ...application,
      jobReference: orNull(Type.String()),
      jobAdId: orNull(Type.Integer()),
      hasUnscanned: Type.Boolean({ description: 'Whether a file waits for the virus scanner.' }),
    },
    { ...closed, $id: 'ArrivalData' },
  ),
  Type.Object(application, { ...closed, $id: 'ApplicationData' }),
  Type.Object(
    {
      ...application,
      from: State,
      to: State,
      at: Type.String({ format: 'date-time', description: 'When it happened, as its author says.' }),
      by: Type.Enum(['console', 'api', 'agent', 'candidate']),
      credentialId: Type.Optional(Type.String({ description: 'With `by: api`.' })),
      clientId: Type.Optional(Type.String({ description: 'With `by: agent`.' })),
    },
    { ...closed, $id: 'StatusData' },
  ),
  Type.Object(
    {
      ...application,
      until: orNull(
        Type.String({
          format: 'date',
          description: 'The last day, in the time zone of the advertiser; null: no longer.',
        }),
      ),
    },
    { ...closed, $id: 'KeepData', description: 'How long the candidate lets you keep it for other jobs.' },
  ),
  Type.Object(
    {
      ...application,
      attachmentType: Type.Enum(['resume', 'coverLetter', 'selectionCriteria', 'answer']),
      question: Type.Optional(
        Type.Integer({ description: 'With `attachmentType: answer`: which of the answers, from 1.' }),
      ),
      from: ScanState,
      to: ScanState,
    },
    { ...closed, $id: 'VerdictData' },
  ),
  Type.Object(
    {
      ...advertiser,
      prefilledApplicationId: Type.String(),
      positionReference: orNull(Type.String()),
      completedAt: Time,
    },
    { ...closed, $id: 'CompletionData' },
  ),
  Type.Object({ ...advertiser, agentId: Type.Integer() }, { ...closed, $id: 'AgentData' }),
  Type.Object({ ...advertiser, endpointId: Type.String(), since: Time }, { ...closed, $id: 'EndpointData' }),
  Type.Object({ ...advertiser, since: Time }, { ...closed, $id: 'RestoredData' }),
  Type.Object({ ...advertiser, from: Time, to: Time }, { ...closed, $id: 'GapData' }),
  Type.Object(
    { advertiserId: orNull(Type.Integer()), endpointId: Type.String() },
    { ...closed, $id: 'PingData' },
  ),
  Type.Object(
    {
      advertiserId: orNull(Type.Integer()),
      prefilledApplicationIds: Type.Array(Type.String(), { maxItems: 100 }),
    },
    { ...closed, $id: 'ReleasedData', description: 'What a client holds and must delete.' },
  ),
  Type.Object(
    {
      advertiserId: orNull(Type.Integer()),
      prefilledApplicationIds: Type.Array(Type.String(), { maxItems: 100 }),
      removedCategories: Type.Array(Type.Enum([...categories]), {
        description: 'What the candidate no longer shares: delete it from these prefilled applications.',
      }),
    },
    { ...closed, $id: 'NarrowedData' },
  ),
  Type.Object(
    { agentId: Type.Integer(), endpointId: Type.String(), since: Time },
    { ...closed, $id: 'AgentEndpointData', description: 'A webhook endpoint of the client’s agent.' },
  ),
]

export const feedData = Type.Union(
  [
    'ArrivalData',
    'ApplicationData',
    'VerdictData',
    'CompletionData',
    'AgentData',
    'EndpointData',
    'RestoredData',
    'StatusData',
    'KeepData',
  ].map(name => Type.Ref(name)),
  { description: 'By type: IDs and states, and no personal data.' },
)
export const clientFeedData = Type.Union(
  [
    Type.Ref('ReleasedData'),
    Type.Object({ since: Time }, closed),
    Type.Ref('AgentEndpointData'),
    Type.Ref('NarrowedData'),
  ],
  { description: 'By type; `since` alone with `stream.restored`.' },
)

interface Payload {
  /** The name of the schema of `data`. */
  data: string
  /** When the event occurs. */
  summary: string
  example: Record<string, unknown>
}

const advertiserId = 10000001
const applicationId = 4001
const arrival = { advertiserId, applicationId, jobReference: 'HCR-7', jobAdId: 32, hasUnscanned: true }
const time = '2026-11-14T00:00:00.000Z'
const someId = '00000000-0000-4000-8000-000000000000'

/** Schemas of webhook payloads, by type. A test compares them with real events. */
export const sentPayloads: Record<EventType | 'stream.gap' | 'stream.restored' | 'test.ping', Payload> = {
  'application.created': {
    data: 'ArrivalData',
    summary: 'A candidate or a job board has sent an application',
    example: arrival,
  },
  'application.imported': {
    data: 'ArrivalData',
    summary: 'An application came with an import',
    example: { ...arrival, hasUnscanned: false },
  },
  'application.erased': {
    data: 'ApplicationData',
    summary: 'The personal data of an application is gone: delete your copy',
    example: { advertiserId, applicationId },
  },
  'application.withdrawn': {
    data: 'ApplicationData',
    summary: 'The candidate has withdrawn an application',
    example: { advertiserId, applicationId },
  },
  'application.status-changed': {
    data: 'StatusData',
    summary: 'The status of an application has changed',
    example: { advertiserId, applicationId, from: 'viewed', to: 'interview', at: time, by: 'console' },
  },
  'application.keep-changed': {
    data: 'KeepData',
    summary: 'The candidate lets you keep an application for other jobs, or no longer',
    example: { advertiserId, applicationId, until: '2027-05-31' },
  },
  'attachment.scanned': {
    data: 'VerdictData',
    summary: 'A verdict came after the application was visible',
    example: { advertiserId, applicationId, attachmentType: 'resume', from: 'unscanned', to: 'clean' },
  },
  'prefill.completed': {
    data: 'CompletionData',
    summary: 'A candidate has completed a prefilled application',
    example: {
      advertiserId,
      prefilledApplicationId: someId,
      positionReference: 'HCR-7',
      completedAt: time,
    },
  },
  'agent.authorised': {
    data: 'AgentData',
    summary: 'The advertiser has authorised an agent',
    example: { advertiserId, agentId: 20000001 },
  },
  'agent.withdrawn': {
    data: 'AgentData',
    summary: 'The advertiser has withdrawn the authorisation of an agent',
    example: { advertiserId, agentId: 20000001 },
  },
  'webhook.failing': {
    data: 'EndpointData',
    summary: 'Another endpoint of the advertiser has failed for an hour',
    example: { advertiserId, endpointId: someId, since: time },
  },
  'webhook.stopped': {
    data: 'EndpointData',
    summary: 'Another endpoint of the advertiser was stopped',
    example: { advertiserId, endpointId: someId, since: time },
  },
  'stream.gap': {
    data: 'GapData',
    summary: 'Events of this time are no longer kept and were not sent: read the list once',
    example: { advertiserId, from: '2026-10-01T00:00:00.000Z', to: time },
  },
  'stream.restored': {
    data: 'RestoredData',
    summary: 'The service was restored and may have lost events: read the newest part of the list once',
    example: { advertiserId, since: time },
  },
  'test.ping': {
    data: 'PingData',
    summary: 'A test; answer it to make the endpoint active',
    example: { advertiserId, endpointId: someId },
  },
}
