import type { Clock } from '../../src/platform/core/clock.ts'
import type { RateCount, RateCountStore } from '../../src/platform/http/rates/rate-count-store.ts'
import { RateLimit } from '../../src/platform/http/rates/rate-limit.ts'
import { SharedCounts } from '../../src/platform/http/rates/shared-counts.ts'
import { recordLog } from './log.ts'

/** The table of counts as the database keeps it, which has tests of its own. */
export class CountTable implements RateCountStore {
  readonly #hits = new Map<string, number>()
  /** Every statement so far. */
  readonly statements: RateCount[][] = []
  /** Each statement waits for this before it runs, and fails when it rejects. */
  before: () => Promise<void> = async () => {}
  /** Each response waits for this after the statement has run. */
  after: () => Promise<void> = async () => {}

  async add(counts: readonly RateCount[]): Promise<number[]> {
    this.statements.push([...counts])
    await this.before()
    const totals = counts.map(({ name, key, window, hits }) => {
      const id = `${name} ${key} ${window}`
      const total = (this.#hits.get(id) ?? 0) + hits
      this.#hits.set(id, total)
      return total
    })
    await this.after()
    return totals
  }

  /** As after a crash of the server, which keeps no log of this table. */
  lose(): void {
    this.#hits.clear()
  }
}

/** One of the nodes that share a table: makes limits, and records what is logged about its counts. */
export function nodeOver(store: RateCountStore, clock: Clock, rows?: number) {
  const { log, lines } = recordLog()
  const shared = new SharedCounts({
    store,
    clock,
    ...(rows !== undefined && { rows }),
    log,
  })
  const limit = (max: number, options: { maxKeys?: number } = {}) =>
    new RateLimit({ name: 'v1', max, clock, maxKeys: 100, shared, ...options })
  /** `warn` with its reason when the counts of other nodes are unreachable, `info` when they are reachable again. */
  const logged = () =>
    lines.map(({ level, fields: { err } }) => (err instanceof Error ? `${level}: ${err.message}` : level))
  return { shared, limit, logged }
}
