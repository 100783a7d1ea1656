import type { EpochMs } from './clock.ts'
import { Problem } from './problems.ts'

/** A request with a key, which is its client's: no two clients share one. */
export interface IdempotencyKey {
  clientId: string
  key: string
}

/** What is kept with a key: what was sent, which a repetition is compared with, and until when. */
export interface KeptKey extends IdempotencyKey {
  contentHash: string
  expiresAt: EpochMs
}

/** The ID of what a key has made. The hash is empty once what was sent has been erased. */
export interface MadeBefore {
  contentHash: string
  madeId: number
}

/** Why a key is not free: another request has it for so long, unless that one renews it, or it has made something. */
export type KeyState = { heldMs: number } | MadeBefore

export interface MadeThings {
  /** What the key has made; undefined while that is nothing. */
  madeWith(key: IdempotencyKey, now: EpochMs): Promise<MadeBefore | undefined>
}

/** Throws while another request has the key. */
export function madeBefore(state: KeyState): MadeBefore {
  if ('madeId' in state) return state
  throw keyInUse(state.heldMs)
}

export function keyInUse(heldMs: number): Problem {
  return new Problem('idempotency-key-in-use', undefined, {
    retryAfterSeconds: Math.max(1, Math.ceil(heldMs / 1000)),
  })
}
