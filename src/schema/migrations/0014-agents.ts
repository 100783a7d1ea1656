import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Dialect, Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'adds the tables of the people of agents'

/** The people of agents: see src/schema/people-tables.ts. */
export async function up(db: Kysely<Schema>, dialect: Dialect): Promise<void> {
  const integer = sql.raw(dialect === 'postgres' ? 'bigint' : 'integer')
  const table = sql.raw(dialect === 'postgres' ? '' : 'strict, without rowid')
  const statements = [
    sql`create table agent_members (
      agent_id ${integer} not null references agents (id),
      candidate_id text not null references candidates (id),
      role text not null check (role in ('reader', 'admin')),
      created_at ${integer} not null,
      primary key (agent_id, candidate_id)
    ) ${table}`,
    sql`create index agent_members_of_candidate on agent_members (candidate_id)`,
    sql`create table agent_invitations (
      hash text not null primary key,
      former_hash text,
      id text not null unique,
      agent_id ${integer} not null references agents (id),
      email text not null,
      role text not null check (role in ('reader', 'admin')),
      created_at ${integer} not null,
      expires_at ${integer} not null
    ) ${table}`,
    sql`create index agent_invitations_of_agent on agent_invitations (agent_id, created_at)`,
    sql`create index agent_invitations_by_expiry on agent_invitations (expires_at)`,
    sql`create index agent_invitations_by_former on agent_invitations (former_hash) where former_hash is not null`,

    // Locks: for a moment only, as a board has few authorisations. An agent lists the companies that have authorised it.
    sql`create index agent_authorisations_of_agent on agent_authorisations (agent_id)`,
  ]
  for (const statement of statements) await statement.execute(db)
}
