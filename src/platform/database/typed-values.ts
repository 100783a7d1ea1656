import { sql } from 'kysely'

/** PostgreSQL does not infer the type of a bare value in a select list; the casts also work on SQLite. */
export const text = (value: string | null) => sql<string>`cast(${value} as text)`
export const integer = (value: number | null) => sql<number>`cast(${value} as bigint)`
