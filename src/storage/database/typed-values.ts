import { sql } from 'kysely'

/** PostgreSQL does not guess the type of a bare value in a select list; SQLite takes the casts as they are meant. */
export const text = (value: string | null) => sql<string>`cast(${value} as text)`
export const integer = (value: number | null) => sql<number>`cast(${value} as bigint)`

/** PostgreSQL alone: one of these. SQLite has no arrays, and no round trip that would be worth sharing. */
export const anyOf = (values: readonly string[]) => sql<string>`any(${values})`
