import { type DeleteResult, type SelectQueryBuilder, sql } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'
import type { ExpiryStore } from '../../work/ports.ts'
import type { Database } from '../database/tables.ts'

/** Failed sign-ins are counted by account and by address, whose keys stand before those of the known browsers. */
const firstBrowserKey = sql.lit('browser:')

/**
 * Each statement picks a few rows by an index and removes them. On PostgreSQL it locks what it picks, and passes
 * over what others have locked: so it looks at the newest version of a row, and never waits for anybody.
 */
export function createExpiryStore({ writer, dialect }: Database): ExpiryStore {
  const picked = <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>) =>
    dialect === 'postgres' ? query.forUpdate().skipLocked() : query

  /** What is found by a hash and says itself when it is over. */
  function removeOver(
    table: 'oauth_tokens' | 'sessions' | 'account_links' | 'invitations',
    now: EpochMs,
    most: number,
  ) {
    const over = writer.selectFrom(table).select('hash').where('expires_at', '<=', now)
    return countOf(
      writer.deleteFrom(table).where('hash', 'in', picked(over.orderBy('expires_at').limit(most))),
    )
  }

  const failedBefore = (time: EpochMs) =>
    writer.selectFrom('sign_in_failures').select('key').where('last_failed_at', '<', time)

  function removeFailures(chosen: ReturnType<typeof failedBefore>, most: number) {
    const few = picked(chosen.orderBy('last_failed_at').limit(most))
    return countOf(writer.deleteFrom('sign_in_failures').where('key', 'in', few))
  }

  return {
    removeTokens: (now, most) => removeOver('oauth_tokens', now, most),

    // Whoever sends a redeemed code again ends what it has bought, and withdrawing a consent finds its tokens by
    // their codes: a code is needed as long as its token lives.
    removeCodes: (overBefore, now, most) =>
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
              .limit(most),
          ),
        ),
      ),

    removeSessions: (now, most) => removeOver('sessions', now, most),

    removeLinks: (now, most) => removeOver('account_links', now, most),

    removeInvitations: (now, most) => removeOver('invitations', now, most),

    removeSentForms: (now, most) =>
      countOf(
        writer
          .deleteFrom('sent_forms')
          .where(
            'key',
            'in',
            picked(
              writer
                .selectFrom('sent_forms')
                .select('key')
                .where('expires_at', '<=', now)
                .orderBy('expires_at')
                .limit(most),
            ),
          ),
      ),

    /**
     * Whoever signed up and never confirmed, perhaps somebody else with their address, is forgotten with the link.
     * Locked first and judged after: a link that is being added holds the account, and one that was added is seen.
     */
    removeUnconfirmed: (madeBefore, most) =>
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
            .limit(most),
        ).execute()
        if (accounts.length === 0) return 0
        const ids = accounts.map(({ id }) => id)
        return countOf(
          trx.deleteFrom('candidates').where('id', 'in', withoutLink.where('candidates.id', 'in', ids)),
        )
      }),

    removeMailCounts: (hour, most) =>
      countOf(
        writer
          .deleteFrom('mail_counts')
          .where(
            'recipient_hash',
            'in',
            picked(
              writer.selectFrom('mail_counts').select('recipient_hash').where('hour', '<', hour).limit(most),
            ),
          ),
      ),

    removeSignInFailures: (lastBefore, most) =>
      removeFailures(failedBefore(lastBefore).where('key', '<', firstBrowserKey), most),

    removeKnownBrowsers: (lastBefore, most) => removeFailures(failedBefore(lastBefore), most),

    removeRateCounts: (now, most) =>
      countOf(
        writer
          .deleteFrom('rate_counts')
          .where(({ eb, refTuple }) =>
            eb(
              refTuple('name', 'key', 'time_window'),
              'in',
              picked(
                writer
                  .selectFrom('rate_counts')
                  .select(['name', 'key', 'time_window'])
                  .where('expires_at', '<=', now)
                  .orderBy('expires_at')
                  .limit(most),
              ).$asTuple('name', 'key', 'time_window'),
            ),
          ),
      ),

    removeLeases: (overBefore, most) =>
      countOf(
        writer
          .deleteFrom('leases')
          .where(
            'name',
            'in',
            picked(
              writer.selectFrom('leases').select('name').where('held_until', '<=', overBefore).limit(most),
            ),
          ),
      ),

    removeIntakeKeys: (now, most) =>
      countOf(
        writer
          .deleteFrom('intake_keys')
          .where(({ eb, refTuple }) =>
            eb(
              refTuple('client_id', 'key'),
              'in',
              picked(
                writer
                  .selectFrom('intake_keys')
                  .select(['client_id', 'key'])
                  .where('expires_at', '<=', now)
                  .orderBy('expires_at')
                  .limit(most),
              ).$asTuple('client_id', 'key'),
            ),
          ),
      ),
  }
}

async function countOf(removal: { executeTakeFirst(): Promise<DeleteResult> }): Promise<number> {
  return Number((await removal.executeTakeFirst()).numDeletedRows)
}
