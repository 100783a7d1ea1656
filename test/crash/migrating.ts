import { sql } from 'kysely'
import type { Mark, Migration } from '../../src/platform/database/migrating/migration.ts'
import { createSchema } from '../../src/platform/database/migrating/schema.ts'
import { dataTables } from '../../src/schema/data-tables.ts'
import { migrations } from '../../src/schema/migrations/list.ts'
import type { Services } from '../harness/services.ts'

/** The next release, which widens each table by a migration of two steps, and indexes one of them. */
export function nextRelease(services: Services, beforeStep: () => Promise<void> = async () => {}) {
  const mark: Mark = { kind: 'expand', oldest: '0.1.0' }
  const widen = (table: string): Migration => ({
    mark,
    async up(db) {
      for (const column of ['zz_one', 'zz_two']) {
        await beforeStep()
        await sql`alter table ${sql.table(table)} add column ${sql.ref(column)} text`.execute(db)
      }
    },
  })
  const next: Record<string, Migration> = {
    ...Object.fromEntries(dataTables.map((table, index) => [`9${100 + index}-${table}`, widen(table)])),
    '9999-index': { mark, indexes: [{ name: 'sessions_next', on: 'on sessions (zz_one)' }] },
  }
  const schema = createSchema({ ...services, release: '0.2.0', migrations: { ...migrations, ...next } })
  return { names: Object.keys(next), ...schema }
}

/** How many columns of the next release each table has. */
export async function newColumns({ database: { reader } }: Services): Promise<number[]> {
  const tables = await reader.introspection.getTables()
  return tables
    .filter(({ name }) => dataTables.some(table => table === name))
    .map(({ columns }) => columns.filter(({ name }) => name.startsWith('zz_')).length)
}
