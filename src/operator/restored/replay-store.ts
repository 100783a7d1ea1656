import { type Kysely, type Selectable, sql } from 'kysely'
import { markWithdrawn } from '../../apply/withdraw-application-store.ts'
import { createErasureStore } from '../../collect/erasure/erasure-store.ts'
import { removeLanesOfAgent } from '../../events/webhooks/agent-lanes-store.ts'
import { removeEndpoint } from '../../events/webhooks/remove-endpoint-store.ts'
import { releaseAddress } from '../../people/account/moved-addresses-store.ts'
import { removeAccountAgain } from '../../people/account/remove-account-store.ts'
import { createCandidateStore } from '../../people/profile/candidate-store.ts'
import { hashPassword } from '../../platform/core/password.ts'
import { hashSecret, newSecret } from '../../platform/core/secrets.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { integer } from '../../platform/database/typed-values.ts'
import { endKeeping } from '../../schema/writing/end-keeping.ts'
import type { Tombstone } from '../../schema/writing/record-tombstones.ts'
import { removeDrafts } from '../../schema/writing/remove-drafts.ts'
import { withLedger } from '../../schema/writing/with-ledger.ts'

type Replayed = Promise<boolean>

/** Some columns of a row, each with its value. */
type Row<Table extends keyof Schema> = Partial<Selectable<Schema[Table]>>
type Values = Record<string, string | number | null>

/**
 * Repeats the erasure or revocation that a tombstone names; each method returns whether there was anything to do.
 * Nothing granted again later is touched, so replaying a tombstone in a database that was not set back changes nothing.
 */
