import type { EpochMs } from '../../core/clock.ts'

/** What an agent may ask to change of its client. */
export const changeKinds = ['redirect-uris', 'privacy', 'logo'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** A change that waits for the operator. */
export interface ClientChange {
  id: string
  clientId: string
  kind: ChangeKind
  /** JSON: the redirect URIs, the address or null, the image in base64 or null. */
  value: string
  requestedBy: string
  requestedAt: EpochMs
}

export type ChangeEnd = 'confirmed' | 'refused' | 'withdrawn'

export interface ClientChangeStore {
  /** Replaces a waiting change of the same kind. False when there is no such client. */
  add(clientId: string, change: Omit<ClientChange, 'clientId'>): Promise<boolean>
  /** Oldest first. */
  listOf(clientId: string): Promise<ClientChange[]>
  /** For the operator: of all clients, oldest first. */
  list(): Promise<ClientChange[]>
  /** False when it no longer waits. */
  end(clientId: string, changeId: string, how: ChangeEnd): Promise<boolean>
}
