import type {
  AgentData,
  AgentEndpointData,
  ApplicationAnswers,
  ApplicationData,
  ArrivalData,
  CompletionData,
  EndpointData,
  GapData,
  JobApplication,
  KeepData,
  NarrowedData,
  PingData,
  ReleasedData,
  RestoredData,
  StatusData,
  VerdictData,
} from './api-types.ts'

interface Envelope<Type extends string, Data> {
  /** Unique, and the same in the feed and in webhooks. */
  id: string
  type: Type
  /** ISO 8601, for people: the order is that of the feed. */
  timestamp: string
  data: Data
}

/** Events about an application have it, as it is now, in `application`, and its answers in `answers`, if `include` names them. */
interface AboutApplication<Type extends string, Data> extends Envelope<Type, Data> {
  application?: JobApplication
  answers?: ApplicationAnswers
}

/**
 * An event whose type is newer than this package, for the `default` of a `switch`. At run time `type` is its name; the
 * compiler needs a literal here, or it could not tell the known types apart.
 */
export interface UnknownEvent {
  id: string
  type: '(unknown)'
  timestamp: string
  data: unknown
}

export type KnownEvent =
  | AboutApplication<'application.created', ArrivalData>
  | AboutApplication<'application.imported', ArrivalData>
  | AboutApplication<'application.erased', ApplicationData>
  | AboutApplication<'application.withdrawn', ApplicationData>
  | AboutApplication<'application.status-changed', StatusData>
  | AboutApplication<'application.keep-changed', KeepData>
  | AboutApplication<'attachment.scanned', VerdictData>
  | Envelope<'prefill.completed', CompletionData>
  | Envelope<'agent.authorised', AgentData>
  | Envelope<'agent.withdrawn', AgentData>
  | Envelope<'webhook.failing', EndpointData>
  | Envelope<'webhook.stopped', EndpointData>
  | Envelope<'stream.restored', RestoredData>

/** An event in the stream of an advertiser. */
export type DossierEvent = KnownEvent | UnknownEvent

export type KnownClientEvent =
  | Envelope<'consent.withdrawn', ReleasedData>
  | Envelope<'candidate.erased', ReleasedData>
  | Envelope<'consent.narrowed', NarrowedData>
  | Envelope<'webhook.failing', AgentEndpointData>
  | Envelope<'webhook.stopped', AgentEndpointData>
  | Envelope<'stream.restored', { since: string }>

/** An event in the stream of an OAuth client. */
export type ClientEvent = KnownClientEvent | UnknownEvent

/** An event as a webhook brings it. */
export type WebhookEvent =
  | KnownEvent
  | Exclude<KnownClientEvent, { type: KnownEvent['type'] }>
  | Envelope<'stream.gap', GapData>
  | Envelope<'test.ping', PingData>
  | UnknownEvent
