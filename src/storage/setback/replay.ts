import { sql } from 'kysely'
import { markWithdrawn } from '../apply/withdraw-application.ts'
import { createErasureStore } from '../collect/erasure-store.ts'
import type { Database } from '../database/tables.ts'
import { integer } from '../database/typed-values.ts'
import { removeLanesOfAgent } from '../events/agent-lanes.ts'
import { removeEndpoint } from '../events/remove-endpoint.ts'
import { createCandidateStore } from '../people/candidate-store.ts'
import { removeAccountAgain } from '../people/remove-account.ts'
import { withLedger } from '../postgres/ledger-turns.ts'
import type { Tombstone } from '../writing/bury.ts'

type Replayed = Promise<boolean>

/**
 * Erases and revokes again what a tombstone names; each returns whether there was anything to do. Nothing is done to what
 * was granted again later, so replaying a tombstone in a database that was not set back changes nothing.
 */
export function createReplay(database: Database, now: number) {
  const { writer, reader, dialect } = database
  const erasures = createErasureStore(database)
  const candidates = createCandidateStore(database)

  async function isLeft(advertiserId: number, applicationId: number): Replayed {
    const row = await reader
      .selectFrom('applications')
      .select('id')
      .where('advertiser_id', '=', advertiserId)
      .where('id', '=', applicationId)
      .where('erased_at', 'is', null)
      .executeTakeFirst()
    return row !== undefined
  }

  /** A hold that was placed before the erasure was lifted before it, too. */
  async function erase(advertiserId: number, applicationId: number): Replayed {
    if (!(await isLeft(advertiserId, applicationId))) return false
    await writer
      .deleteFrom('application_holds')
      .where('advertiser_id', '=', advertiserId)
      .where('application_id', '=', applicationId)
      .execute()
    const erased = await erasures.erase(advertiserId, applicationId, now)
    return typeof erased === 'object' && !erased.wasErased
  }

  async function withdraw(advertiserId: number, applicationId: number, eraseAt: number): Replayed {
    if (!(await isLeft(advertiserId, applicationId))) return false
    const result = await withLedger(database, advertiserId, trx =>
      markWithdrawn(trx, dialect, advertiserId, applicationId, { now, eraseAt }),
    )
    return result === 'withdrawn'
  }

  async function removeAgent(advertiserId: number, agentId: number, authorisedAt: number): Replayed {
    return writer.transaction().execute(async trx => {
      const gone = await trx
        .deleteFrom('agent_authorisations')
        .where('advertiser_id', '=', advertiserId)
        .where('agent_id', '=', agentId)
        .where('authorised_at', '=', authorisedAt)
        .executeTakeFirst()
      if (gone.numDeletedRows === 0n) return false
      await removeLanesOfAgent(trx, agentId, advertiserId)
      return true
    })
  }

  const changedBy = async (query: { executeTakeFirst(): Promise<{ numUpdatedRows: bigint }> }) =>
    (await query.executeTakeFirst()).numUpdatedRows > 0n
  const deletedBy = async (query: { executeTakeFirst(): Promise<{ numDeletedRows: bigint }> }) =>
    (await query.executeTakeFirst()).numDeletedRows > 0n

  function replay(tombstone: Tombstone): Replayed {
    switch (tombstone[0]) {
      case 'application':
        return erase(tombstone[1], tombstone[2])
      case 'withdrawal':
        return withdraw(tombstone[1], tombstone[2], tombstone[3])
      case 'account':
        return removeAccountAgain(database, tombstone[1], { now, eraseAt: tombstone[2] })
      case 'resume':
        return candidates.removeResume(tombstone[1], tombstone[2], now)
      case 'consent':
        return changedBy(
          writer
            .updateTable('grants')
            .set({ withdrawn_at: now })
            .where('id', '=', tombstone[1])
            .where('withdrawn_at', 'is', null),
        )
      case 'narrowing':
        return changedBy(
          writer
            .updateTable('grants')
            .set({ released: sql<number>`released & ${integer(tombstone[3])}` })
            .where('id', '=', tombstone[1])
            .where('decided_at', '<=', tombstone[2])
            .where(sql<number>`released & ~${integer(tombstone[3])}`, '!=', 0),
        )
      case 'credential':
        return changedBy(
          writer
            .updateTable('sws_credentials')
            .set({ revoked_at: now })
            .where('advertiser_id', '=', tombstone[1])
            .where('id', '=', tombstone[2])
            .where('revoked_at', 'is', null),
        )
      case 'client':
        return changedBy(
          writer
            .updateTable('oauth_clients')
            .set({ disabled_at: now })
            .where('id', '=', tombstone[1])
            .where('disabled_at', 'is', null),
        )
      case 'client-secret':
        return deletedBy(
          writer
            .deleteFrom('oauth_client_secrets')
            .where('client_id', '=', tombstone[1])
            .where('created_at', '=', tombstone[2]),
        )
      case 'client-advertiser':
        return deletedBy(
          writer
            .deleteFrom('oauth_client_advertisers')
            .where('client_id', '=', tombstone[1])
            .where('advertiser_id', '=', tombstone[2]),
        )
      case 'agent':
        return removeAgent(tombstone[1], tombstone[2], tombstone[3])
      case 'member':
        return deletedBy(
          writer
            .deleteFrom('memberships')
            .where('advertiser_id', '=', tombstone[1])
            .where('candidate_id', '=', tombstone[2])
            .where('created_at', '=', tombstone[3]),
        )
      case 'operator':
        return deletedBy(
          writer
            .deleteFrom('operators')
            .where('candidate_id', '=', tombstone[1])
            .where('created_at', '=', tombstone[2]),
        )
      case 'agent-member':
        return deletedBy(
          writer
            .deleteFrom('agent_members')
            .where('agent_id', '=', tombstone[1])
            .where('candidate_id', '=', tombstone[2])
            .where('created_at', '=', tombstone[3]),
        )
      case 'webhook':
        return writer.transaction().execute(trx => removeEndpoint(trx, tombstone[1]))
      default:
        // Of a later version.
        return Promise.resolve(false)
    }
  }
  return replay
}
