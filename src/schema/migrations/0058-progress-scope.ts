import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'lets clients that read for an agent ask for w_progress'

/** The scope alone lets nobody report: each company still decides whether the agent may. */
export async function up(db: Kysely<Schema>): Promise<void> {
  await sql`
    update oauth_clients set scopes = scopes || ' w_progress'
    where agent_id is not null
      and ' ' || scopes || ' ' like '% r_applications %'
      and ' ' || scopes || ' ' not like '% w_progress %'`.execute(db)
}
