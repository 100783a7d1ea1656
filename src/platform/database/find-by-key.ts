import { type SelectQueryBuilder, type StringReference, sql } from 'kysely'
import { batchLookups } from './batch-lookups.ts'
import { prepareQuery, prepareStatement } from './prepared-query.ts'
import type { Database } from './tables.ts'

/**
 * Prepares a frequent look-up of one row by a unique key. PostgreSQL finds the rows of concurrent callers in one
 * statement; SQLite has no round trips to share and finds each row by itself.
 */
export function findByKey<DB, TB extends keyof DB, Row>(
  { reader, dialect }: Database,
  column: StringReference<DB, TB>,
  rows: SelectQueryBuilder<DB, TB, Row>,
): (key: string) => Promise<Row | undefined> {
  const keyColumn = sql.ref<string>(column)
  if (dialect === 'sqlite') {
    const find = prepareQuery(reader, ({ key }: { key: string }) => rows.where(keyColumn, '=', key))
    return key => find({ key })
  }
  const findAll = prepareStatement(reader, ({ keys }: { keys: string[] }) =>
    rows
      .select(keyColumn.as('key'))
      .where(keyColumn, '=', sql<string>`any(${keys})`)
      .$castTo<{ key: string }>(),
  )
  return batchLookups(async keys => {
    const found = await findAll({ keys: [...new Set(keys)] })
    const byKey = new Map(found.rows.map(({ key, ...row }) => [key, row as Row]))
    return keys.map(key => byKey.get(key))
  })
}
