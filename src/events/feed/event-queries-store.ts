import { type Kysely, type RawBuilder, sql } from 'kysely'
import { detailOf, typeCode } from '../../model/events.ts'
import { restoredKey } from '../../platform/database/server-history.ts'
import type { Schema } from '../../platform/database/tables.ts'
import { integer, text } from '../../platform/database/typed-values.ts'

export interface PageValues<Owner> {
  owner: Owner
  after: number
  upTo: number
  /** One more than requested, to know whether there are more. */
  limit: number
  /** Bits of the requested types. */
  types: number
  /** The stored detail of the reader's own `agent.…` events. */
  ownDetail: string
}

/** Selects one of the prepared forms of a page. */
export interface PageForm {
  includes: boolean
  /** Whether the reader is an agent, who sees no other agent's events. */
  isOfAgent: boolean
}

const isOfType = (types: number) => sql<boolean>`(1 << cast(type as integer)) & ${integer(types)} <> 0`

export const isWanted = ({ types, ownDetail }: { types: number; ownDetail: string }, isOfAgent: boolean) =>
  isOfAgent ? sql<boolean>`${isOfType(types)} and ${isOwnIfOfAgents(text(ownDetail))}` : isOfType(types)

export const agentEventTypes = ['agent.authorised', 'agent.withdrawn'] as const

export const ownDetailOf = (agentId: number | null | undefined) =>
  agentId === null || agentId === undefined ? '' : detailOf({ agentId })

/** Excludes events about agents, except those with this detail. */
export const isOwnIfOfAgents = (ownDetail: RawBuilder<string>) =>
  sql<boolean>`(type not in (${sql.join(agentEventTypes.map(type => sql.lit(typeCode(type))))}) or detail = ${ownDetail})`

/** When the history last changed. */
export const restoredAt = <Name extends string>(db: Kysely<Schema>, name: Name) =>
  db.selectFrom('meta').select('value').where('key', '=', sql.lit(restoredKey)).as(name)

export const wantedEvents = (db: Kysely<Schema>, values: PageValues<number>, isOfAgent: boolean) =>
  db
    .selectFrom('events')
    .select(['number', 'type', 'application_id', 'detail'])
    .where('advertiser_id', '=', values.owner)
    .where('number', '>', values.after)
    .where('number', '<=', values.upTo)
    .where(isWanted(values, isOfAgent))
    .orderBy('number')
    // SQLite replans a statement whenever a bare LIMIT parameter is bound; with a sum it does not.
    .limit(sql<number>`${values.limit} + 0`)
