import { sql, type Transaction } from 'kysely'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { removeCodes } from '../../schema/writing/change-account.ts'
import { forgetReporter } from '../../schema/writing/forget-reporter.ts'
import { planErasures } from '../../schema/writing/plan-erasures.ts'
import { addClientEvents, type ClientEvent, findReleaseEvents } from '../../schema/writing/record-event.ts'
import { releaseBlobs } from '../../schema/writing/release-blobs.ts'
import { removeDrafts } from '../../schema/writing/remove-drafts.ts'

/** Deletes again an account that was deleted after the restored backup was made. */
export async function removeAccountAgain(
  { writer, dialect }: Database,
  candidateId: string,
  times: { now: number; eraseAt: number },
): Promise<boolean> {
  return writer.transaction().execute(async trx => {
    const held = await trx
      .updateTable('candidates')
      .set(eb => ({ password_hash: eb.ref('password_hash') }))
      .where('id', '=', candidateId)
      .executeTakeFirst()
    if (held.numUpdatedRows === 0n) return false
    if (dialect === 'postgres') await holdAll(trx, candidateId)
    const { told } = await removeAccount(trx, candidateId, times)
    await addClientEvents(trx, told, times.now)
    return true
  })
}

export async function removeAccount(
  trx: Transaction<Schema>,
  candidateId: string,
  { now, eraseAt }: { now: number; eraseAt: number },
): Promise<{ applications: number; told: ClientEvent[] }> {
  const applications = await planOwnErasures(trx, candidateId, eraseAt)
  const told = await findReleaseEvents(trx, 'candidate.erased', candidateId)
  const account = await trx
    .selectFrom('candidates')
    .select('email')
    .where('id', '=', candidateId)
    // Anyone may sign up with an address; only its owner confirms it.
    .where('email_confirmed_at', 'is not', null)
    .executeTakeFirst()
  if (account !== undefined) await forgetReporter(trx, [account.email])
  await removeAll(trx, candidateId, now)
  return { applications, told }
}

/**
 * PostgreSQL: takes the locks in the order of all other transactions, so there is no deadlock. Redeeming a code or
 * recording a disclosure locks the consent or the token, and then the account (a key share lock for its foreign key).
 * So this waits for those to finish before it locks the account against new references. Companies, agents and operators
 * come last, because a transaction that changes their members holds no account.
 */
export async function holdAll(trx: Transaction<Schema>, candidateId: string): Promise<void> {
  const grants = trx.selectFrom('grants').select('id').where('candidate_id', '=', candidateId)
  await grants.orderBy('id').forNoKeyUpdate().execute()
  for (const table of ['oauth_codes', 'oauth_tokens'] as const) {
    await trx
      .selectFrom(table)
      .select('hash')
      .where('grant_id', 'in', grants)
      .orderBy('hash')
      .forNoKeyUpdate()
      .execute()
  }
  await trx.selectFrom('candidates').select('id').where('id', '=', candidateId).forUpdate().execute()
  for (const [owners, members, owner] of [
    ['advertisers', 'memberships', 'advertiser_id'],
    ['agents', 'agent_members', 'agent_id'],
  ] as const) {
    const own = trx.selectFrom(members).select(owner).where('candidate_id', '=', candidateId)
    await trx.selectFrom(owners).select('id').where('id', 'in', own).orderBy('id').forNoKeyUpdate().execute()
  }
  // Lock all operators with the person's role, so that the last two cannot delete their accounts concurrently.
  await trx
    .selectFrom('operators')
    .select('candidate_id')
    .where('role', 'in', trx.selectFrom('operators').select('role').where('candidate_id', '=', candidateId))
    .orderBy('candidate_id')
    .forUpdate()
    .execute()
}

async function planOwnErasures(
  trx: Transaction<Schema>,
  candidateId: string,
  eraseAt: number,
): Promise<number> {
  const sent = await trx
    .deleteFrom('own_applications')
    .where('candidate_id', '=', candidateId)
    .returning(['advertiser_id', 'application_id'])
    .execute()
  const planned = sent.map(each => ({ ...each, due_at: eraseAt, reason: 'account' as const }))
  // In a fixed order, so that two transactions with the same applications cannot deadlock.
  planned.sort((a, b) => a.advertiser_id - b.advertiser_id || a.application_id - b.application_id)
  await planErasures(trx, planned)
  return sent.length
}

/** Deletes the account's rows, children before their parents. */
async function removeAll(trx: Transaction<Schema>, candidateId: string, now: number): Promise<void> {
  const grants = trx.selectFrom('grants').select('id').where('candidate_id', '=', candidateId)
  await removeCodes(trx, candidateId)
  for (const table of [
    'disclosures',
    'prefilled_applications',
    'sessions',
    'totp_factors',
    'passkeys',
    'recovery_codes',
    'identities',
    'account_links',
    'mailbox_passwords',
    'undo_links',
    'memberships',
    'operators',
    'agent_members',
  ] as const)
    await trx.deleteFrom(table).where('candidate_id', '=', candidateId).execute()
  await removeMails(trx, candidateId)
  for (const table of ['released_resumes', 'oauth_tokens', 'oauth_codes'] as const)
    await trx.deleteFrom(table).where('grant_id', 'in', grants).execute()
  await trx.deleteFrom('grants').where('candidate_id', '=', candidateId).execute()
  await removeDrafts(trx, { candidateId }, now)
  const resumes = await trx
    .deleteFrom('resumes')
    .where('candidate_id', '=', candidateId)
    .returning('blob')
    .execute()
  // Files also sent with applications stay until those are erased, which the clean-up checks.
  await releaseBlobs(trx, resumes, now)
  await trx.deleteFrom('candidates').where('id', '=', candidateId).execute()
}

/**
 * Removes the person's waiting and failed emails. Emails requested before signing in have the address, and a sign-up
 * email would create the account again. Call after deleting the memberships, which queues new emails.
 */
async function removeMails(trx: Transaction<Schema>, candidateId: string): Promise<void> {
  const account = await trx
    .selectFrom('candidates')
    .select('email')
    .where('id', '=', candidateId)
    .executeTakeFirstOrThrow()
  const holds = (name: string, value: string) => {
    const text = JSON.stringify(value).replace(/[!%_]/g, '!$&')
    return sql<boolean>`content like ${`%"${name}":${text}%`} escape '!'`
  }
  await trx
    .deleteFrom('deliveries')
    .where(({ or }) => or([holds('candidateId', candidateId), holds('email', account.email)]))
    .execute()
}
