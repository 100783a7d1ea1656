import { type Kysely, sql } from 'kysely'
import type { Mark } from '../../platform/database/migrating/migration.ts'
import type { Schema } from '../../platform/database/tables.ts'

export const mark: Mark = { kind: 'expand', oldest: '0.1.0' }

export const does = 'binds each consent to the resume that it was given for'

/** Until now, a consent without a choice was for the default resume of each moment. The bit 32 is the resume's. */
export async function up(db: Kysely<Schema>): Promise<void> {
  // Locks: consents in force, for one statement. Later, it would bind them to a default that was chosen meanwhile.
  await sql`update grants
    set resume_id = (
      select resumes.id from resumes where resumes.candidate_id = grants.candidate_id and resumes.is_default = 1
    )
    where resume_id is null and withdrawn_at is null and filled & 32 <> 0`.execute(db)
}
