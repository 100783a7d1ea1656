import { type SelectQueryBuilder, type StringReference, sql } from 'kysely'

/** Reads a page of rows, newest first, starting after `before` if given. The ID orders rows of the same time. */
export function keysetPage<DB, TB extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, TB, Row>,
  [time, id]: readonly [time: StringReference<DB, TB>, id: StringReference<DB, TB>],
  before: readonly [at: number, id: number | string] | undefined,
  limit: number,
): SelectQueryBuilder<DB, TB, Row> {
  const [timeColumn, idColumn] = [sql.ref(time), sql.ref(id)]
  return rows
    .$if(before !== undefined, query =>
      query.where(sql<boolean>`(${timeColumn}, ${idColumn}) < (${before?.[0]}, ${before?.[1]})`),
    )
    .orderBy(timeColumn, 'desc')
    .orderBy(idColumn, 'desc')
    .limit(limit)
}
