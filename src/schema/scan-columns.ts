import { sql } from 'kysely'
import type { ScanState, Verdict } from '../platform/blobs/scan-state.ts'

/** The stored state: a file that the scanner will not judge is stored as unscanned, with a mark. */
export type StoredScan = Exclude<ScanState, 'not-judged'>

export function scanColumns(scan: ScanState): { scan: StoredScan; not_judged: number } {
  return scan === 'not-judged' ? { scan: 'unscanned', not_judged: 1 } : { scan, not_judged: 0 }
}

/** The state used in the code; `table` is the table or its alias. */
export function scanOf(table: string) {
  return sql<ScanState>`case ${sql.ref(`${table}.not_judged`)} when 1 then 'not-judged' else ${sql.ref(`${table}.scan`)} end`
}

/** Infected files stay infected, and a scanner with lower limits does not withdraw an earlier verdict. */
export function replacedBy(verdict: Verdict): StoredScan[] {
  return verdict === 'not-judged' ? ['unscanned'] : ['unscanned', 'clean']
}
