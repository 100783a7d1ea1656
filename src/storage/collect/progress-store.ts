import { sql, type Transaction } from 'kysely'
import type { HistoryEntry, ProgressStore, StatusCounts } from '../../collect/progress/ports.ts'
import { type ApplicationStatus, statuses } from '../../model/application-status.ts'
import type { Database, Schema } from '../database/tables.ts'
import { newestApplication } from '../people/newest-application.ts'
import {
  addHistories,
  addHistory,
  lockApplication,
  lockApplications,
  setStatus,
} from '../writing/change-application.ts'
import { queueNotices } from '../writing/queue-notice.ts'
import { recordAudit } from '../writing/record-audit.ts'
import { happeningsOf } from './happenings.ts'

export function createProgressStore({ writer, reader, dialect }: Database): ProgressStore {
  return {
    setStatus: (advertiserId, { applications, to, by, at, note, tells, historyMost }) =>
      writer.transaction().execute(async trx => {
        const shown = new Map(applications.map(({ id, shown: status }) => [id, status]))
        const locked = await lockApplications(trx, dialect, advertiserId, [...shown.keys()])
        const full = await withHistoryOf(trx, advertiserId, [...shown.keys()], historyMost)
        const matching = locked.filter(
          ({ id, status, erasedAt }) =>
            status === shown.get(id) && status !== 'withdrawn' && erasedAt === null && !full.has(id),
        )
        const changing = matching.filter(({ status }) => status !== to)
        const changed = changing.map(({ id }) => id)
        if (changed.length === 0) return matching.map(({ id }) => id)
        await setStatus(trx, changing, to)
        const entry = { at, actor_id: by }
        await addHistories(
          trx,
          advertiserId,
          changing.map(({ id, status }) => ({
            ...entry,
            application_id: id,
            kind: 'status',
            former: status,
            status: to,
          })),
        )
        if (note !== undefined) {
          const notes = changed.map(id => ({
            ...entry,
            application_id: id,
            kind: 'note' as const,
            text: note,
          }))
          await addHistories(trx, advertiserId, notes)
        }
        if (tells) {
          const senders = await trx
            .selectFrom('own_applications')
            .select(['candidate_id as candidateId', 'application_id as applicationId'])
            .where('advertiser_id', '=', advertiserId)
            .where('application_id', 'in', changed)
            .execute()
          const notice = { kind: 'status-changed' as const, advertiserId, status: to }
          await queueNotices(
            trx,
            senders.map(sender => ({ ...notice, ...sender })),
            at,
          )
        }
        await recordAudit(
          trx,
          ...changing.map(
            ({ id, status }) =>
              ({
                action: 'application.status',
                scope: { advertiserId },
                target: `application:${id}`,
                before: { status },
                after: { status: to },
              }) as const,
          ),
        )
        return matching.map(({ id }) => id)
      }),

    addNote: (advertiserId, applicationId, { text, by, at, historyMost }) =>
      writer.transaction().execute(async trx => {
        const application = await lockApplication(trx, dialect, advertiserId, applicationId)
        if (application === undefined || application.erasedAt !== null) return 'missing'
        const full = await withHistoryOf(trx, advertiserId, [applicationId], historyMost)
        if (full.has(applicationId)) return 'full'
        await addHistory(trx, application, { at, kind: 'note', actor_id: by, text })
        return 'added'
      }),

    history: (advertiserId, applicationId, limit): Promise<HistoryEntry[]> =>
      reader
        .selectFrom('application_history as entry')
        .leftJoin('candidates as actor', 'actor.id', 'entry.actor_id')
        .select(['entry.at', 'entry.kind', 'entry.actor_id as actorId', 'entry.former', 'entry.status'])
        .select('entry.text')
        .select(
          sql<string | null>`nullif(trim(actor.first_name || ' ' || actor.last_name), '')`.as('actorName'),
        )
        .where('entry.advertiser_id', '=', advertiserId)
        .where('entry.application_id', '=', applicationId)
        .orderBy('entry.position', 'desc')
        .limit(limit)
        .execute(),

    happenings: (advertiserId, application) => happeningsOf({ reader, dialect }, advertiserId, application),

    async hasAccount(advertiserId, applicationId) {
      const sent = await reader
        .selectFrom('own_applications')
        .select('candidate_id')
        .where('advertiser_id', '=', advertiserId)
        .where('application_id', '=', applicationId)
        .executeTakeFirst()
      return sent !== undefined
    },

    async visit(advertiserId, candidateId, { now, visitMs, repeatMs }) {
      const newest = newestApplication(advertiserId)
      const known = await reader
        .selectFrom('memberships')
        .select(['visited_at', 'visited_before_at', 'told_up_to', newest.as('newest')])
        .where('advertiser_id', '=', advertiserId)
        .where('candidate_id', '=', candidateId)
        .executeTakeFirst()
      // A page that shows nothing new is not worth a write each time.
      const isRepeated = known !== undefined && (known.visited_at ?? 0) > now - repeatMs
      if (isRepeated && known.told_up_to >= known.newest) return known.visited_before_at
      const visited = await writer
        .updateTable('memberships')
        .set(eb => ({
          visited_before_at: eb
            .case()
            .when('visited_at', '<', now - visitMs)
            .then(eb.ref('visited_at'))
            .else(eb.ref('visited_before_at'))
            .end(),
          visited_at: now,
          // No email tells of what the member is about to see.
          told_up_to: newest,
        }))
        .where('advertiser_id', '=', advertiserId)
        .where('candidate_id', '=', candidateId)
        .returning('visited_before_at')
        .executeTakeFirst()
      return visited?.visited_before_at ?? null
    },

    async lastVisit(advertiserId, candidateId) {
      const member = await reader
        .selectFrom('memberships')
        .select('visited_before_at')
        .where('advertiser_id', '=', advertiserId)
        .where('candidate_id', '=', candidateId)
        .executeTakeFirst()
      return member?.visited_before_at ?? null
    },

    async counts(advertiserId, jobAdId) {
      const all = reader
        .selectFrom('application_counts')
        .select(['status', sql<number>`cast(sum(applications) as bigint)`.as('applications')])
        .where('advertiser_id', '=', advertiserId)
        .groupBy('status')
      const rows = await (jobAdId === undefined ? all : all.where('job_ad_id', '=', jobAdId)).execute()
      return countsIn(rows)
    },

    async countsOfAds(advertiserId, jobAdIds) {
      if (jobAdIds.length === 0) return new Map()
      const rows = await reader
        .selectFrom('application_counts')
        .select(['job_ad_id', 'status', 'applications'])
        .where('advertiser_id', '=', advertiserId)
        .where('job_ad_id', 'in', jobAdIds)
        .execute()
      return new Map([...Map.groupBy(rows, row => row.job_ad_id)].map(([id, ofAd]) => [id, countsIn(ofAd)]))
    },
  }
}

/** Those whose history has at least so many entries: their positions begin at 1 and have no gap. */
async function withHistoryOf(
  trx: Transaction<Schema>,
  advertiserId: number,
  ids: readonly number[],
  least: number,
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await trx
    .selectFrom('application_history')
    .select('application_id')
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', 'in', ids)
    .where('position', '=', least)
    .execute()
  return new Set(rows.map(row => row.application_id))
}

function countsIn(rows: readonly { status: ApplicationStatus; applications: number }[]): StatusCounts {
  const counts = Object.fromEntries(statuses.map(status => [status, 0])) as StatusCounts
  for (const { status, applications } of rows) counts[status] = applications
  return counts
}
