import { sql } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'
import type { Database, Dialect } from '../../database/tables.ts'

interface Total {
  name: string
  key: string
  time_window: number
  hits: number
}

export function createRateCountStore({ writer, dialect }: Database): RateCountStore {
  return {
    async add(counts) {
      // A statement locks its rows in order. All nodes use the same order, so no two block each other.
      const { rows } = await sql<Total>`insert into rate_counts (name, key, time_window, hits, expires_at)
        select name, key, time_window, cast(sum(hits) as bigint), max(expires_at)
        from ${rowsOf(counts, dialect)}
        group by name, key, time_window
        order by name, key, time_window
        on conflict (name, key, time_window) do update set hits = rate_counts.hits + excluded.hits
        returning name, key, time_window, hits`.execute(writer)
      const totals = new Map(rows.map(row => [idOf(row.name, row.key, row.time_window), row.hits]))
      return counts.map(({ name, key, window, hits }) => totals.get(idOf(name, key, window)) ?? hits)
    },
  }
}

const idOf = (name: string, key: string, window: number) => `${name}/${key}/${window}`

/** Passes the rows as one value or as five, however many there are, so that one prepared statement serves all. */
function rowsOf(counts: readonly RateCount[], dialect: Dialect) {
  if (dialect === 'sqlite') {
    const rows = JSON.stringify(
      counts.map(({ name, key, window, hits, expiresAt }) => [name, key, window, hits, expiresAt]),
    )
    return sql`(select value ->> 0 as name, value ->> 1 as key, value ->> 2 as time_window,
      value ->> 3 as hits, value ->> 4 as expires_at from json_each(${rows}))`
  }
  const column = <Name extends keyof RateCount>(name: Name) => counts.map(count => count[name])
  return sql`unnest(${column('name')}::text[], ${column('key')}::text[], ${column('window')}::bigint[],
    ${column('hits')}::bigint[], ${column('expiresAt')}::bigint[]) as counted (name, key, time_window, hits, expires_at)`
}

/** A key's hits in a time window. */
export interface RateCount {
  /** Name of the limit. */
  name: string
  key: string
  window: number
  hits: number
  /** Not read after this time. */
  expiresAt: EpochMs
}

/** The counts of all nodes. */
export interface RateCountStore {
  /** Adds these hits in one statement and returns the new totals in the same order. */
  add(counts: readonly RateCount[]): Promise<number[]>
}
