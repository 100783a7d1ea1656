import { sql } from 'kysely'
import type { Notice } from '../../model/notice.ts'
import type { Rhythm } from '../../model/notice-topics.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database } from '../../platform/database/tables.ts'
import { queueNotices } from '../../schema/writing/queue-notice.ts'

/** A member who is due for an email, unless nothing is new. */
export interface DueMember {
  advertiserId: number
  candidateId: string
  rhythm: Rhythm
  toldUpTo: number
  toldAt: EpochMs
  /** The newest application that the member was not notified about; null if there is none. */
  newestId: number | null
}

/** The latest time of daily emails that has passed in a zone; null: the operator's zone. */
export interface DailyTime {
  timeZone: string | null
  at: EpochMs
}

/** An email lists at most this many withdrawn applications, and counts the others. */
const withdrawnListed = 10

export type DigestStore = ReturnType<typeof createDigestStore>

export function createDigestStore({ writer, reader }: Database) {
  /** Companies on hold get no emails: their pages are unavailable. */
  const memberships = reader
    .selectFrom('memberships as membership')
    .innerJoin('advertisers as advertiser', 'advertiser.id', 'membership.advertiser_id')
    .where('advertiser.status', '=', 'active')

  /** Reads a single entry of the index, going backwards from the newest application. */
  const newestId = sql<number | null>`(select application.id from applications application
    where application.advertiser_id = membership.advertiser_id and application.id > membership.told_up_to
    and application.erased_at is null and application.status <> 'withdrawn'
    order by application.id desc limit 1)`

  const hasWithdrawals = sql<boolean>`exists (select 1 from untold_withdrawals untold
    where untold.advertiser_id = membership.advertiser_id and untold.candidate_id = membership.candidate_id)`

  const due = memberships
    .select([
      'membership.advertiser_id as advertiserId',
      'membership.candidate_id as candidateId',
      'membership.notify as rhythm',
      'membership.told_up_to as toldUpTo',
      'membership.told_at as toldAt',
      newestId.as('newestId'),
    ])
    // In a fixed order, so that two processes that lock members cannot deadlock.
    .orderBy('membership.advertiser_id')
    .orderBy('membership.candidate_id')

  return {
    /** Time zones of companies with members who want daily emails. */
    async zones(): Promise<(string | null)[]> {
      const rows = await memberships
        .select('advertiser.time_zone')
        .distinct()
        .where('membership.notify', '=', 'daily')
        .execute()
      return rows.map(({ time_zone }) => time_zone)
    },

    /**
     * Members who want emails soon, were last notified before the first time or after the second, and have something
     * new.
     */
    dueSoon: ({ before, after }: { before: EpochMs; after: EpochMs }, max: number): Promise<DueMember[]> =>
      due
        .where('membership.notify', '=', 'soon')
        .where(({ eb, or }) =>
          or([eb('membership.told_at', '<=', before), eb('membership.told_at', '>', after)]),
        )
        .where(({ eb, or }) => or([eb(newestId, 'is not', null), hasWithdrawals]))
        .limit(max)
        .execute(),

    /**
     * Members who want daily emails and were last notified before the time of their zone or after the other time,
     * whether or not something is new.
     */
    dueDaily: (times: readonly DailyTime[], toldAfter: EpochMs, max: number): Promise<DueMember[]> =>
      due
        .where('membership.notify', '=', 'daily')
        .where(({ eb, or, and }) =>
          or(
            times.map(({ timeZone, at }) =>
              and([
                eb('advertiser.time_zone', timeZone === null ? 'is' : '=', timeZone),
                or([eb('membership.told_at', '<', at), eb('membership.told_at', '>', toldAfter)]),
              ]),
            ),
          ),
        )
        .limit(max)
        .execute(),

    /**
     * Queues an email to each member who has something new, and records that they were notified. Skips members whom
     * another process has notified, or who have changed their choice. Returns the number of emails.
     */
    tell: (members: readonly DueMember[], now: EpochMs): Promise<number> =>
      writer.transaction().execute(async trx => {
        const notices: Notice[] = []
        for (const { advertiserId, candidateId, toldUpTo, newestId, ...member } of members) {
          const lastId = newestId ?? toldUpTo
          const { numUpdatedRows } = await trx
            .updateTable('memberships')
            .set({ told_up_to: lastId, told_at: now })
            .where('advertiser_id', '=', advertiserId)
            .where('candidate_id', '=', candidateId)
            .where('notify', '=', member.rhythm)
            .where('told_up_to', '=', toldUpTo)
            .where('told_at', '=', member.toldAt)
            .executeTakeFirst()
          if (numUpdatedRows !== 1n) continue
          const withdrawn = await trx
            .deleteFrom('untold_withdrawals')
            .where('advertiser_id', '=', advertiserId)
            .where('candidate_id', '=', candidateId)
            .returning('application_id')
            .execute()
          if (newestId === null && withdrawn.length === 0) continue
          const newestWithdrawn = withdrawn.map(row => row.application_id).sort((a, b) => b - a)
          notices.push({
            kind: 'new-applications',
            candidateId,
            advertiserId,
            firstId: toldUpTo + 1,
            lastId,
            withdrawnIds: newestWithdrawn.slice(0, withdrawnListed),
            withdrawals: withdrawn.length,
          })
        }
        await queueNotices(trx, notices, now)
        return notices.length
      }),
  }
}
