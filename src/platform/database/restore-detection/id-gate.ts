import type { Transaction } from 'kysely'
import type { BlobPlace } from '../../blobs/ports.ts'
import type { Clock } from '../../core/clock.ts'
import { newUuid } from '../../core/ids.ts'
import type { Log } from '../../core/log.ts'
import { Problem } from '../../core/problems.ts'
import { idsRaisedBy, maxIdsRaised } from '../id-limits.ts'
import { nodeFreshSeconds } from '../migrating/running-nodes.ts'
import type { Database, IdGate, Schema } from '../tables.ts'
import {
  isRestoredCopy,
  lastIds,
  lockGeneration,
  noteRestored,
  raiseAbove,
  raiseGeneration,
  setUnreconciled,
  type Unreconciled,
  unreconciledOf,
} from './generation.ts'
import {
  type Ceilings,
  type Generation,
  type Marks,
  noGeneration,
  readAllCeilings,
  readMarks,
  writeMarks,
} from './place-markers.ts'
import { writeMarkers } from './write-markers.ts'

/**
 * Limit: IDs between two records of the ceiling beside the files, and so the most that a process skips after a crash.
 * One small write per block.
 */
export const idBlock = 10_000

/**
 * Limit: If a process did not stop in an orderly way and last signed longer ago, the database may be part of a snapshot
 * of the whole machine: IDs are skipped. After a crash, a process starts sooner.
 */
export const uncleanStopSeconds = 120

/** How the database compares with the markers beside its files. */
type Verdict =
  /** The database continues from the recorded state, or other processes are using it. */
  | 'continued'
  /** The last process did not stop in an orderly way: this may be an earlier copy. */
  | 'crashed'
  /** Like 'crashed', but longer ago: this may be a snapshot of the database and its files. */
  | 'crashed-long-ago'
  /** The files are new, or older than the database: their markers say nothing about it. */
  | 'without-marks'
  /** The files belong to a later state of the database. */
  | 'set-back'

interface Found {
  generations: readonly Generation[]
  marks: Marks | undefined
  /** The ceilings of this database and of others that have used the place. */
  ceilings: Ceilings | undefined
  last: Ceilings
  rows: { id: string; seen_at: number }[]
}

/** 864,000 a day; the IDs of a year-old snapshot are raised by 315 million. */
const assignedPerSecond = 10

export interface IdGateOptions {
  database: Database
  places: readonly BlobPlace[]
  clock: Clock
  /** Time of the last change that others may have seen; undefined if there is none yet. */
  lastChangeAt(trx: Transaction<Schema>): Promise<number | undefined>
  /** Version of this process. */
  release: string
  /** Does the remaining work after a restore; returns once it is done. */
  reconcile(what: Unreconciled): Promise<void>
  log: Log
}

/**
 * Decides whether this process may draw IDs. The argument (decision 075):
 * - Every assigned ID is at most the ceiling beside the files, because the ceiling is written before the commit.
 * - A copy was made while a process was admitted, or while none was. In the first case it has the row of that process;
 *   in the second, a later process has raised the generation beside the files before it drew its first ID.
 * - So a copy that is put back has an older generation than the files, or the row of a process that is gone. Either way
 *   the IDs are raised to the ceiling first.
 */
