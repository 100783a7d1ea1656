import { type DeleteResult, type SelectQueryBuilder, sql } from 'kysely'
import { removeEvents } from '../../events/feed/remove-events-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { removeDrafts } from '../../schema/writing/remove-drafts.ts'

/** Keys of failed sign-ins begin with their kind; accounts and addresses sort before known browsers. */
const firstBrowserKey = sql.lit('browser:')

export type ExpiryStore = ReturnType<typeof createExpiryStore>

/**
 * Each statement finds a few rows by an index and deletes them. On PostgreSQL it locks the rows that it finds and skips
 * rows locked by others, so it checks the newest version of a row and never waits.
 */
export function createExpiryStore(database: Database) {
  const { writer, dialect } = database
  const picked = <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>) =>
    dialect === 'postgres' ? query.forUpdate().skipLocked() : query
  const lock = sql.raw(dialect === 'postgres' ? 'for update skip locked' : '')

  /** Removes up to `max` rows of a table whose time in this column is `until` or earlier; returns their number. */
  const rule =
    <Table extends keyof Schema>(
      table: Table,
      key: (keyof Schema[Table] & string)[],
      column: keyof Schema[Table] & string,
      condition = sql``,
    ) =>
    async (until: number | string, max: number): Promise<number> => {
      const columns = sql.join(key.map(name => sql.ref(name)))
      const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${columns}) in (
      select ${columns} from ${sql.table(table)} where ${sql.ref(column)} <= ${until} ${condition}
      order by ${sql.ref(column)} limit ${max} ${lock})`.execute(writer)
      return Number(numAffectedRows)
    }

  return {
    removeTokens: rule('oauth_tokens', ['hash'], 'expires_at'),
    removeSessions: rule('sessions', ['hash'], 'expires_at'),
    removeLinks: rule('account_links', ['hash'], 'expires_at'),
    removeEmailCodes: rule('email_codes', ['challenge'], 'expires_at'),
    removeUndoLinks: rule('undo_links', ['hash'], 'expires_at'),
    removeDeliveries: rule('deliveries', ['id'], 'ended_at'),
    removeSentForms: rule('sent_forms', ['key'], 'expires_at'),
    removeIntakeKeys: rule('intake_keys', ['client_id', 'key'], 'expires_at'),
    removeRateCounts: rule('rate_counts', ['name', 'key', 'time_window'], 'expires_at'),
    removeLeases: rule('leases', ['name'], 'held_until'),
    // Release 0.1.0 counts emails in this table; this release counts them in `rate_counts`.
    removeMailCounts: rule('mail_counts', ['recipient_hash'], 'hour'),
    removeSignInFailures: rule(
      'sign_in_failures',
      ['key'],
      'last_failed_at',
      sql`and key < ${firstBrowserKey}`,
    ),
    removeKnownBrowsers: rule('sign_in_failures', ['key'], 'last_failed_at'),
    removeRecentDecisions: rule('recent_decisions', ['advertiser_id', 'application_id'], 'decided_at'),
    removeJobReports: rule('job_reports', ['id'], 'last_at'),
    removeAdDecisions: rule('ad_decisions', ['job_ad_id', 'number'], 'decided_at'),
    removeAdVersions: rule('ad_versions', ['advertiser_id', 'job_ad_id', 'version'], 'replaced_at'),
    removeReads: rule(
      'application_reads',
      ['advertiser_id', 'application_id', 'day', 'reader', 'way'],
      'day',
    ),
    removeListReads: rule('list_reads', ['advertiser_id', 'day', 'reader', 'way', 'first_id'], 'day'),
    removeAgentCalls: rule('agent_call_days', ['agent_id', 'day', 'advertiser_id', 'code'], 'day'),
    removeEvents: (before: EpochMs, max: number) => removeEvents(database, before, max),

    /** Removes expired drafts with their files. */
    removeDrafts: (until: EpochMs, max: number) =>
      writer.transaction().execute(async trx => {
        const { rows } = await sql<{ id: string }>`select id from drafts where expires_at <= ${until}
        order by expires_at limit ${max} ${lock}`.execute(trx)
        return rows.length === 0 ? 0 : removeDrafts(trx, { ids: rows.map(({ id }) => id) }, until)
      }),

    async removeInvitations(until: EpochMs, max: number) {
      let removed = 0
      for (const table of ['operator_invitations', 'agent_invitations', 'invitations'] as const)
        removed += await rule(table, ['hash'], 'expires_at')(until, max - removed)
      return removed
    },

    // A redeemed code that is sent again revokes its token, and withdrawing a consent finds tokens by their codes, so a
    // code is kept while its token is valid.
    removeCodes: (overBefore: EpochMs, now: EpochMs, max: number) =>
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

    /**
     * Removes people who signed up and never confirmed, perhaps with another person's address, and their links. The
     * accounts are locked first and checked afterwards: a transaction that adds a link holds the account, so either its
     * link is seen here or it finds the account deleted.
     */
    removeUnconfirmed: (madeBefore: EpochMs, max: number) =>
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
  }
}

async function countOf(removal: { executeTakeFirst(): Promise<DeleteResult> }): Promise<number> {
  return Number((await removal.executeTakeFirst()).numDeletedRows)
}
