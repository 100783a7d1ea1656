import { sql, type Transaction } from 'kysely'
import type { Dialect, Schema } from './schema.ts'

/** The next number of a kind: a sequence on PostgreSQL, a counter on SQLite, where there is one writer anyway. */
export async function nextId(
  trx: Transaction<Schema>,
  dialect: Dialect,
  name: 'application_ids' | 'job_ad_ids' | 'screen_ids',
): Promise<number> {
  const query =
    dialect === 'postgres'
      ? sql<{ id: number }>`select nextval(${sql.lit(name)}) as id`
      : sql<{
          id: number
        }>`update counters set value = value + 1 where name = ${sql.lit(name)} returning value as id`
  const { rows } = await query.execute(trx)
  return (rows[0] as { id: number }).id
}
