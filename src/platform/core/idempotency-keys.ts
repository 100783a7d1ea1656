import type { EpochMs } from './clock.ts'
import { Problem } from './problems.ts'

/** Limit: Lifetime of an Idempotency-Key and of the response saved with it. */
export const intakeKeySeconds = 86_400

/** The Idempotency-Key of a request; each client has its own keys. */
export interface IdempotencyKey {
  clientId: string
  key: string
}

/** A stored key, with the hash to which repeated requests are compared. */
export interface KeptKey extends IdempotencyKey {
  contentHash: string
  expiresAt: EpochMs
}

/** The ID of the entry that a request with this key created. The hash is empty once the content has been erased. */
export interface MadeBefore {
  contentHash: string
  madeId: number
}

/** Why a key is unavailable: another request holds it (for `heldMs`, unless it renews), or it has created an entry. */
export type KeyState = { heldMs: number } | MadeBefore

export interface MadeThings {
  /** The entry that the key created; undefined if there is none. */
  madeWith(key: IdempotencyKey, now: EpochMs): Promise<MadeBefore | undefined>
}

/** The entry that the key created; throws while another request holds the key. */
export function madeBefore(state: KeyState): MadeBefore {
  if ('madeId' in state) return state
  throw keyInUse(state.heldMs)
}

export function keyInUse(heldMs: number): Problem {
  return new Problem('idempotency-key-in-use', undefined, {
    retryAfterSeconds: Math.max(1, Math.ceil(heldMs / 1000)),
  })
}
