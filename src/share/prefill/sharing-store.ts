import { type Kysely, sql, type Transaction } from 'kysely'
import { type ChosenStatus, compareStates, type ProgressReason } from '../../model/application-status.ts'
import type { Resume } from '../../model/candidate.ts'
import type { ProfileToken } from '../../model/principal.ts'
import { countOutcomes, type EntryOutcome } from '../../model/progress-report.ts'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { findByKey } from '../../platform/database/find-by-key.ts'
import { prepareQuery } from '../../platform/database/prepared-query.ts'
import type { Database, Dialect, Schema } from '../../platform/database/tables.ts'
import { mayApplyTo } from '../../schema/client-advertisers.ts'
import { scanOf } from '../../schema/scan-columns.ts'
import { addEvent, nextEventNumber } from '../../schema/writing/record-event.ts'
import { withLedger } from '../../schema/writing/with-ledger.ts'
import {
  disclosureColumns,
  disclosureValues,
  prefillInStep,
  prefillTogether,
  releasesResume,
  resumeBit,
  validToken,
} from './record-prefill-store.ts'

export type SharingStore = ReturnType<typeof createSharingStore>

/**
 * A disclosure is recorded only while the token is valid, in the same transaction that reads the token and the
 * categories it releases.
 */
export function createSharingStore(database: Database) {
  const { writer, reader, dialect, step } = database
  const findReleased = prepareFindReleased(reader)
  const findChosen = prepareFindChosen(database)
  const recordPrefill = step === undefined ? prefillTogether(writer) : prefillInStep(writer, step)

  return {
    /**
     * One durable transaction. Undefined if the token is no longer valid, or the advertiser is not active or does not
     * authorise the client's agent.
     */
    recordPrefill,

    /**
     * Undefined unless the advertiser is active. `mayApply`: false if the client belongs to an agent that the
     * advertiser does not authorise.
     */
    async findAdvertiser(clientId: string, advertiserId: number): Promise<{ mayApply: boolean } | undefined> {
      const row = await reader
        .selectFrom('advertisers as advertiser')
        .innerJoin('oauth_clients as client', join => join.on('client.id', '=', clientId))
        .select(sql<number>`case when ${mayApplyTo} then 1 else 0 end`.as('mayApply'))
        .where('advertiser.id', '=', advertiserId)
        .where('advertiser.status', '=', 'active')
        .executeTakeFirst()
      return row && { mayApply: row.mayApply === 1 }
    },

    /** The resume that this consent covers; undefined if it has been deleted. */
    async findChosenResume(
      grantId: string,
      candidateId: string,
    ): Promise<Omit<Resume, 'isDefault'> | undefined> {
      const chosen = await findChosen(grantId)
      if (chosen?.candidateId !== candidateId) return undefined
      const { candidateId: _, ...resume } = chosen
      return resume
    },

    /** Finds the file released to this grant under this identifier. */
    findReleasedResume: (
      grantId: string,
      releasedId: string,
    ): Promise<Omit<Resume, 'isDefault'> | undefined> => findReleased({ grantId, releasedId }),

    /** Returns false if the token is no longer valid or no longer releases the resume. */
    async recordDownload(token: ProfileToken, disclosureId: string, now: EpochMs): Promise<boolean> {
      const result = await writer
        .insertInto('disclosures')
        .columns(disclosureColumns)
        .expression(
          validToken(writer, token.hash, now)
            .where(releasesResume('token.released'))
            .$if(dialect === 'postgres', query => query.forShare(['token']))
            .select(eb => [
              ...disclosureValues({ ...token, now, disclosureId }, 'resume', resumeBit),
              eb.ref('token.advertiser_id').as('advertiser_id'),
            ]),
        )
        .executeTakeFirst()
      return result.numInsertedOrUpdatedRows === 1n
    },

    /** Keeps the first date; returns false if the client has no such application. `completedAt` is the client's date. */
    complete: (
      clientId: string,
      applicationId: string,
      completedAt: EpochMs,
      now: EpochMs,
    ): Promise<boolean> => completePrefill(database, clientId, applicationId, completedAt, now),

    /**
     * One outcome per entry; `not-found` if the client does not hold the application's consent. `unread`: number of
     * unreadable entries in the report.
     */
    reportProgress: (
      clientId: string,
      entries: readonly PrefillEntry[],
      bounds: { maxStates: number; unread: number },
    ): Promise<EntryOutcome[]> => reportPrefillProgress(database, clientId, entries, bounds),
  }
}

