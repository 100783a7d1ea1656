import { sql } from 'kysely'

/** PostgreSQL does not infer the type of a bare value in a select list; the casts also work on SQLite. */
export const text = (value: string | null) => sql<string>`cast(${value} as text)`
export const integer = (value: number | null) => sql<number>`cast(${value} as bigint)`

/** PostgreSQL only: matches any of these values. SQLite has no arrays, and no round trips to share. */
export const anyOf = (values: readonly string[]) => sql<string>`any(${values})`