export function createReplay(database: Database, now: number) {
  const { writer, reader, dialect } = database
  // The statements differ only in their tables and columns, which `Row` checks.
  const tables = writer as unknown as Kysely<Record<string, Values>>
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

  /** A hold that was placed before the erasure had also been lifted before it. */
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

  async function endKept(advertiserId: number, applicationId: number): Replayed {
    const kept = await reader
      .selectFrom('kept_applications')
      .select('until')
      .where('advertiser_id', '=', advertiserId)
      .where('application_id', '=', applicationId)
      .executeTakeFirst()
    if (kept === undefined) return false
    return withLedger(database, advertiserId, trx => endKeeping(trx, advertiserId, applicationId, now))
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

  /** Replaces the old password by one that no one knows: a link to the owner's mailbox sets another. */
  async function endPassword(candidateId: string, hash: string): Replayed {
    const account = await reader
      .selectFrom('candidates')
      .select('password_hash as stored')
      .where('id', '=', candidateId)
      .executeTakeFirst()
    if (account === undefined || hashSecret(account.stored) !== hash) return false
    const password_hash = await hashPassword(newSecret('link'))
    return change('candidates', { password_hash }, { id: candidateId, password_hash: account.stored })
  }

  async function narrow(grantId: string, decidedAt: number, released: number): Replayed {
    const narrowed = await writer
      .updateTable('grants')
      .set({ released: sql<number>`released & ${integer(released)}` })
      .where('id', '=', grantId)
      .where('decided_at', '<=', decidedAt)
      .where(sql<number>`released & ~${integer(released)}`, '!=', 0)
      .executeTakeFirst()
    return narrowed.numUpdatedRows > 0n
  }

  async function forgetAddress(reportId: string): Replayed {
    const forgotten = await writer
      .updateTable('job_reports')
      .set({ email: null })
      .where('id', '=', reportId)
      .where('email', 'is not', null)
      .executeTakeFirst()
    return forgotten.numUpdatedRows > 0n
  }

  /** Changes the rows that have the values of `row`. */
  async function change<Table extends keyof Schema>(
    table: Table,
    changes: Row<Table>,
    row: Row<Table>,
  ): Replayed {
    let query = tables.updateTable(table as string).set(changes as Values)
    for (const [column, value] of Object.entries(row as Values))
      query = query.where(column, value === null ? 'is' : '=', value)
    return (await query.executeTakeFirst()).numUpdatedRows > 0n
  }

  async function remove<Table extends keyof Schema>(table: Table, row: Row<Table>): Replayed {
    let query = tables.deleteFrom(table as string)
    for (const [column, value] of Object.entries(row as Values)) query = query.where(column, '=', value)
    return (await query.executeTakeFirst()).numDeletedRows > 0n
  }

  /** A page that is still open may have saved the draft again later. */
  const removeDraft = (draftId: string, savedUntil: number): Replayed =>
    writer
      .transaction()
      .execute(async trx => (await removeDrafts(trx, { ids: [draftId], savedUntil }, now)) > 0)

  function replay(tombstone: Tombstone): Replayed {
    switch (tombstone[0]) {
      case 'application':
        return erase(tombstone[1], tombstone[2])
      case 'withdrawal':
        return withdraw(tombstone[1], tombstone[2], tombstone[3])
      case 'keep':
        return endKept(tombstone[1], tombstone[2])
      case 'account':
        return removeAccountAgain(database, tombstone[1], { now, eraseAt: tombstone[2] })
      case 'resume':
        return candidates.removeResume(tombstone[1], tombstone[2], now)
      case 'draft':
        return removeDraft(tombstone[1], tombstone[2])
      case 'consent':
        return change('grants', { withdrawn_at: now }, { id: tombstone[1], withdrawn_at: null })
      case 'narrowing':
        return narrow(tombstone[1], tombstone[2], tombstone[3])
      case 'credential': {
        const [, advertiser_id, id] = tombstone
        return change('sws_credentials', { revoked_at: now }, { advertiser_id, id, revoked_at: null })
      }
      case 'client':
        return change('oauth_clients', { disabled_at: now }, { id: tombstone[1], disabled_at: null })
      case 'client-secret':
        return remove('oauth_client_secrets', { client_id: tombstone[1], created_at: tombstone[2] })
      case 'client-advertiser':
        return remove('oauth_client_advertisers', { client_id: tombstone[1], advertiser_id: tombstone[2] })
      case 'agent':
        return removeAgent(tombstone[1], tombstone[2], tombstone[3])
      case 'progress-grant': {
        const [, advertiser_id, agent_id, progress_granted_at] = tombstone
        const granted = { advertiser_id, agent_id, progress_granted_at }
        return change('agent_authorisations', { progress_granted_at: null }, granted)
      }
      case 'member': {
        const [, advertiser_id, candidate_id, created_at] = tombstone
        return remove('memberships', { advertiser_id, candidate_id, created_at })
      }
      case 'operator':
        return remove('operators', { candidate_id: tombstone[1], created_at: tombstone[2] })
      case 'agent-member': {
        const [, agent_id, candidate_id, created_at] = tombstone
        return remove('agent_members', { agent_id, candidate_id, created_at })
      }
      case 'passkey': {
        const [, candidate_id, id, created_at] = tombstone
        return remove('passkeys', { candidate_id, id, created_at })
      }
      case 'totp':
        return remove('totp_factors', { candidate_id: tombstone[1], created_at: tombstone[2] })
      case 'identity': {
        const [, candidate_id, issuer, linked_at] = tombstone
        return remove('identities', { candidate_id, issuer, linked_at })
      }
      case 'recovery-code':
        return remove('recovery_codes', { candidate_id: tombstone[1], hash: tombstone[2] })
      case 'password':
        return endPassword(tombstone[1], tombstone[2])
      case 'address': {
        const [, candidateId, changedAt, mark] = tombstone
        return writer.transaction().execute(trx => releaseAddress(trx, candidateId, { changedAt, mark, now }))
      }
      case 'webhook':
        return writer.transaction().execute(trx => removeEndpoint(trx, dialect, tombstone[1]))
      case 'reporter':
        return forgetAddress(tombstone[1])
      default:
        // The tombstone is of a later version.
        return Promise.resolve(false)
    }
  }
  return replay
}
