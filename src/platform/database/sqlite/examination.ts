import { type Kysely, sql } from 'kysely'
import { reasonOf } from '../../core/reason.ts'
import type { Schema } from '../tables.ts'
import { isDamaged } from './statements.ts'

/** Enough to show the kind of damage. */
const maxLines = 5

/** Describes damage to the file and what to do; undefined if it is sound. A deep check also compares indexes and foreign keys. */
export async function examineFile(reader: Kysely<Schema>, isDeep: boolean): Promise<string | undefined> {
  const found = await faultsOf(reader, isDeep)
  return found.length === 0 ? undefined : describeDamage(found.join('; '))
}

export const describeDamage = (reason: string) =>
  `is damaged (${reason}): stop the service, put its folder aside, and restore a backup as docs/operating/backup.md says`

async function faultsOf(reader: Kysely<Schema>, isDeep: boolean): Promise<string[]> {
  try {
    const check = sql.raw(`pragma ${isDeep ? 'integrity_check' : 'quick_check'}(${maxLines})`)
    const { rows } = await sql<Record<string, string>>`${check}`.execute(reader)
    const found = rows.flatMap(row => Object.values(row)).filter(line => line !== 'ok')
    return found.length > 0 || !isDeep ? found : await findOrphans(reader)
  } catch (error) {
    if (isDamaged(error)) return [reasonOf(error)]
    throw error
  }
}

async function findOrphans(reader: Kysely<Schema>): Promise<string[]> {
  const { rows } = await sql<{ child: string; parent: string; count: number }>`
    select "table" as child, parent, count(*) as count from pragma_foreign_key_check
    group by child, parent limit ${maxLines}`.execute(reader)
  return rows.map(({ child, parent, count }) => `${count} rows of ${child} have no row in ${parent}`)
}
