import { sql } from 'kysely'
import type { Database } from '../../platform/database/tables.ts'
import { dataTables } from '../../schema/data-tables.ts'

/** Rows of each table; null if counting takes longer than the limit of a statement. */
export async function countRows({ reader }: Database): Promise<Record<string, number | null>> {
  const counts: Record<string, number | null> = {}
  for (const table of dataTables.toSorted()) {
    const counted = sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`
    counts[table] = await counted.execute(reader).then(
      ({ rows }) => rows[0]?.count ?? 0,
      () => null,
    )
  }
  return counts
}
