import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../tables.ts'
import { hasTable } from './record.ts'

/**
 * Limit: How old the last sign of life of a running process may be: two missed ones and a pause. An operator needs
 * longer to restore a copy and start.
 */
export const nodeFreshSeconds = 40

/** A running process and its release. */
export interface RunningNode {
  id: string
  release: string
}

/** Processes that have signed since that time. */
export async function runningNodes(
  db: Kysely<Schema>,
  dialect: Dialect,
  since: number,
): Promise<RunningNode[]> {
  if (!(await hasTable(db, dialect, 'nodes'))) return []
  const { rows } = await sql<RunningNode>`select id, release from nodes
    where seen_at > ${since} order by id`.execute(db)
  return rows
}
