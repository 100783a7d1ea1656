import type { Transaction } from 'kysely'
import { newUuid } from '../../core/ids.ts'
import type { Schema } from '../database/tables.ts'

/**
 * What must not come back with a backup. IDs only: a tombstone outlives the person that it is about. Times tell apart
 * what was granted again later under the same IDs.
 */
export type Tombstone =
  | ['application', advertiserId: number, applicationId: number]
  /** Withdrawn by its candidate; erased at that time. */
  | ['withdrawal', advertiserId: number, applicationId: number, eraseAt: number]
  /** Deleted; its applications are erased at that time. */
  | ['account', candidateId: string, eraseAt: number]
  | ['resume', candidateId: string, resumeId: string]
  | ['consent', grantId: string]
  /** What is still released by the decisions up to that time. */
  | ['narrowing', grantId: string, decidedAt: number, released: number]
  | ['credential', advertiserId: number, credentialId: string]
  | ['client', clientId: string]
  | ['client-secret', clientId: string, createdAt: number]
  | ['client-advertiser', clientId: string, advertiserId: number]
  | ['agent', advertiserId: number, agentId: number, authorisedAt: number]
  | ['member', advertiserId: number, candidateId: string, joinedAt: number]
  | ['agent-member', agentId: number, candidateId: string, joinedAt: number]
  | ['webhook', endpointId: string]
  | ['operator', candidateId: string, joinedAt: number]

const listeners = new Set<() => void>()

/** Calls the listener when this process buries something, shortly before the commit; returns how to stop that. */
export function onBuried(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Call in the transaction that erases or revokes: the tombstones are noted beside the files after its commit. */
export async function bury(
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
