import { sql } from 'kysely'
import type { ScanState, Verdict } from '../../model/scan-state.ts'

/** As the tables have it: what the scanner will not judge is unscanned there, with a mark. */
export type StoredScan = Exclude<ScanState, 'not-judged'>

export function scanColumns(scan: ScanState): { scan: StoredScan; not_judged: number } {
  return scan === 'not-judged' ? { scan: 'unscanned', not_judged: 1 } : { scan, not_judged: 0 }
}

/** The state as the code knows it; `table` is the table or its alias. */
export function scanOf(table: string) {
  return sql<ScanState>`case ${sql.ref(`${table}.not_judged`)} when 1 then 'not-judged' else ${sql.ref(`${table}.scan`)} end`
}

/** What is infected stays so, and what was judged once is not unjudged by a scanner with lower limits. */
export function replacedBy(verdict: Verdict): StoredScan[] {
  return verdict === 'not-judged' ? ['unscanned'] : ['unscanned', 'clean']
}
