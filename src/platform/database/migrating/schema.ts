import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import { compareReleases } from '../../core/release.ts'
import type { Database } from '../tables.ts'
import { copyBefore, removeCopies } from './copy-before.ts'
import { unfinishedBefore } from './data-changes.ts'
import { type Migrated, migrate, waitingFor } from './migrate.ts'
import {
  type Migration,
  type Migrations,
  migrationLockMs,
  migrationPauseMs,
  migrationTries,
} from './migration.ts'
import { type Applied, hasTable, migrationTable, readApplied } from './record.ts'
import { nodeFreshSeconds, runningNodes } from './running-nodes.ts'

const migrationWaits = { migrationLockMs, migrationPauseMs, migrationTries }
export type MigrationWaits = typeof migrationWaits

export type SchemaState =
  | { state: 'current' }
  | { state: 'older'; missing: string[]; isNew: boolean }
  /** Only contract migrations are missing, which wait until nodes of an older release have stopped. */
  | { state: 'waiting'; missing: string[] }
  /** `fits`: this release can run on it, as recorded by the newer release. */
  | { state: 'newer'; unknown: string[]; fits: boolean }

/** Whether this release can run on the current schema. */
export const isUsable = (found: SchemaState): boolean =>
  found.state === 'newer' ? found.fits : found.state !== 'older'

export function createSchema(deps: {
  database: Database
  clock: Clock
  /** This code's release. */
  release: string
  waits?: MigrationWaits
  migrations: Migrations
}) {
  const { database, clock, release, waits = migrationWaits, migrations } = deps
  const { reader, dialect } = database
  const nodeFreshMs = nodeFreshSeconds * 1000

  /** Reads on a connection that is not a writer's: a node whose writes wait can still serve reads. */
  const applied = (): Promise<Applied[]> =>
    reader
      .connection()
      .execute(async db => ((await hasTable(db, dialect, migrationTable)) ? readApplied(db, dialect) : []))

  /** Compares the migrations applied to the database with those in the code. */
  async function state(): Promise<SchemaState> {
    const found = await applied()
    const names = found.map(({ name }) => name)
    const unknown = found.filter(({ name }) => !Object.hasOwn(migrations, name))
    const missing = Object.keys(migrations).filter(name => !names.includes(name))
    if (unknown.length > 0) {
      const fits = missing.length === 0 && unknown.every(({ oldest }) => isReached(oldest))
      return { state: 'newer', unknown: unknown.map(({ name }) => name), fits }
    }
    if (missing.length === 0) return { state: 'current' }
    return missing.every(name => migrations[name]?.mark.kind === 'contract')
      ? { state: 'waiting', missing }
      : { state: 'older', missing, isNew: names.length === 0 }
  }

  /** The text was written by another release. */
  const isReached = (oldest: string | null | undefined) =>
    /^\d+\.\d+\.\d+$/.test(oldest ?? '') && compareReleases(oldest as string, release) <= 0

  const nodes = () => runningNodes(reader, dialect, clock() - nodeFreshMs)

  const unfinished = (name: string) => unfinishedBefore(reader, migrations, name)

  /** The steps that `migrate` would take now. */
  async function plan() {
    const found = await state()
    const missing = 'missing' in found ? found.missing : []
    const running = await nodes()
    const marked = missing.map(name => {
      const { mark, indexes, does, change } = migrations[name] as Migration
      const built = indexes?.map(index => index.name).join(', ')
      return {
        name,
        mark,
        isBuiltBeside: indexes !== undefined,
        changesData: change !== undefined,
        does: built ? `builds the indexes ${built}` : does,
      }
    })
    const isNew = found.state === 'older' && found.isNew
    const waitings = marked.map(async ({ name, mark }) =>
      waitingFor(name, mark, running, isNew ? [] : await unfinished(name)),
    )
    const waiting = (await Promise.all(waitings)).find(each => each)
    return {
      state: found,
      missing: marked,
      unknown: 'unknown' in found ? found.unknown : [],
      nodes: running,
      waiting,
      /** Size of the copy that is made first; undefined if no copy is made. */
      copyBytes: database.path === undefined ? undefined : sizeOf(database.path),
    }
  }

  /** On SQLite, copies the database first, unless it is new. */
  async function bringUpToDate(): Promise<Migrated> {
    const before = await state()
    const [first] = 'missing' in before ? before.missing : []
    const isNew = before.state === 'older' && before.isNew
    if (database.path !== undefined && first !== undefined && !isNew) {
      const { mark } = migrations[first] as Migration
      const waiting = waitingFor(first, mark, await nodes(), await unfinished(first))
      if (waiting !== undefined) return { ran: [], waiting }
      copyBefore(database.path, release, first)
    }
    const { migrationLockMs: lockMs, migrationPauseMs: pauseMs, migrationTries: tries } = waits
    return migrate(database, { migrations, now: clock(), nodeFreshMs, lockMs, pauseMs, tries })
  }

  return {
    state,
    applied,
    isUsable: async () => isUsable(await state()),
    plan,
    migrate: bringUpToDate,
    /** Removes copies of SQLite databases that were made before a migration. */
    removeCopies: (madeBefore: number) =>
      database.path === undefined ? 0 : removeCopies(dirname(database.path), madeBefore),
  }
}

/** Includes its log. */
const sizeOf = (path: string) =>
  ['', '-wal'].reduce(
    (sum, suffix) => sum + (statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
