import type { ChosenStatus } from './application-status.ts'

interface OfApplication {
  advertiserId: number
  applicationId: number
}

/**
 * An email to write when it is sent: its reader, and the IDs of what it is about. It holds no text, no address and no
 * secret, so that nothing personal outlives its source in a queue.
 */
export type Notice =
  // To candidates.
  | ({ kind: 'application-sent'; candidateId: string } & OfApplication)
  | ({ kind: 'status-changed'; candidateId: string; status: ChosenStatus } & OfApplication)
  | ({ kind: 'application-withdrawn'; candidateId: string } & OfApplication)
  | { kind: 'first-disclosure'; candidateId: string; clientId: string; advertiserId: number | null }
  // To members of a company, who are candidates too: one account per person.
  | { kind: 'new-applications'; candidateId: string; advertiserId: number; firstId: number; lastId: number }
  | ({ kind: 'candidate-withdrew'; candidateId: string } & OfApplication)
  | { kind: 'retention-shortened'; candidateId: string; advertiserId: number }
  | {
      kind: 'webhook-failing'
      candidateId: string
      advertiserId: number
      endpointId: string
      /** Whether it has failed for so long that it gets no more events. */
      isStopped: boolean
    }
