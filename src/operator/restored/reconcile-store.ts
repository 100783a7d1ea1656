import { sql, type Transaction } from 'kysely'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { BlobPlace } from '../../platform/blobs/ports.ts'
import { asTask, withAuditContextUnlessKnown } from '../../platform/core/async/audit-context.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { getMeta, putMetaIfAbsent } from '../../platform/database/meta.ts'
import {
  clearUnreconciled,
  lastIds,
  lockGeneration,
  noteRestored,
  raiseAbove,
  raiseGeneration,
  setUnreconciled,
  takeUnreconciled,
  type Unreconciled,
} from '../../platform/database/restore-detection/generation.ts'
import {
  type Ceilings,
  highestOf,
  noGeneration,
  readAllCeilings,
  readMarks,
  writeMarks,
} from '../../platform/database/restore-detection/place-markers.ts'
import { createTombstones } from '../../platform/database/restore-detection/tombstones.ts'
import { restoredKey } from '../../platform/database/server-history.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import type { Tombstone } from '../../schema/writing/record-tombstones.ts'
import { unprovenKeysKey } from '../keys/missing-keys-store.ts'
import type { ReconcileReport } from './reconciled-texts.ts'
import { createReplay } from './replay-store.ts'

export interface ReconcileOptions {
  database: Database
  places: readonly BlobPlace[]
  now: EpochMs
}

/** Tables whose rows may have ended or been sent since the backup was made. Children before their parents. */
const endedTables = [
  'sessions',
  'account_links',
  'email_codes',
  'undo_links',
  'invitations',
  'untold_withdrawals',
  'recent_decisions',
  'operator_invitations',
  'agent_invitations',
  'released_resumes',
  'oauth_codes',
  'oauth_tokens',
  'sent_forms',
  'leases',
  'rate_counts',
  'sign_in_failures',
  'mail_counts',
] as const

/**
 * Reconciles a restored database, however it was restored: raises IDs beyond all that were assigned, notifies
 * followers, ends what may have ended, holds emails, and repeats erasures and revocations. Repeat it if it was
 * interrupted.
 */
export async function reconcile(
  options: ReconcileOptions & {
    /** IDs skipped beyond the highest known one. */
    raiseBy: number
    /** The last IDs of the replaced database, if it was readable. */
    atLeast?: Ceilings
    /** Maximum age of a running process's last sign of life: rows of other processes are removed. */
    freshMs: number
    idBlock: number
  },
): Promise<ReconcileReport> {
  const { database, places, now, raiseBy, atLeast = {}, freshMs, idBlock } = options
  const { writer, dialect } = database
  await writer.transaction().execute(async trx => {
    const { generations, databaseId } = await lockGeneration(trx, dialect)
    const marks = await readMarks(places, databaseId)
    const ceilings = (await readAllCeilings(places)) ?? {}
    await raiseAbove(trx, dialect, highestOf(ceilings, atLeast), raiseBy)
    // So that the next start does not reconcile again. Until then, the files keep their generation: a database that was
    // to be replaced may still be used.
    await raiseGeneration(trx, generations, marks?.generation)
    // More than a block above its IDs, so that every earlier copy is more than a block behind: their generation does
    // not show it.
    const noted = await lastIds(trx, dialect)
    for (const [name, id] of Object.entries(noted)) noted[name] = id + idBlock
    await writeMarks(places, databaseId, { generation: marks?.generation ?? noGeneration, ceilings: noted })
    await trx
      .deleteFrom('nodes')
      .where('seen_at', '<', now - freshMs)
      .execute()
    await noteRestored(trx, now)
    await setUnreconciled(trx, 'all')
  })
  return finishReconciling(options)
}

/** Does the work that the database lists as unfinished. Safe while other processes do it too. */
export async function finishReconciling({
  database,
  places,
  now,
}: ReconcileOptions): Promise<ReconcileReport> {
  const { writer, dialect } = database
  const report: ReconcileReport = { ended: {}, heldMails: 0, again: {} }
  // Without the gate, which lets nothing through before this is done. Nothing here assigns IDs.
  const { ids: _, ...ungated } = database
  let what: Unreconciled | undefined
  await writer.transaction().execute(async trx => {
    what = await takeUnreconciled(trx, dialect)
    if (what === 'all') await endAll(trx, now, report)
    if (what !== undefined) await tellFollowers(trx)
  })
  if (what === undefined) return report
  const done = what
  const reconciling = async () => {
    await replayAll(ungated, places, now, done, report)
    const again = Object.values(report.again).reduce((sum, count) => sum + count, 0)
    await writer.transaction().execute(async trx => {
      await clearUnreconciled(trx, done)
      if (done === 'all' || again > 0)
        await recordAudit(trx, {
          action: 'board.settle',
          scope: 'board',
          target: 'board:0',
          after: { again },
        })
    })
  }
  await withAuditContextUnlessKnown(
    asTask('settle', () => now),
    reconciling,
  )
  return report
}

async function endAll(trx: Transaction<Schema>, now: EpochMs, report: ReconcileReport): Promise<void> {
  for (const table of endedTables) {
    const { numDeletedRows } = await trx.deleteFrom(table).executeTakeFirst()
    if (numDeletedRows > 0n) report.ended[table] = Number(numDeletedRows)
  }
  const held = await trx
    .updateTable('deliveries')
    // Removed like failed emails, unless an operator decides earlier.
    .set({ state: 'held', ended_at: now, fault: 'held after a restore' })
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  report.heldMails = Number(held.numUpdatedRows)
  // The next start determines which of its keys are lost.
  await putMetaIfAbsent(trx, unprovenKeysKey, String(now))
  // Notify members only of later applications, because they have probably been notified of these.
  await sql`update memberships set told_up_to = coalesce((select max(application.id) from applications application
    where application.advertiser_id = memberships.advertiser_id), 0)`.execute(trx)
}

/** Moves every stream to the time of the restore: its webhooks become due, and no version of a lost list is repeated. */
async function tellFollowers(trx: Transaction<Schema>): Promise<void> {
  const at = Number((await getMeta(trx, restoredKey)) ?? 0)
  for (const ledger of ['advertiser_ledger', 'client_ledger'] as const)
    await trx.updateTable(ledger).set({ event_number: at }).where('event_number', '<', at).execute()
  await trx.updateTable('advertiser_ledger').set({ version: at }).where('version', '<', at).execute()
}

async function replayAll(
  database: Database,
  places: readonly BlobPlace[],
  now: EpochMs,
  what: Unreconciled,
  report: ReconcileReport,
): Promise<void> {
  const clock: Clock = () => now
  const replay = createReplay(database, now)
  const noted = createTombstones<Tombstone>({ database, places, clock, keepDays: 0 })
  for await (const tombstones of noted.read()) {
    for (const tombstone of tombstones) {
      const [kind] = tombstone
      // Clients may have been allowed again since, which only matters if the database was not set back.
      if (what === 'tombstones' && kind === 'client-advertiser') continue
      if (await replay(tombstone)) report.again[kind] = (report.again[kind] ?? 0) + 1
    }
  }
}
