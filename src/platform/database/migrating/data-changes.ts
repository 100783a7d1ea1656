import type { Kysely } from 'kysely'
import type { Clock, EpochMs } from '../../core/clock.ts'
import { compareReleases } from '../../core/release.ts'
import type { ChangeProgress, GoesOn, WorkDone } from '../../core/task-ports.ts'
import { getMeta, lockMeta, putMeta } from '../meta.ts'
import type { Database, Schema } from '../tables.ts'
import type { DataChange, Migrations } from './migration.ts'
import { nodeFreshSeconds, runningNodes } from './running-nodes.ts'

interface Stored {
  cursor: string
  rows: number
  of?: number
  doneAt?: EpochMs
}

const notBegun: Stored = { cursor: '', rows: 0 }
const keyOf = (name: string) => `data-change ${name}`

/** Call in the migration's transaction. A new database has nothing to change. */
export async function addChange(
  trx: Kysely<Schema>,
  name: string,
  isNew: boolean,
  now: EpochMs,
): Promise<void> {
  await putMeta(trx, keyOf(name), JSON.stringify(isNew ? { ...notBegun, of: 0, doneAt: now } : notBegun))
}

/** Names of earlier migrations whose data change has not ended. */
export async function unfinishedBefore(
  db: Kysely<Schema>,
  migrations: Migrations,
  name: string,
): Promise<string[]> {
  const unfinished: string[] = []
  for (const [each, { change }] of Object.entries(migrations)) {
    if (each === name) break
    if (change !== undefined && (await read(db, each))?.doneAt === undefined) unfinished.push(each)
  }
  return unfinished
}

/**
 * Runs the data changes that migrations declare, in batches. Each batch commits together with its cursor, so a process
 * that is killed repeats at most one batch, and a concurrent process continues at the cursor.
 */
export function createDataChanges(deps: { database: Database; clock: Clock; migrations: Migrations }) {
  const { database, clock, migrations } = deps
  const { writer, reader, dialect } = database
  const changes = Object.entries(migrations).flatMap(([name, { change }]) =>
    change === undefined ? [] : [{ name, change }],
  )
  const olderNodes = async (db: Kysely<Schema>, { writtenSince }: DataChange) => {
    const nodes = await runningNodes(db, dialect, clock() - nodeFreshSeconds * 1000)
    return nodes.filter(({ release }) => compareReleases(release, writtenSince) < 0).map(({ id }) => id)
  }

  /** Processes one batch; undefined if there is none to process now. */
  const changeSome = (name: string, change: DataChange) =>
    writer.transaction().execute(async (trx): Promise<number | undefined> => {
      // Lock, so that two processes take turns.
      const value = await lockMeta(trx, dialect, keyOf(name))
      if (value === undefined) return undefined
      const found: Stored = JSON.parse(value)
      if ((await olderNodes(trx, change)).length > 0) {
        // A node of an older release writes rows in the old form, also behind the cursor.
        await putMeta(trx, keyOf(name), JSON.stringify(notBegun))
        return undefined
      }
      if (found.doneAt !== undefined) return undefined
      const { cursor, rows, of = await change.count(trx) } = found
      const next = await change.next(trx, cursor, dialect)
      const progress: Stored =
        next === undefined
          ? { cursor, rows, of, doneAt: clock() }
          : { cursor: next.cursor, rows: rows + next.rows, of }
      await putMeta(trx, keyOf(name), JSON.stringify(progress))
      return next?.rows
    })

  async function list(): Promise<ChangeProgress[]> {
    const listed: ChangeProgress[] = []
    for (const { name, change } of changes) {
      const found = await read(reader, name)
      if (found === undefined) continue
      const { rows, of, doneAt } = found
      const isDone = doneAt !== undefined
      listed.push({ name, rows, of, isDone, waitsFor: isDone ? [] : await olderNodes(reader, change) })
    }
    return listed
  }

  return {
    hasAny: changes.length > 0,
    list,
    async run(goesOn: GoesOn): Promise<WorkDone> {
      let changed = 0
      for (const { name, change } of changes) {
        for (let rows = await changeSome(name, change); rows !== undefined; ) {
          changed += rows
          if (!(await goesOn())) return { did: { rows: changed }, left: { changes: 1 } }
          rows = await changeSome(name, change)
        }
      }
      return { did: changed === 0 ? {} : { rows: changed } }
    },
  }
}

async function read(db: Kysely<Schema>, name: string): Promise<Stored | undefined> {
  const value = await getMeta(db, keyOf(name))
  return value && JSON.parse(value)
}
