import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { watchUpkeep } from './upkeep-metrics.ts'

export type HttpMetrics = ReturnType<typeof createMetrics>

/** The content of `/metrics`: the figures of this process, or the sum of several. */
export type Figures = Pick<Registry, 'contentType' | 'metrics'>

type Counts = Record<string, number>

interface EventCounts {
  waiters(): number
  hints(): Counts
  written(): Partial<Counts>
}

let ofProcess: Registry | undefined

/**
 * Memory, processor time and garbage collection. Their observers live as long as the process: one set serves all
 * services in it.
 */
function figuresOfProcess(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess, prefix: 'dossier_' })
  }
  return ofProcess
}

/** Labels are route patterns and statuses, never input from a caller. */
export function createMetrics() {
  const registry = Registry.merge([figuresOfProcess()])
  const duration = new Histogram({
    name: 'dossier_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [registry],
  })
  const cut = new Counter({
    name: 'dossier_http_answers_cut_total',
    help: 'Responses that ended before their last byte: the caller disconnected, or an error occurred midway.',
    labelNames: ['route'],
    registers: [registry],
  })
  const refused = new Counter({
    name: 'dossier_http_connections_refused_total',
    help: 'Connections closed at once because there were already MAX_CONNECTIONS, by server.',
    labelNames: ['server'],
    registers: [registry],
  })
  const runs = new Counter({
    name: 'dossier_work_runs_total',
    help: 'Runs of background tasks in this process: done, failed, or held by another process.',
    labelNames: ['task', 'outcome'],
    registers: [registry],
  })
  const succeeded = new Gauge({
    name: 'dossier_work_last_success_timestamp_seconds',
    help: 'When a background task last ended without a failure in this process, or was found running in another one.',
    labelNames: ['task'],
    registers: [registry],
    aggregator: 'max',
  })
  const items = new Counter({
    name: 'dossier_work_items_total',
    help: 'Items that background tasks processed in this process, such as files found clean or tokens removed.',
    labelNames: ['task', 'what'],
    registers: [registry],
  })
  const blobCalls = new Histogram({
    name: 'dossier_blob_call_duration_seconds',
    help: 'Calls to the S3 store of the files. Each retry counts as a call of its own, after one with the outcome retried.',
    labelNames: ['operation', 'outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers: [registry],
  })
  const wakes = new Histogram({
    name: 'dossier_event_wake_seconds',
    help: 'Age of the newest event in a response to a request that waited for it.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 15],
    registers: [registry],
  })
  const inFlightOf = new Map<string, () => number>()
  new Gauge({
    name: 'dossier_http_requests_in_flight',
    help: 'Requests being served, by server.',
    labelNames: ['server'],
    registers: [registry],
    collect() {
      for (const [server, count] of inFlightOf) this.set({ server }, count())
    },
  })
  // Cached, because finding a series by its labels costs more than observing. There is one per route and status.
  const series = new Map<string, { observe(seconds: number): void }>()

  return {
    registry,
    observeRequest(method: string, route: string, status: number, seconds: number): void {
      const key = `${method} ${route} ${status}`
      let found = series.get(key)
      if (found === undefined) {
        found = duration.labels(method, route, String(status))
        series.set(key, found)
      }
      found.observe(seconds)
    },
    countCut: (route: string) => cut.inc({ route }),
    countRefused: (server: string) => refused.inc({ server }),
    countRun(run: { task: string; outcome: string; did?: Counts; left?: Counts }): void {
      const { task, outcome, did, left } = run
      runs.inc({ task, outcome })
      if (outcome !== 'failed') succeeded.set({ task }, Date.now() / 1000)
      for (const [what, count] of Object.entries({ ...did, ...left })) items.inc({ task, what }, count)
    },
    watchUpkeep: (sources: Parameters<typeof watchUpkeep>[1]) => watchUpkeep(registry, sources),
    /** Call only if there is a replica. */
    watchReplica(counts: () => object): void {
      new Counter({
        name: 'dossier_replica_reads_total',
        help: 'Reads of lists and downloads by their outcome at the replica: answered; or served by the primary, because the replica was behind, failed or was unavailable.',
        labelNames: ['outcome'],
        registers: [registry],
        collect() {
          this.reset()
          for (const [outcome, count] of Object.entries(counts())) this.inc({ outcome }, count)
        },
      })
    },
    /** `hints`: by source; `written`: events by type. */
    watchEvents({ waiters, hints, written }: EventCounts): void {
      new Gauge({
        name: 'dossier_event_waiters',
        help: 'Requests that wait for events.',
        registers: [registry],
        collect() {
          this.set(waiters())
        },
      })
      new Counter({
        name: 'dossier_event_hints_total',
        help: 'Hints of new events: of this process (local), of another worker, or through the database (notify); look counts requests that were woken without one.',
        labelNames: ['from'],
        registers: [registry],
        collect() {
          this.reset()
          for (const [from, count] of Object.entries(hints())) this.inc({ from }, count)
        },
      })
      new Counter({
        name: 'dossier_events_total',
        help: 'Events that this process has written.',
        labelNames: ['type'],
        registers: [registry],
        collect() {
          this.reset()
          for (const [type, count] of Object.entries(written())) this.inc({ type }, count)
        },
      })
    },
    observeWake: (seconds: number) => wakes.observe(seconds),
    observeBlobCall({
      operation,
      outcome,
      seconds,
    }: {
      operation: string
      outcome: string
      seconds: number
    }) {
      blobCalls.observe({ operation, outcome }, seconds)
    },
    /** Call only if there are workers. */
    watchWorkers(count: () => number): void {
      new Gauge({
        name: 'dossier_workers',
        help: 'Workers that are serving.',
        registers: [registry],
        collect() {
          this.set(count())
        },
      })
    },
    watchDisk(freeBytes: () => Promise<number>): void {
      new Gauge({
        name: 'dossier_disk_free_bytes',
        help: 'Free space on the disk of DATA_DIR. DISK_LEAST_MB defines when it is nearly full.',
        registers: [registry],
        // Workers share the disk: do not add up.
        aggregator: 'min',
        async collect() {
          this.set(await freeBytes())
        },
      })
    },
    watchDeliveries(counts: () => Promise<{ waiting: number; dead: number; oldestSeconds: number }>): void {
      let last = Promise.resolve({ waiting: Number.NaN, dead: Number.NaN, oldestSeconds: Number.NaN })
      const gauge = (
        name: string,
        help: string,
        read: (found: Awaited<typeof last>) => number,
        first = false,
      ) =>
        new Gauge({
          name,
          help,
          registers: [registry],
          // Workers share the outbox: do not add up.
          aggregator: 'max',
          async collect() {
            if (first) last = counts()
            this.set(read(await last))
          },
        })
      gauge('dossier_deliveries_waiting', 'Emails that wait to be sent.', found => found.waiting, true)
      gauge('dossier_deliveries_dead', 'Emails that failed in the last days.', found => found.dead)
      gauge(
        'dossier_deliveries_oldest_waiting_seconds',
        'Age of the oldest email that waits; 0 if none does.',
        found => found.oldestSeconds,
      )
    },
    /** Figures of all endpoints; `onAttempt` is called for each attempt of this process. */
    watchWebhooks(
      onAttempt: (listener: (result: { outcome: string; ms: number }) => void) => void,
      read: () => Promise<{ endpoints: Readonly<Record<string, number>>; behindMs: number }>,
    ): void {
      const attempts = new Counter({
        name: 'dossier_webhook_attempts_total',
        help: 'Webhooks that this process has sent, by outcome.',
        labelNames: ['outcome'],
        registers: [registry],
      })
      const seconds = new Histogram({
        name: 'dossier_webhook_seconds',
        help: 'Time that webhooks took, from the look-up of the name to the end of the answer.',
        buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
        registers: [registry],
      })
      onAttempt(({ outcome, ms }) => {
        attempts.inc({ outcome })
        seconds.observe(ms / 1000)
      })
      // Failures are not logged with each scrape; /health/ready reports the state of the database.
      let found: Promise<Awaited<ReturnType<typeof read>> | undefined> = Promise.resolve(undefined)
      new Gauge({
        name: 'dossier_webhook_endpoints',
        help: 'Webhook endpoints by state.',
        labelNames: ['state'],
        registers: [registry],
        // Workers share the database: do not add up.
        aggregator: 'max',
        async collect() {
          found = read().catch(() => undefined)
          for (const [state, count] of Object.entries((await found)?.endpoints ?? {}))
            this.set({ state }, count)
        },
      })
      new Gauge({
        name: 'dossier_webhook_behind_seconds',
        help: 'Age of the oldest event that an active endpoint has not accepted yet; 0 if there is none.',
        registers: [registry],
        aggregator: 'max',
        async collect() {
          const { behindMs } = (await found) ?? { behindMs: Number.NaN }
          this.set(behindMs / 1000)
        },
      })
    },
    watchInFlight(server: string, count: () => number): void {
      inFlightOf.set(server, count)
    },
  }
}
