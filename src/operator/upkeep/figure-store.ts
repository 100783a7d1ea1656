import { sql } from 'kysely'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database } from '../../platform/database/tables.ts'

/** The ages of waiting items, for metrics and alerts. */
export function createFigureStore({ reader }: Database) {
  return {
    /** When the oldest file was uploaded that still awaits the scanner's verdict. */
    async oldestUnjudged(): Promise<EpochMs | undefined> {
      const oldestIn = (table: 'application_files' | 'resumes') =>
        reader
          .selectFrom(table)
          .select(({ fn }) => fn.min<number | null>('uploaded_at').as('at'))
          // A literal, to match the partial index of files to scan.
          .where('scan', '=', sql.lit('unscanned'))
          .where('blob', '>', '')
          .where('not_judged', '=', 0)
          .executeTakeFirst()
      const found = await Promise.all([oldestIn('application_files'), oldestIn('resumes')])
      const times = found.flatMap(row => row?.at ?? [])
      return times.length === 0 ? undefined : Math.min(...times)
    },
  }
}
