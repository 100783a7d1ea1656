import { type Kysely, sql } from 'kysely'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'

/** The tables of both kinds of streams: events, ledger, and the key of the ledger. */
const tables = [
  ['events', 'advertiser_ledger', 'advertiser_id'],
  ['client_events', 'client_ledger', 'client_id'],
] as const

/** Removes up to `max` events older than this time; returns how many. */
export async function removeEvents(
  { reader, writer }: Database,
  before: EpochMs,
  max: number,
): Promise<number> {
  let removed = 0
  for (const table of tables) {
    const [events, ledger, key] = table
    const { rows } = await sql<{ id: number | string }>`select ${sql.ref(key)} as id from ${sql.table(ledger)}
      where exists (select 1 from ${sql.table(events)}
        where ${sql.ref(`${events}.${key}`)} = ${sql.ref(`${ledger}.${key}`)} and number < ${before})
      order by ${sql.ref(key)} limit ${max}`.execute(reader)
    for (const { id } of rows) {
      if (removed < max) removed += await removeSome(writer, table, id, before, max - removed)
    }
  }
  return removed
}

/** Runs under the lock of the ledger, whose row shows readers in the same moment which events are gone. */
function removeSome(
  writer: Kysely<Schema>,
  [events, ledger, key]: (typeof tables)[number],
  id: number | string,
  before: EpochMs,
  max: number,
): Promise<number> {
  return writer.transaction().execute(async trx => {
    const isOwn = sql`${sql.ref(key)} = ${id}`
    await sql`update ${sql.table(ledger)} set events_from = coalesce((select max(number) from (
        select number from ${sql.table(events)} where ${isOwn} and number < ${before}
        order by number limit ${max}) old), events_from)
      where ${isOwn}`.execute(trx)
    const { numAffectedRows } = await sql`delete from ${sql.table(events)} where ${isOwn}
      and number <= (select events_from from ${sql.table(ledger)} where ${isOwn})`.execute(trx)
    return Number(numAffectedRows)
  })
}
