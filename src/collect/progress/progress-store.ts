import { type Kysely, sql } from 'kysely'
import {
  type ApplicationStatus,
  type ChosenStatus,
  type ProgressReason,
  statuses,
} from '../../model/application-status.ts'
import { isMuted, type Untold } from '../../model/notice-topics.ts'
import { countOutcomes, type EntryOutcome } from '../../model/progress-report.ts'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { newestApplication } from '../../schema/newest-application.ts'
import {
  addHistories,
  addHistory,
  lockApplication,
  lockApplications,
  lockLedger,
} from '../../schema/writing/change-application.ts'
import { withLedger } from '../../schema/writing/with-ledger.ts'
import { type Activity, activitiesOf } from './activity-store.ts'
import { applyEntries, type ReportedEntry } from './entry-rules.ts'
import { countHeld, endHold, type HeldDecisions } from './held-decision-store.ts'
import { isGranted, type Program, timesOfStatuses, writeSteps } from './status-step-store.ts'

/** A recruiter's changes, sent from the page of an application. */
export interface Update {
  by: string
  /** The status that the page showed. */
  shown: ApplicationStatus
  /** Undefined: only adds the note. */
  to: ChosenStatus | undefined
  note: string
  tells: boolean
}

export type StatusCounts = Record<ApplicationStatus, number>

export interface StatusChange {
  /** Each changes only if it still has the status that the page showed. */
  applications: readonly { id: number; shown: ApplicationStatus }[]
  to: ChosenStatus
  /** Account of the member. */
  by: string
  at: EpochMs
  /** Added to the history of each application. */
  note?: string
  /** Queues an email to each candidate who has an account. */
  tells: boolean
  /** The maximum number of notes and status changes of an application, after which it does not change. */
  maxHistory: number
  /** The maximum number of emails about decisions of one kind; further ones are put on hold. */
  toldAtOnce: number
}

/** An entry in an application's history, as the company's people see it. */
export interface HistoryEntry {
  at: EpochMs
  kind: 'status' | 'note' | 'withdrawn' | 'document' | 'hold' | 'release'
  /** The account of the member who did it; null if no member did. */
  actorId: string | null
  /** Null if the account no longer exists, or has no name. */
  actorName: string | null
  former: ApplicationStatus | null
  status: ApplicationStatus | null
  text: string | null
  /** The kind of program that reported the status; null if none did. */
  source: 'api' | 'agent' | null
  /** The label of the credential, or the name of the agent; null if it no longer exists. */
  sourceName: string | null
  /** The stage, as the program named it. */
  label: string | null
  reason: ProgressReason | null
}

export type ProgressStore = ReturnType<typeof createProgressStore>

