import type { JobApplication } from './api-types.ts'

interface Envelope<Type extends string, Data> {
  /** Unique, and the same in the feed and in webhooks. */
  id: string
  type: Type
  /** ISO 8601, for people: the order is that of the feed. */
  timestamp: string
  data: Data
}

/** Events about an application have it in `application`, as it is now, with `include: 'application'`. */
interface AboutApplication<Type extends string, Data> extends Envelope<Type, Data> {
  application?: JobApplication
}

interface OfAdvertiser {
  advertiserId: number
}

interface OfApplication extends OfAdvertiser {
  applicationId: number
}

interface Arrival extends OfApplication {
  jobReference: string | null
  jobAdId: number | null
  /** Whether a file waits for the virus scanner. */
  hasUnscanned: boolean
}

type ScanState = 'unscanned' | 'clean' | 'infected'

interface Verdict extends OfApplication {
  attachmentType: 'resume' | 'coverLetter' | 'selectionCriteria'
  from: ScanState
  to: ScanState
}

interface Completion extends OfAdvertiser {
  prefilledApplicationId: string
  positionReference: string | null
  completedAt: string
}

interface Endpoint extends OfAdvertiser {
  endpointId: string
  since: string
}

/** Something may be missing before this event. */
interface Since {
  since: string
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
  | AboutApplication<'application.created', Arrival>
  | AboutApplication<'application.imported', Arrival>
  | AboutApplication<'application.erased', OfApplication>
  | AboutApplication<'application.withdrawn', OfApplication>
  | AboutApplication<'attachment.scanned', Verdict>
  | Envelope<'prefill.completed', Completion>
  | Envelope<'agent.authorised', OfAdvertiser & { agentId: number }>
  | Envelope<'agent.withdrawn', OfAdvertiser & { agentId: number }>
  | Envelope<'webhook.failing', Endpoint>
  | Envelope<'webhook.stopped', Endpoint>
  | Envelope<'stream.restored', OfAdvertiser & Since>

/** An event in the stream of an advertiser. */
export type DossierEvent = KnownEvent | UnknownEvent

/** What a client holds and must delete. */
interface Released {
  /** At most 100 in one event. */
  prefilledApplicationIds: string[]
  advertiserId: number | null
}

export type KnownClientEvent =
  | Envelope<'consent.withdrawn', Released>
  | Envelope<'candidate.erased', Released>
  | Envelope<'stream.restored', Since>

/** An event in the stream of an OAuth client. */
export type ClientEvent = KnownClientEvent | UnknownEvent

/** An event as a webhook brings it. */
export type WebhookEvent =
  | Exclude<KnownEvent, { type: 'stream.restored' }>
  | Exclude<KnownClientEvent, { type: 'stream.restored' }>
  | Envelope<'stream.gap', OfAdvertiser & { from: string; to: string }>
  | Envelope<'test.ping', { advertiserId: number | null; endpointId: string }>
  | UnknownEvent
