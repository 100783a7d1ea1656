import { sql } from 'kysely'
import type { DigestStore, DueMember } from '../../people/notifications/ports.ts'
import type { Database } from '../database/tables.ts'
import { queueNotices } from '../writing/queue-notice.ts'

export function createDigestStore({ writer, reader }: Database): DigestStore {
  /** Companies on hold hear nothing: their pages are unavailable. */
  const memberships = reader
    .selectFrom('memberships as membership')
    .innerJoin('advertisers as advertiser', 'advertiser.id', 'membership.advertiser_id')
    .where('advertiser.status', '=', 'active')

  /** One step into the index, from the newest application backwards. */
  const newestId = sql<number | null>`(select application.id from applications application
    where application.advertiser_id = membership.advertiser_id and application.id > membership.told_up_to
    and application.erased_at is null and application.status <> 'withdrawn'
    order by application.id desc limit 1)`

  const due = memberships
    .select([
      'membership.advertiser_id as advertiserId',
      'membership.candidate_id as candidateId',
      'membership.notify as rhythm',
      'membership.told_up_to as toldUpTo',
      'membership.told_at as toldAt',
      newestId.as('newestId'),
    ])
    // Two processes lock members in the same order.
    .orderBy('membership.advertiser_id')
    .orderBy('membership.candidate_id')

  return {
    async zones() {
      const rows = await memberships
        .select('advertiser.time_zone')
        .distinct()
        .where('membership.notify', '=', 'daily')
        .execute()
      return rows.map(({ time_zone }) => time_zone)
    },

    dueSoon: ({ before, after }, most): Promise<DueMember[]> =>
      due
        .where('membership.notify', '=', 'soon')
        .where(({ eb, or }) =>
          or([eb('membership.told_at', '<=', before), eb('membership.told_at', '>', after)]),
        )
        .where(newestId, 'is not', null)
        .limit(most)
        .execute(),

    dueDaily: (times, toldAfter, most): Promise<DueMember[]> =>
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
        .limit(most)
        .execute(),

    tell: (members, now) =>
      writer.transaction().execute(async trx => {
        const told: DueMember[] = []
        for (const member of members) {
          const { numUpdatedRows } = await trx
            .updateTable('memberships')
            .set({ told_up_to: member.newestId ?? member.toldUpTo, told_at: now })
            .where('advertiser_id', '=', member.advertiserId)
            .where('candidate_id', '=', member.candidateId)
            .where('notify', '=', member.rhythm)
            .where('told_up_to', '=', member.toldUpTo)
            .where('told_at', '=', member.toldAt)
            .executeTakeFirst()
          if (numUpdatedRows === 1n) told.push(member)
        }
        const notices = told.flatMap(({ advertiserId, candidateId, toldUpTo, newestId }) =>
          newestId === null
            ? []
            : {
                kind: 'new-applications' as const,
                candidateId,
                advertiserId,
                firstId: toldUpTo + 1,
                lastId: newestId,
              },
        )
        await queueNotices(trx, notices, now)
        return notices.length
      }),
  }
}
