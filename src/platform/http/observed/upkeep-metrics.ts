import { Gauge, type Registry } from 'prom-client'

/** State of the database and of background work, for alerts; NaN or missing if it cannot be read. */
export interface UpkeepFigures {
  /** Age of the oldest file without a verdict of the scanner, in milliseconds; undefined without a scanner. */
  oldestUnjudgedMs: number | undefined
  overdueErasureMs: number
  /** Remaining running time until removal by age resumes. */
  pausedMs: number
  /** Time of the last verified backup. */
  backedUpAt: number | undefined
  /** Number of applications without an answer, from the last count in the background; undefined before the first. */
  unanswered: number | undefined
}

export interface PoolCounts {
  total: number
  idle: number
  waiting: number
}

/** Workers share the database, so their sum would be wrong. */
const aggregator = 'max'

export function watchUpkeep(
  registry: Registry,
  sources: {
    build: Record<'version' | 'node' | 'database', string>
    read(): Promise<UpkeepFigures>
    /** Size of SQLite's log; undefined on PostgreSQL. */
    walBytes(): number | undefined
    pools(): Record<string, PoolCounts>
  },
): void {
  const registers = [registry]
  new Gauge({
    name: 'dossier_build_info',
    help: 'Always 1; the labels are the release, the version of Node and the engine of the database.',
    labelNames: ['version', 'node', 'database'],
    registers,
    aggregator,
  }).set(sources.build, 1)
  let found: Promise<UpkeepFigures | undefined> = Promise.resolve(undefined)
  const gauge = (
    name: string,
    help: string,
    value: (figures: UpkeepFigures) => number | undefined,
    isFirst = false,
  ) =>
    new Gauge({
      name,
      help,
      registers,
      aggregator,
      async collect() {
        // Failures are not logged with each scrape; /health/ready reports the state of the database.
        if (isFirst) found = sources.read().catch(() => undefined)
        const figures = await found
        const seen = figures === undefined ? Number.NaN : value(figures)
        if (seen === undefined) this.remove()
        else this.set(seen)
      },
    })
  const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000)
  gauge(
    'dossier_erasure_overdue_seconds',
    'How long ago the oldest erasure was due that has not been done and is not on hold; 0 if none is.',
    figures => seconds(figures.overdueErasureMs),
    true,
  )
  gauge(
    'dossier_removal_paused_seconds',
    'How long the service has to run until it removes things by age again, because its clock is in doubt; 0 if it is trusted.',
    figures => seconds(figures.pausedMs),
  )
  gauge(
    'dossier_files_oldest_unjudged_seconds',
    'Age of the oldest file that the scanner has not judged yet; 0 if there is none. Missing without CLAMD_URL.',
    figures => seconds(figures.oldestUnjudgedMs),
  )
  gauge(
    'dossier_backup_last_success_timestamp_seconds',
    'When the last verified backup was made. Missing before the first one.',
    figures => seconds(figures.backedUpAt),
  )
  gauge(
    'dossier_applications_unanswered',
    'Applications without an answer (shown as new or seen, and nothing else) after the days that their company has chosen, at most 10,000 of each company, counted every half hour. One number for the board: companies are without bound, and so would its labels be. Missing before the first count.',
    figures => figures.unanswered,
  )
  new Gauge({
    name: 'dossier_database_wal_bytes',
    help: 'Size of the write-ahead log of SQLite; missing on PostgreSQL. It grows while a reader keeps it from being emptied.',
    registers,
    aggregator,
    collect() {
      const bytes = sources.walBytes()
      if (bytes === undefined) this.remove()
      else this.set(bytes)
    },
  })
  new Gauge({
    name: 'dossier_database_pool_connections',
    help: 'Connections to PostgreSQL by pool: all of them (total), those that are idle, and requests that wait for one (waiting).',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, counts] of Object.entries(sources.pools()))
        for (const [state, count] of Object.entries(counts)) this.set({ pool, state }, count)
    },
  })
}