const fileColumns = [
  'resume.id',
  'resume.file_name as fileName',
  'resume.content_type as contentType',
  'resume.blob',
  'resume.sha256',
  'resume.size',
  'resume.uploaded_at as uploadedAt',
] as const

function prepareFindChosen(database: Database) {
  return findByKey(
    database,
    'consent.id',
    database.reader
      .selectFrom('grants as consent')
      .innerJoin('resumes as resume', join =>
        join
          .onRef('resume.id', '=', 'consent.resume_id')
          .onRef('resume.candidate_id', '=', 'consent.candidate_id'),
      )
      .select(fileColumns)
      .select(['consent.candidate_id as candidateId', scanOf('resume').as('scan')]),
  )
}

function prepareFindReleased(reader: Kysely<Schema>) {
  return prepareQuery(reader, ({ grantId, releasedId }: { grantId: string; releasedId: string }) =>
    reader
      .selectFrom('released_resumes as released')
      .innerJoin('grants as consent', 'consent.id', 'released.grant_id')
      .innerJoin('resumes as resume', 'resume.id', 'released.resume_id')
      .select(fileColumns)
      .select(scanOf('resume').as('scan'))
      .where('released.id', '=', releasedId)
      .where('released.grant_id', '=', grantId)
      // Choosing another resume withdraws this one.
      .whereRef('consent.resume_id', '=', 'resume.id'),
  )
}