/** A company's work on its applications: status, notes and history. */
export function createProgressStore(database: Database) {
  const { writer, reader, dialect } = database
  return {
    /**
     * Returns the IDs of applications that now have the new status. Those shown with it already had it and did not
     * change; all others did. Omits applications that had another status by then, were erased, are not the
     * advertiser's, or have a full history.
     */
    setStatus: (
      advertiserId: number,
      { applications, to, by, at, note, tells, maxHistory, toldAtOnce }: StatusChange,
    ): Promise<number[]> =>
      withLedger(database, advertiserId, async trx => {
        const shown = new Map(applications.map(({ id, shown: status }) => [id, status]))
        await lockLedger(trx, dialect, advertiserId)
        const locked = await lockApplications(trx, dialect, advertiserId, [...shown.keys()])
        const full = await withFullHistory(trx, advertiserId, [...shown.keys()], 'people', maxHistory)
        const matching = locked.filter(
          ({ id, status, erasedAt }) =>
            status === shown.get(id) &&
            status !== 'withdrawn' &&
            erasedAt === null &&
            (status === to || !full.has(id)),
        )
        const changing = matching.filter(({ status }) => status !== to)
        if (changing.length > 0) {
          const times = await timesOfStatuses(trx, advertiserId, changing)
          const steps = changing.map(application => ({
            application,
            from: application.status,
            to,
            at: timeOfPress(at, times.get(application.id)),
            tells,
          }))
          await writeSteps(trx, advertiserId, steps, { by: 'console', actorId: by }, { now: at, toldAtOnce })
          if (note !== undefined)
            await addHistories(
              trx,
              advertiserId,
              changing.map(({ id }) => ({
                at,
                actor_id: by,
                application_id: id,
                kind: 'note' as const,
                text: note,
              })),
            )
        }
        return matching.map(({ id }) => id)
      }),

    /**
     * Marks a new application as seen; returns false if it is not new. Opening is not a decision: the change is dated
     * when the application was sent, so that an earlier decision still takes effect when it is reported later.
     */
    open: (
      advertiserId: number,
      applicationId: number,
      { by, now }: { by: string; now: EpochMs },
    ): Promise<boolean> =>
      withLedger(database, advertiserId, async trx => {
        await lockLedger(trx, dialect, advertiserId)
        const application = await lockApplication(trx, dialect, advertiserId, applicationId)
        if (application?.status !== 'new' || application.erasedAt !== null) return false
        const times = await timesOfStatuses(trx, advertiserId, [application])
        const at = application.submittedAt
        // It was later set back to `new`.
        if ((times.get(applicationId) ?? at) > at) return false
        const step = { application, from: application.status, to: 'seen' as const, at, tells: false }
        await writeSteps(trx, advertiserId, [step], { by: 'console', actorId: by }, { now, toldAtOnce: 0 })
        return true
      }),

    /**
     * Records a program's report about applications, in its order; `not-granted` if the agent has no permission or has
     * lost it. `unread`: number of unreadable entries in the report.
     */
    report: (
      advertiserId: number,
      program: Program,
      entries: readonly ReportedEntry[],
      bounds: { now: EpochMs; maxHistory: number; toldAtOnce: number; unread: number },
    ): Promise<EntryOutcome[] | 'not-granted'> =>
      withLedger(database, advertiserId, async trx => {
        // Grants are withdrawn under the same lock, so that none is used after its withdrawal.
        await lockLedger(trx, dialect, advertiserId)
        if (program.by === 'agent' && !(await isGranted(trx, advertiserId, program))) return 'not-granted'
        const ids = [...new Set(entries.map(({ applicationId }) => applicationId))]
        const locked = await lockApplications(trx, dialect, advertiserId, ids)
        const left = locked.filter(({ erasedAt }) => erasedAt === null)
        const [times, full] = [
          await timesOfStatuses(trx, advertiserId, left),
          await withFullHistory(trx, advertiserId, ids, 'programs', bounds.maxHistory),
        ]
        const { outcomes, steps } = applyEntries(entries, { applications: left, times, full })
        await writeSteps(trx, advertiserId, steps, program, bounds)
        await recordAudit(trx, {
          action: 'applications.progress',
          scope: { ownerId: advertiserId },
          target: `applications:${advertiserId}`,
          after: countOutcomes(outcomes, bounds.unread),
        })
        return outcomes
      }),

    /** Decisions whose emails are on hold, by kind. */
    held: (advertiserId: number, now: EpochMs): Promise<HeldDecisions[]> =>
      countHeld(reader, advertiserId, now),

    /**
     * Takes back at most `max` decisions whose emails are on hold: removes the emails, and restores each application's
     * former status, unless it has changed since. An application whose email has been sent stays as it is. Returns how
     * many decisions are no longer held, and how many applications have changed.
     */
    takeBack: (
      advertiserId: number,
      chosen: { status: ChosenStatus; until: EpochMs; max: number },
      { by, now }: { by: string; now: EpochMs },
    ): Promise<{ ended: number; changed: number }> =>
      withLedger(database, advertiserId, async trx => {
        await lockLedger(trx, dialect, advertiserId)
        const { ended, decisions } = await endHold(trx, dialect, advertiserId, { ...chosen, now })
        const formerOf = new Map(decisions.map(({ applicationId, former }) => [applicationId, former]))
        const locked = await lockApplications(trx, dialect, advertiserId, [...formerOf.keys()])
        const changing = locked.filter(
          ({ status, erasedAt }) => status === chosen.status && erasedAt === null,
        )
        if (changing.length === 0) return { ended, changed: 0 }
        const times = await timesOfStatuses(trx, advertiserId, changing)
        const steps = changing.map(application => ({
          application,
          from: application.status,
          to: formerOf.get(application.id) as ChosenStatus,
          at: timeOfPress(now, times.get(application.id)),
          tells: false,
        }))
        await writeSteps(trx, advertiserId, steps, { by: 'console', actorId: by }, { now, toldAtOnce: 0 })
        await recordAudit(trx, {
          action: 'applications.take-back',
          scope: { ownerId: advertiserId },
          target: `applications:${advertiserId}`,
          before: { status: chosen.status },
          after: { count: changing.length },
        })
        return { ended, changed: changing.length }
      }),

    /** `missing`: there is no such application, or it was erased. */
    addNote: (
      advertiserId: number,
      applicationId: number,
      { text, by, at, maxHistory }: { text: string; by: string; at: EpochMs; maxHistory: number },
    ): Promise<'added' | 'missing' | 'full'> =>
      writer.transaction().execute(async trx => {
        const application = await lockApplication(trx, dialect, advertiserId, applicationId)
        if (application === undefined || application.erasedAt !== null) return 'missing'
        const full = await withFullHistory(trx, advertiserId, [applicationId], 'people', maxHistory)
        if (full.has(applicationId)) return 'full'
        await addHistory(trx, application, { at, kind: 'note', actor_id: by, text })
        return 'added'
      }),

    /** Whether its history has reached the maximum of notes and status changes by the company's people. */
    isFull: async (advertiserId: number, applicationId: number, maxHistory: number): Promise<boolean> =>
      (await withFullHistory(reader, advertiserId, [applicationId], 'people', maxHistory)).has(applicationId),

    /** Newest first. */
    history: (advertiserId: number, applicationId: number, limit: number): Promise<HistoryEntry[]> =>
      reader
        .selectFrom('application_history as entry')
        .leftJoin('candidates as actor', 'actor.id', 'entry.actor_id')
        .select(['entry.at', 'entry.kind', 'entry.actor_id as actorId', 'entry.former', 'entry.status'])
        .leftJoin('sws_credentials as credential', join =>
          join
            .onRef('credential.id', '=', 'entry.source_id')
            .onRef('credential.advertiser_id', '=', 'entry.advertiser_id'),
        )
        .leftJoin('oauth_clients as client', 'client.id', 'entry.source_id')
        .leftJoin('agents as agent', 'agent.id', 'client.agent_id')
        .select(['entry.text', 'entry.source', 'entry.label', 'entry.reason'])
        .select(({ fn }) => fn.coalesce('credential.label', 'agent.name').as('sourceName'))
        .select(
          sql<string | null>`nullif(trim(actor.first_name || ' ' || actor.last_name), '')`.as('actorName'),
        )
        .where('entry.advertiser_id', '=', advertiserId)
        .where('entry.application_id', '=', applicationId)
        .orderBy('entry.position', 'desc')
        .limit(limit)
        .execute(),

    /** Activities, in any order. */
    activities: (
      advertiserId: number,
      application: { id: number; submittedAt: EpochMs },
    ): Promise<Activity[]> => activitiesOf({ reader, dialect }, advertiserId, application),

    /** Undefined if the candidate would get an email about its status. */
    async whyUntold(advertiserId: number, applicationId: number): Promise<Untold | undefined> {
      const candidate = await reader
        .selectFrom('own_applications as own')
        .innerJoin('candidates as candidate', 'candidate.id', 'own.candidate_id')
        .select(['candidate.email_confirmed_at as confirmedAt', 'candidate.mail_refused_at as refusedAt'])
        .select('candidate.muted')
        .where('own.advertiser_id', '=', advertiserId)
        .where('own.application_id', '=', applicationId)
        .executeTakeFirst()
      if (candidate === undefined) return 'no-account'
      if (candidate.confirmedAt === null) return 'unconfirmed'
      if (candidate.refusedAt !== null) return 'refused'
      return isMuted(candidate.muted, 'progress') ? 'muted' : undefined
    },

    /**
     * Records that a member reads new applications, so that no email mentions them; a visit ends after `visitMs`
     * without a read, and is recorded once in `repeatMs` unless something is new. Returns the time of the previous
     * visit; null if this is the first. Call it before reading the page's content.
     */
    async visit(
      advertiserId: number,
      candidateId: string,
      { now, visitMs, repeatMs }: { now: EpochMs; visitMs: number; repeatMs: number },
    ): Promise<EpochMs | null> {
      const newest = newestApplication(advertiserId)
      const known = await reader
        .selectFrom('memberships')
        .select(['visited_at', 'visited_before_at', 'told_up_to', newest.as('newest')])
        .where('advertiser_id', '=', advertiserId)
        .where('candidate_id', '=', candidateId)
        .executeTakeFirst()
      // If nothing is new, a write for each page is not worth it.
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
          // No email mentions applications that the member is about to see.
          told_up_to: newest,
        }))
        .where('advertiser_id', '=', advertiserId)
        .where('candidate_id', '=', candidateId)
        .returning('visited_before_at')
        .executeTakeFirst()
      return visited?.visited_before_at ?? null
    },

    async lastVisit(advertiserId: number, candidateId: string): Promise<EpochMs | null> {
      const member = await reader
        .selectFrom('memberships')
        .select('visited_before_at')
        .where('advertiser_id', '=', advertiserId)
        .where('candidate_id', '=', candidateId)
        .executeTakeFirst()
      return member?.visited_before_at ?? null
    },

    /** Counts the applications to one ad, or all. */
    async counts(advertiserId: number, jobAdId?: number): Promise<StatusCounts> {
      const all = reader
        .selectFrom('application_counts')
        .select(['status', sql<number>`cast(sum(applications) as bigint)`.as('applications')])
        .where('advertiser_id', '=', advertiserId)
        .groupBy('status')
      const rows = await (jobAdId === undefined ? all : all.where('job_ad_id', '=', jobAdId)).execute()
      return countsIn(rows)
    },

    /** Omits ads that have no applications. */
    async countsOfAds(advertiserId: number, jobAdIds: readonly number[]): Promise<Map<number, StatusCounts>> {
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

/** A person's change to the displayed status is never superseded by an earlier report. */
const timeOfPress = (now: EpochMs, latest: EpochMs = now - 1): EpochMs => Math.max(now, latest + 1)

/**
 * Applications whose history has reached the maximum of notes and status changes by people, or by programs: neither
 * uses up the other's share.
 */
async function withFullHistory(
  db: Kysely<Schema>,
  advertiserId: number,
  ids: readonly number[],
  author: 'people' | 'programs',
  maxHistory: number,
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  // Positions begin at 1 and only increase, so nearly every history is known to be shorter without counting.
  const long = await db
    .selectFrom('application_history')
    .select('application_id')
    .distinct()
    .where('advertiser_id', '=', advertiserId)
    .where('application_id', 'in', ids)
    .where('position', '>=', maxHistory)
    .execute()
  if (long.length === 0) return new Set()
  const full = await db
    .selectFrom('application_history')
    .select('application_id')
    .where('advertiser_id', '=', advertiserId)
    .where(
      'application_id',
      'in',
      long.map(row => row.application_id),
    )
    .where('kind', 'in', ['status', 'note'])
    .where('source', author === 'people' ? 'is' : 'is not', null)
    .groupBy('application_id')
    .having(({ fn }) => fn.countAll(), '>=', maxHistory)
    .execute()
  return new Set(full.map(row => row.application_id))
}

function countsIn(rows: readonly { status: ApplicationStatus; applications: number }[]): StatusCounts {
  const counts = Object.fromEntries(statuses.map(status => [status, 0])) as StatusCounts
  for (const { status, applications } of rows) counts[status] = applications
  return counts
}
