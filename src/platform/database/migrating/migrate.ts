import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Transaction } from 'kysely'
import { compareReleases } from '../../core/release.ts'
import { buildConcurrently, type NewIndex } from '../postgres/concurrent-indexes.ts'
import { recordHistory } from '../server-history.ts'
import type { Database, Dialect, Schema } from '../tables.ts'
import { addChange, unfinishedBefore } from './data-changes.ts'
import type { Mark, Migration, Migrations } from './migration.ts'
import { addCompatibilityColumns, hasTable, migrationTable, readApplied, record } from './record.ts'
import { type RunningNode, runningNodes } from './running-nodes.ts'

/** An arbitrary number, the same in all versions. A string, because it exceeds the exact range of a number. */
const lockId = '3853314791062309107'

export interface MigrateOptions {
  migrations: Migrations
  now: number
  /** Maximum age of a running node's last sign of life. */
  nodeFreshMs: number
  /** PostgreSQL: how long a migration waits for a lock while requests queue behind it. */
  lockMs: number
  /** How long to let requests pass before the next attempt. */
  pauseMs: number
  /** Maximum number of attempts. */
  tries: number
}

export interface Migrated {
  /** Names of the migrations that ran. */
  ran: string[]
  waiting?: Waiting
}

/** Why the next migration must wait. */
export interface Waiting {
  name: string
  oldest: string
  /** Nodes that must stop first, because their release cannot run on the migrated schema. */
  nodes: RunningNode[]
  /** Earlier migrations whose data changes must finish first. */
  changes?: string[]
}

type Step =
  | { ran: string }
  | { waiting: Waiting }
  | { name: string; indexes: readonly NewIndex[] }
  | undefined

/**
 * Brings the database to the newest schema. A concurrent call waits and finds nothing left to do. On SQLite all
 * migrations are one transaction; on PostgreSQL each has its own transaction, so that none holds its locks during the
 * next.
 */
export async function migrate(database: Database, options: MigrateOptions): Promise<Migrated> {
  const { migrator, dialect } = database
  const ran: string[] = []
  const before: Before = {}
  const steps = async (next: () => Promise<Step>): Promise<Migrated> => {
    for (;;) {
      const step = await next()
      if (step === undefined) return { ran }
      if ('waiting' in step) return { ran, ...step }
      if ('indexes' in step) {
        await buildConcurrently(migrator, step.indexes)
        const isFirst = await inTransaction(trx =>
          record(trx, step.name, markOf(options, step.name), options.now),
        )
        if (isFirst) ran.push(step.name)
      } else ran.push(step.ran)
    }
  }
  const inTransaction = <T>(body: (trx: Transaction<Schema>) => Promise<T>) =>
    migrator.transaction().execute(async trx => {
      if (dialect === 'postgres') {
        // A transaction lock instead of a session lock, because a pooler may change the session.
        await sql`select pg_advisory_xact_lock(${lockId})`.execute(trx)
        await sql`select set_config('lock_timeout', ${String(options.lockMs)}, true)`.execute(trx)
      }
      return body(trx)
    })
  if (dialect === 'sqlite') return inTransaction(trx => steps(() => takeStep(trx, dialect, options, before)))
  return steps(() =>
    untilLocked(options, () => inTransaction(trx => takeStep(trx, dialect, options, before))),
  )
}

/** State of the database before the first step. */
interface Before {
  isNew?: boolean
}

async function takeStep(
  trx: Transaction<Schema>,
  dialect: Dialect,
  options: MigrateOptions,
  before: Before,
): Promise<Step> {
  await sql`create table if not exists ${sql.table(migrationTable)} (
    name varchar(255) not null primary key,
    timestamp varchar(255) not null
  )`.execute(trx)
  await addCompatibilityColumns(trx, dialect, options.migrations)
  const applied = new Set((await readApplied(trx, dialect)).map(({ name }) => name))
  before.isNew ??= applied.size === 0
  const next = Object.entries(options.migrations).find(([name]) => !applied.has(name))
  if (next === undefined) {
    if (dialect === 'postgres') await recordHistory(trx)
    return undefined
  }
  const [name, migration] = next
  // No node can sign until the end of the transaction: a node that signs afterwards finds the new schema.
  if (dialect === 'postgres' && (await hasTable(trx, dialect, 'nodes')))
    await sql`lock table nodes in share mode`.execute(trx)
  const running = await runningNodes(trx, dialect, options.now - options.nodeFreshMs)
  const unfinished = await unfinishedBefore(trx, options.migrations, name)
  const waiting = waitingFor(name, migration.mark, running, unfinished)
  if (waiting !== undefined) return { waiting }
  if (migration.indexes !== undefined && dialect === 'postgres') return { name, indexes: migration.indexes }
  await run(trx, dialect, migration)
  if (migration.change !== undefined) await addChange(trx, name, before.isNew, options.now)
  await record(trx, name, migration.mark, options.now)
  return { ran: name }
}

async function run(trx: Transaction<Schema>, dialect: Dialect, { up, indexes }: Migration): Promise<void> {
  await up?.(trx, dialect)
  for (const { name, on } of indexes ?? []) await sql.raw(`create index ${name} ${on}`).execute(trx)
}

/** Undefined if every running node can run on the migrated schema and no data change must finish first. */
export function waitingFor(
  name: string,
  { kind, oldest }: Mark,
  running: RunningNode[],
  unfinished: string[],
): Waiting | undefined {
  const nodes = running.filter(({ release }) => compareReleases(release, oldest) < 0)
  // Expand migrations remove nothing that a data change still reads.
  const changes = kind === 'contract' ? unfinished : []
  if (nodes.length === 0 && changes.length === 0) return undefined
  return { name, oldest, nodes, ...(changes.length === 0 ? {} : { changes }) }
}

const markOf = ({ migrations }: MigrateOptions, name: string) => (migrations[name] as Migration).mark

/**
 * Retries a migration that did not get its lock: the lock waits for each transaction that uses the table, and every
 * later request waits behind it.
 */
async function untilLocked<T>({ tries, pauseMs }: MigrateOptions, attempt: () => Promise<T>): Promise<T> {
  for (let left = tries; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      const { code, cause } = error as { code?: string; cause?: { code?: string } }
      // Lock not available, deadlock.
      const isLocked = ['55P03', '40P01'].some(state => state === code || state === cause?.code)
      if (!isLocked || left <= 1) throw error
      await sleep(pauseMs)
    }
  }
}
