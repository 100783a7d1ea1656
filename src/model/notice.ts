import type { ChosenStatus } from './application-status.ts'

interface OfApplication {
  advertiserId: number
  applicationId: number
}

interface OfEndpoint {
  kind: 'webhook-failing'
  candidateId: string
  endpointId: string
  /** Whether it has failed for so long that it no longer receives events. */
  isStopped: boolean
  /** True if it is about single events that failed, not about the endpoint. */
  isGivenUp?: true
}

export type WebhookFailing = OfEndpoint & { advertiserId: number }
export type AgentWebhookFailing = OfEndpoint & { agentId: number }

/**
 * An email that is written when it is sent: its reader, and the IDs of its subject. It holds no text, no address and no
 * secret, so that no personal data outlives its source in a queue.
 */
export type Notice =
  // Emails to candidates.
  | ({ kind: 'application-sent'; candidateId: string } & OfApplication)
  | ({ kind: 'status-changed'; candidateId: string; status: ChosenStatus } & OfApplication)
  | ({ kind: 'application-withdrawn'; candidateId: string } & OfApplication)
  | ({ kind: 'keep-ending'; candidateId: string } & OfApplication)
  | { kind: 'first-disclosure'; candidateId: string; clientId: string; advertiserId: number | null }
  // Emails to members of a company, who are candidates too: one account per person.
  | {
      kind: 'new-applications'
      candidateId: string
      advertiserId: number
      /** The ID range of new applications; empty if `firstId` is larger. */
      firstId: number
      lastId: number
      /** The newest applications withdrawn after the member was notified of them, and their total number. */
      withdrawnIds?: readonly number[]
      withdrawals?: number
    }
  | { kind: 'retention-shortened'; candidateId: string; advertiserId: number }
  | WebhookFailing
  // Emails to members of an agent.
  | AgentWebhookFailing
