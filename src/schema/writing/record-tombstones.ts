import type { Transaction } from 'kysely'
import { sha256Hex } from '../../platform/core/hashing.ts'
import { newUuid } from '../../platform/core/ids.ts'
import type { Schema } from '../../platform/database/tables.ts'

/**
 * Data that must not reappear with a backup. IDs only: a tombstone outlives the person that it is about. Times
 * distinguish consents granted again later under the same IDs.
 */
export type Tombstone =
  | ['application', advertiserId: number, applicationId: number]
  /** Withdrawn by its candidate; to be erased at that time. */
  | ['withdrawal', advertiserId: number, applicationId: number, eraseAt: number]
  /** Must no longer be kept for other jobs. */
  | ['keep', advertiserId: number, applicationId: number]
  /** Deleted account; its applications are erased at that time. */
  | ['account', candidateId: string, eraseAt: number]
  | ['resume', candidateId: string, resumeId: string]
  | ['draft', draftId: string, discardedAt: number]
  | ['consent', grantId: string]
  /** Categories still released by the decisions up to that time. */
  | ['narrowing', grantId: string, decidedAt: number, released: number]
  | ['credential', advertiserId: number, credentialId: string]
  | ['client', clientId: string]
  | ['client-secret', clientId: string, createdAt: number]
  | ['client-advertiser', clientId: string, advertiserId: number]
  | ['agent', advertiserId: number, agentId: number, authorisedAt: number]
  | ['progress-grant', advertiserId: number, agentId: number, grantedAt: number]
  | ['member', advertiserId: number, candidateId: string, joinedAt: number]
  | ['agent-member', agentId: number, candidateId: string, joinedAt: number]
  | ['webhook', endpointId: string]
  /** The address of a person who reported a job; the report stays. */
  | ['reporter', reportId: string]
  | ['operator', candidateId: string, joinedAt: number]
  | ['passkey', candidateId: string, passkeyId: string, createdAt: number]
  | ['totp', candidateId: string, createdAt: number]
  | ['identity', candidateId: string, issuer: string, linkedAt: number]
  /** A code that was used or replaced. */
  | ['recovery-code', candidateId: string, hash: string]
  /** The hash of the salted hash of a password that was replaced. */
  | ['password', candidateId: string, hash: string]
  /** `mark`: see `addressMark`. */
  | ['address', candidateId: string, changedAt: number, mark: string]
  /** Ends nothing: after a restore, it lets an operator know whose factor is missing. */
  | ['factor-added', candidateId: string, kind: 'totp' | 'passkey', createdAt: number]

const listeners = new Set<() => void>()

/**
 * Calls the listener when this process records a tombstone, shortly before the commit; returns a function that removes
 * the listener.
 */
export function onTombstones(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Identifies the address to which an account has changed, without naming it. */
export const addressMark = (candidateId: string, email: string): string =>
  sha256Hex(JSON.stringify(['address', candidateId, email]))

/** Call in the transaction that erases or revokes: the tombstones are recorded beside the files after its commit. */
export async function recordTombstones(
  trx: Transaction<Schema>,
  ...tombstones: readonly Readonly<Tombstone>[]
): Promise<void> {
  // In batches of a few hundred, far below the maximum number of parameters.
  for (let start = 0; start < tombstones.length; start += 200) {
    const rows = tombstones.slice(start, start + 200)
    await trx
      .insertInto('tombstones')
      .values(rows.map(tombstone => ({ id: newUuid(), content: JSON.stringify(tombstone) })))
      .execute()
  }
  if (tombstones.length > 0) for (const listener of listeners) listener()
}
