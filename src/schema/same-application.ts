import type { JoinBuilder } from 'kysely'

const idOf = (name: string) => `${name}.${name === 'application' ? 'id' : 'application_id'}`

/** Joins two rows of one application, by the names of their tables in the query. */
export const sameApplication = <Tables, Name extends keyof Tables & string>(
  join: JoinBuilder<Tables, Name>,
  name: Name,
  other: Name,
) =>
  join
    .onRef(`${name}.advertiser_id` as never, '=', `${other}.advertiser_id` as never)
    .onRef(idOf(name) as never, '=', idOf(other) as never)