/** Records when a prefilled application was first completed. Returns false if the client has no such application. */
async function completePrefill(
  database: Database,
  clientId: string,
  applicationId: string,
  completedAt: EpochMs,
  now: EpochMs,
): Promise<boolean> {
  const { reader } = database
  const found = await reader
    .selectFrom('prefilled_applications')
    .select(['advertiser_id as advertiserId', 'completed_at as completedAt'])
    .where('id', '=', applicationId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  if (found === undefined || found.completedAt !== null) return found !== undefined
  const { advertiserId } = found
  return withLedger(database, advertiserId, async trx => {
    const number = await nextEventNumber(trx, advertiserId, now, { changesList: false })
    const completed = await trx
      .updateTable('prefilled_applications')
      .set({ completed_at: completedAt })
      .where('id', '=', applicationId)
      .where('client_id', '=', clientId)
      .where('completed_at', 'is', null)
      .returning('position_reference')
      .executeTakeFirst()
    // Another call was faster, or the candidate has just deleted the account.
    if (completed === undefined) {
      const left = trx
        .selectFrom('prefilled_applications')
        .select('id')
        .where('id', '=', applicationId)
        .where('client_id', '=', clientId)
      return (await left.executeTakeFirst()) !== undefined
    }
    await addEvent(trx, advertiserId, number, 'prefill.completed', null, {
      prefilledApplicationId: applicationId,
      positionReference: completed.position_reference,
      completedAt: new Date(completedAt).toISOString(),
    })
    return true
  })
}

/** A client's report about a prefilled application. */
interface PrefillEntry {
  prefilledApplicationId: string
  to: ChosenStatus
  at: EpochMs
  reason: ProgressReason | null
}

/**
 * Records entries in their order, for applications whose consent the client holds. Of two entries, the one with the
 * later time wins; if the times are equal, the one with the later state.
 */
function reportPrefillProgress(
  { writer, dialect }: Database,
  clientId: string,
  entries: readonly PrefillEntry[],
  { maxStates, unread }: { maxStates: number; unread: number },
): Promise<EntryOutcome[]> {
  return writer.transaction().execute(async trx => {
    const ids = [...new Set(entries.map(entry => entry.prefilledApplicationId))]
    const created = await lockHeld(trx, dialect, clientId, ids)
    const known = await statesOf(trx, [...created.keys()])
    const outcomes: EntryOutcome[] = []
    for (const { prefilledApplicationId: id, to, reason, ...entry } of entries) {
      const createdAt = created.get(id)
      if (createdAt === undefined) {
        outcomes.push('not-found')
        continue
      }
      const reported = known.get(id) ?? []
      const at = Math.max(entry.at, createdAt)
      const last = reported.at(-1)
      const order =
        last === undefined ? 1 : compareStates({ status: to, at }, { ...last, status: last.state })
      if (order <= 0) outcomes.push(order < 0 ? 'superseded' : 'unchanged')
      else {
        // A state that is reported at every sync has only a first and a last entry.
        const isRepeated = last?.state === to && reported.at(-2)?.state === to
        const earlier = isRepeated ? reported.slice(0, -1) : reported
        if (earlier.length >= maxStates) {
          outcomes.push('full')
          continue
        }
        const row = { position: (earlier.at(-1)?.position ?? 0) + 1, at, state: to }
        await trx
          .insertInto('prefill_progress')
          .values({ prefilled_application_id: id, ...row, reason })
          .onConflict(conflict =>
            conflict.columns(['prefilled_application_id', 'position']).doUpdateSet({ at, reason }),
          )
          .execute()
        known.set(id, [...earlier, row])
        outcomes.push('applied')
      }
    }
    await recordAudit(trx, {
      action: 'client.progress',
      scope: 'board',
      target: `client:${clientId}`,
      after: countOutcomes(outcomes, unread),
    })
    return outcomes
  })
}

/**
 * Returns the time at which each application was started. Locks the consents, so that none is withdrawn before the
 * commit: before the applications, and each in the order of their IDs, as every other writer does, so that there is no
 * deadlock.
 */
async function lockHeld(
  trx: Transaction<Schema>,
  dialect: Dialect,
  clientId: string,
  ids: readonly string[],
): Promise<Map<string, EpochMs>> {
  if (ids.length === 0) return new Map()
  const ofClient = trx
    .selectFrom('prefilled_applications')
    .where('client_id', '=', clientId)
    .where('id', 'in', ids)
  const given = await ofClient.select('grant_id').execute()
  if (given.length === 0) return new Map()
  const consents = await trx
    .selectFrom('grants')
    .select('id')
    .where('client_id', '=', clientId)
    .where('id', 'in', [...new Set(given.map(row => row.grant_id))])
    .where('withdrawn_at', 'is', null)
    .orderBy('id')
    .$if(dialect === 'postgres', query => query.forShare())
    .execute()
  const held = new Set(consents.map(({ id }) => id))
  const rows = await ofClient
    .select(['id', 'grant_id as grantId', 'created_at as createdAt'])
    .orderBy('id')
    .$if(dialect === 'postgres', query => query.forNoKeyUpdate())
    .execute()
  return new Map(rows.filter(row => held.has(row.grantId)).map(({ id, createdAt }) => [id, createdAt]))
}

/** The reported states of each application, the current state last. */
async function statesOf(trx: Transaction<Schema>, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, Reported[]>()
  const rows = await trx
    .selectFrom('prefill_progress')
    .select(['prefilled_application_id as id', 'position', 'at', 'state'])
    .where('prefilled_application_id', 'in', ids)
    .orderBy('prefilled_application_id')
    .orderBy('position')
    .execute()
  return Map.groupBy<string, Reported & { id: string }>(rows, ({ id }) => id) as Map<string, Reported[]>
}

interface Reported {
  position: number
  at: EpochMs
  state: ChosenStatus
}
