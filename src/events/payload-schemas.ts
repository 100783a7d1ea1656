import { orNull } from '../core/input/json-body.ts'
import { Type } from '../core/input/json-schema.ts'
import type { EventType } from '../model/events.ts'

/** What the events contain besides their envelope: one schema for each form of `data`. */

const closed = { additionalProperties: false }
const Time = Type.String({ format: 'date-time' })
const advertiser = { advertiserId: Type.Integer() }
const application = { ...advertiser, applicationId: Type.Integer() }
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
      attachmentType: Type.Enum(['resume', 'coverLetter', 'selectionCriteria']),
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
  ].map(name => Type.Ref(name)),
  { description: 'By type: IDs and states, and no personal data.' },
)
export const clientFeedData = Type.Union([Type.Ref('ReleasedData'), Type.Object({ since: Time }, closed)], {
  description: 'By type; `since` alone with `stream.restored`.',
})

interface Payload {
  /** The name of the schema of `data`. */
  data: string
  /** When it happens. */
  summary: string
  example: Record<string, unknown>
}

const advertiserId = 10000001
const applicationId = 4001
const arrival = { advertiserId, applicationId, jobReference: 'HCR-7', jobAdId: 32, hasUnscanned: true }
const time = '2026-11-14T00:00:00.000Z'
const someId = '00000000-0000-4000-8000-000000000000'

/** What a webhook sends, by type. A test compares it with real events. */
export const sentPayloads: Record<EventType | 'stream.gap' | 'test.ping', Payload> = {
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
  'attachment.scanned': {
    data: 'VerdictData',
    summary: 'A verdict came after the application was visible',
    example: { advertiserId, applicationId, attachmentType: 'resume', from: 'unscanned', to: 'clean' },
  },
  'prefill.completed': {
    data: 'CompletionData',
    summary: 'A candidate has completed a prefilled application',
    example: {
      ...{ advertiserId, prefilledApplicationId: someId },
      ...{ positionReference: 'HCR-7', completedAt: time },
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
  'test.ping': {
    data: 'PingData',
    summary: 'A test; answer it to make the endpoint active',
    example: { advertiserId, endpointId: someId },
  },
}
