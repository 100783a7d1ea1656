import { type DeleteResult, type SelectQueryBuilder, sql } from 'kysely'
import type { ExpiryStore } from '../../work/ports.ts'
import type { Database, Schema } from '../database/tables.ts'
import { removeEvents } from '../events/remove-events.ts'

/** Keys of failed sign-ins begin with their kind; accounts and addresses sort before known browsers. */
const firstBrowserKey = sql.lit('browser:')

/**
 * Each statement finds a few rows by an index and deletes them. On PostgreSQL it locks the rows that it finds and skips
 * rows locked by others: so it checks the newest version of a row and never waits.
 */
export function createExpiryStore(database: Database): ExpiryStore {
  const { writer, dialect } = database
  const picked = <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>) =>
    dialect === 'postgres' ? query.forUpdate().skipLocked() : query
  const lock = sql.raw(dialect === 'postgres' ? 'for update skip locked' : '')

  /** Deletes up to `max` rows whose time, in `column`, is `until` or earlier. */
  async function removeUntil<Table extends keyof Schema>(
    table: Table,
    key: (keyof Schema[Table] & string)[],
    column: keyof Schema[Table] & string,
    until: number | string,
    max: number,
    condition = sql``,
  ): Promise<number> {
    const columns = sql.join(key.map(name => sql.ref(name)))
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${columns}) in (
      select ${columns} from ${sql.table(table)} where ${sql.ref(column)} <= ${until} ${condition}
      order by ${sql.ref(column)} limit ${max} ${lock})`.execute(writer)
    return Number(numAffectedRows)
  }

  return {
    removeTokens: (now, max) => removeUntil('oauth_tokens', ['hash'], 'expires_at', now, max),

    // Sending a redeemed code again revokes its token, and withdrawing a consent finds tokens by their codes: so a code
    // is kept as long as its token is valid.
    removeCodes: (overBefore, now, max) =>
      countOf(
        writer.deleteFrom('oauth_codes').where(
          'hash',
          'in',
          picked(
            writer
              .selectFrom('oauth_codes as code')
              .select('code.hash')
              .where('code.expires_at', '<=', overBefore)
              .where(({ not, exists, selectFrom }) =>
                not(
                  exists(
                    selectFrom('oauth_tokens as token')
                      .select('token.hash')
                      .whereRef('token.hash', '=', 'code.token_hash')
                      .where('token.expires_at', '>', now),
                  ),
                ),
              )
              .orderBy('code.expires_at')
              .limit(max),
          ),
        ),
      ),

    removeSessions: (now, max) => removeUntil('sessions', ['hash'], 'expires_at', now, max),
    removeLinks: (now, max) => removeUntil('account_links', ['hash'], 'expires_at', now, max),
    async removeInvitations(now, max) {
      let removed = 0
      for (const table of ['operator_invitations', 'agent_invitations', 'invitations'] as const)
        removed += await removeUntil(table, ['hash'], 'expires_at', now, max - removed)
      return removed
    },
    removeDeliveries: (endedBefore, max) => removeUntil('deliveries', ['id'], 'ended_at', endedBefore, max),
    removeSentForms: (now, max) => removeUntil('sent_forms', ['key'], 'expires_at', now, max),

    /**
     * Forgets people who signed up and never confirmed, perhaps with an address that is not theirs, with their links.
     * The accounts are locked first and checked afterwards: a transaction that adds a link holds the account, so its link
     * is seen here or it finds the account deleted.
     */
    removeUnconfirmed: (madeBefore, max) =>
      writer.transaction().execute(async trx => {
        const withoutLink = trx
          .selectFrom('candidates')
          .select('candidates.id')
          .where('candidates.email_confirmed_at', 'is', null)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('account_links')
                  .select('account_links.hash')
                  .whereRef('account_links.candidate_id', '=', 'candidates.id'),
              ),
            ),
          )
        const accounts = await picked(
          withoutLink
            .where('candidates.created_at', '<', madeBefore)
            .orderBy('candidates.created_at')
            .limit(max),
        ).execute()
        if (accounts.length === 0) return 0
        const ids = accounts.map(({ id }) => id)
        return countOf(
          trx.deleteFrom('candidates').where('id', 'in', withoutLink.where('candidates.id', 'in', ids)),
        )
      }),

    removeMailCounts: (hour, max) => removeUntil('mail_counts', ['recipient_hash'], 'hour', hour - 1, max),

    removeSignInFailures: (lastBefore, max) =>
      removeUntil(
        'sign_in_failures',
        ['key'],
        'last_failed_at',
        lastBefore - 1,
        max,
        sql`and key < ${firstBrowserKey}`,
      ),

    removeKnownBrowsers: (lastBefore, max) =>
      removeUntil('sign_in_failures', ['key'], 'last_failed_at', lastBefore - 1, max),

    removeRateCounts: (now, max) =>
      removeUntil('rate_counts', ['name', 'key', 'time_window'], 'expires_at', now, max),

    removeEvents: (before, max) => removeEvents(database, before, max),
    removeReads: (firstKept, max) =>
      removeUntil(
        'application_reads',
        ['advertiser_id', 'application_id', 'day', 'reader', 'way'],
        'day',
        dayBefore(firstKept),
        max,
      ),
    removeListReads: (firstKept, max) =>
      removeUntil(
        'list_reads',
        ['advertiser_id', 'day', 'reader', 'way', 'first_id'],
        'day',
        dayBefore(firstKept),
        max,
      ),

    removeAgentCalls: (firstKept, max) =>
      removeUntil(
        'agent_call_days',
        ['agent_id', 'day', 'advertiser_id', 'code'],
        'day',
        dayBefore(firstKept),
        max,
      ),
    removeLeases: (overBefore, max) => removeUntil('leases', ['name'], 'held_until', overBefore, max),
    removeIntakeKeys: (now, max) => removeUntil('intake_keys', ['client_id', 'key'], 'expires_at', now, max),
  }
}

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

async function countOf(removal: { executeTakeFirst(): Promise<DeleteResult> }): Promise<number> {
  return Number((await removal.executeTakeFirst()).numDeletedRows)
}