export function createIdGate(options: IdGateOptions) {
  const { database, places, clock, log } = options
  const { dialect, writer } = database
  const nodeId = newUuid()
  const freshMs = nodeFreshSeconds * 1000
  const uncleanMs = uncleanStopSeconds * 1000
  let admitted: Promise<void> | undefined
  /** When this process last signed; undefined while it has no row. */
  let signedAt: number | undefined
  let known: Ceilings = {}

  function judge({ generations, marks, ceilings, last, rows }: Found): Verdict {
    const own = rows.find(({ id }) => id === nodeId)
    const age = clock() - Math.max(...rows.map(({ seen_at }) => seen_at))
    if (marks !== undefined && isRestoredCopy(generations, marks.generation)) return 'set-back'
    if (signedAt !== undefined) {
      // The database was replaced under a running process: a failover loses a moment, a restored dump much more. If
      // this process has not signed for long, its row may also have been removed.
      const lost = own === undefined ? clock() - signedAt <= freshMs : signedAt - own.seen_at > uncleanMs
      return lost ? 'set-back' : 'crashed'
    }
    if (marks === undefined && (generations.length > 0 || ceilings !== undefined)) return 'without-marks'
    // A ceiling is at most a block above the IDs, unless an operator has raised the IDs of a database that is gone.
    const isBehind = Object.entries(last).some(([name, id]) => (ceilings?.[name] ?? 0) - id > idBlock)
    if (!isBehind && (rows.length === 0 || age <= freshMs)) return 'continued'
    return rows.length === 0 || age <= uncleanMs ? 'crashed' : 'crashed-long-ago'
  }

  /**
   * The database first and the files afterwards: a process killed in between does not make the database look restored.
   */
  async function enter(): Promise<void> {
    const verdict = await writer.transaction().execute(async (trx): Promise<Verdict> => {
      const { generations, databaseId } = await lockGeneration(trx, dialect)
      const marks = await readMarks(places, databaseId)
      // Reads the ceilings of all databases in these places: a copy from before the first admission gets another ID
      // each time.
      const ceilings = await readAllCeilings(places)
      const last = await lastIds(trx, dialect)
      const rows = await trx.selectFrom('nodes').select(['id', 'seen_at']).execute()
      const found = judge({ generations, marks, ceilings, last, rows })
      const isLong = found === 'set-back' || found === 'without-marks' || found === 'crashed-long-ago'
      if (found !== 'continued') {
        await raiseAbove(trx, dialect, ceilings ?? {}, isLong ? await lostAtMost(trx) : 0)
        await setUnreconciled(trx, found === 'set-back' ? 'all' : 'tombstones')
      }
      if (isLong) await noteRestored(trx, clock())
      await raiseGeneration(trx, generations, marks?.generation)
      await removeStale(trx)
      await sign(trx)
      return found
    })
    known = await writeMarkers(database, places)
    if (verdict !== 'continued') log.warn({ verdict }, says[verdict])
    const left = await unreconciledOf(database.reader)
    if (left !== undefined) await options.reconcile(left)
  }

  /**
   * The same snapshot may be restored twice: each later restore raises the IDs further, and by more than a board
   * assigns in the time between.
   */
  async function lostAtMost(trx: Transaction<Schema>): Promise<number> {
    const seconds = Math.max(0, clock() - ((await options.lastChangeAt(trx)) ?? clock())) / 1000
    return Math.min(maxIdsRaised, idsRaisedBy + Math.ceil(seconds * assignedPerSecond))
  }

  const removeStale = (trx: Transaction<Schema>) =>
    trx
      .deleteFrom('nodes')
      .where('seen_at', '<', clock() - freshMs)
      .execute()

  async function sign(trx: Transaction<Schema>): Promise<void> {
    const row = { id: nodeId, release: options.release, seen_at: clock() }
    await trx
      .insertInto('nodes')
      .values(row)
      .onConflict(conflict => conflict.column('id').doUpdateSet({ seen_at: row.seen_at }))
      .execute()
    signedAt = row.seen_at
  }

  const gate: IdGate = {
    admit() {
      admitted ??= enter().catch(error => {
        admitted = undefined
        throw error instanceof Problem
          ? error
          : new Problem('unavailable', 'Nothing can be added at present.', {
              cause: error,
            })
      })
      return admitted
    },

    isCovered: (name, id) => id <= (known[name] ?? 0),

    async cover(trx, name, id) {
      if (signedAt === undefined) throw new Error('a process draws IDs only after it was admitted')
      const { databaseId } = await lockGeneration(trx, dialect)
      const marks = (await readMarks(places, databaseId)) ?? { generation: noGeneration, ceilings: {} }
      if (id > (marks.ceilings[name] ?? 0)) {
        marks.ceilings[name] = id + idBlock
        await writeMarks(places, databaseId, marks)
      }
      known = marks.ceilings
    },

    async recheck(trx) {
      const { databaseId } = await lockGeneration(trx, dialect)
      const marks = await readMarks(places, databaseId)
      if (marks !== undefined) await raiseAbove(trx, dialect, marks.ceilings, 0)
      // The next transaction also compares the generations, and records raised IDs.
      admitted = undefined
    },
  }

  return {
    ...gate,

    /** Signs of life; call every few seconds. Does nothing before this process is admitted. */
    async sign(): Promise<void> {
      if (admitted === undefined || signedAt === undefined) return
      await admitted
      const now = clock()
      const isOurs = await writer.transaction().execute(async trx => {
        const signed = await trx
          .updateTable('nodes')
          .set({ seen_at: now })
          .where('id', '=', nodeId)
          .where('seen_at', '=', signedAt as number)
          .executeTakeFirst()
        if (signed.numUpdatedRows === 0n) return false
        await removeStale(trx)
        return true
      })
      if (isOurs) {
        signedAt = now
        return
      }
      // This is not the database in which this process signed last.
      admitted = undefined
      await gate.admit()
    },

    /** Stops in an orderly way: call when this process draws no more IDs. */
    async leave(): Promise<void> {
      if (admitted === undefined) return
      await admitted
      admitted = undefined
      await writer.transaction().execute(async trx => {
        const { generations } = await lockGeneration(trx, dialect)
        await trx.deleteFrom('nodes').where('id', '=', nodeId).execute()
        await removeStale(trx)
        await raiseGeneration(trx, generations)
      })
      signedAt = undefined
      await writeMarkers(database, places)
    },
  }
}

const says: Record<Exclude<Verdict, 'continued'>, string> = {
  crashed: 'the last process did not stop in an orderly way: some IDs are skipped',
  'crashed-long-ago':
    'the last process did not stop in an orderly way, some time ago: IDs are skipped, because this may be a snapshot. If it is, run "dossier restored"',
  'without-marks':
    'the place of the files has no marks of this database: IDs are skipped, because some may have been assigned already',
  'set-back':
    'the database is older than its files, as after a restored backup: IDs are skipped, and what was erased or revoked since is erased or revoked again',
}
