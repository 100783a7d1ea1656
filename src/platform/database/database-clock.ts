import { type RawBuilder, sql } from 'kysely'
import type { Clock } from '../core/clock.ts'
import type { Database, Dialect } from './tables.ts'

/** The database's clock in milliseconds, shared by all nodes, whose own clocks may differ. */
export function databaseNow(dialect: Dialect): RawBuilder<number> {
  return dialect === 'sqlite'
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
}

/**
 * Milliseconds by which the clock is ahead of the database's (negative: behind), at least; the round trip is deducted.
 * Undefined with SQLite, which has no other clock.
 */
export async function clockDifference(
  { dialect, reader }: Pick<Database, 'dialect' | 'reader'>,
  clock: Clock,
): Promise<number | undefined> {
  if (dialect === 'sqlite') return undefined
  const asked = clock()
  const { rows } = await sql<{ ms: number }>`select ${databaseNow(dialect)} as ms`.execute(reader)
  const answered = clock()
  const { ms } = rows[0] as { ms: number }
  return Math.max(asked - ms, 0) + Math.min(answered - ms, 0)
}
