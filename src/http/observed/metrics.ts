import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type HttpMetrics = ReturnType<typeof createMetrics>

/** What `/metrics` answers: the figures of this process, or the sum of several. */
export type Figures = Pick<Registry, 'contentType' | 'metrics'>

type Counts = Record<string, number>

/** Labels are route patterns and statuses, never anything that a caller sent. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'dossier_' })
  const duration = new Histogram({
    name: 'dossier_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last byte of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [registry],
  })
  const cut = new Counter({
    name: 'dossier_http_answers_cut_total',
    help: 'Answers that ended before their last byte: the caller went away, or something failed half-way.',
    labelNames: ['route'],
    registers: [registry],
  })
  const refused = new Counter({
    name: 'dossier_http_connections_refused_total',
    help: 'Connections that were closed at once because there were MAX_CONNECTIONS already, by server.',
    labelNames: ['server'],
    registers: [registry],
  })
  const runs = new Counter({
    name: 'dossier_work_runs_total',
    help: 'Runs of background tasks in this process: done, failed, or held by another process.',
    labelNames: ['task', 'outcome'],
    registers: [registry],
  })
  const items = new Counter({
    name: 'dossier_work_items_total',
    help: 'What background tasks have dealt with in this process, such as files found clean or tokens removed.',
    labelNames: ['task', 'what'],
    registers: [registry],
  })
  const blobCalls = new Histogram({
    name: 'dossier_blob_call_duration_seconds',
    help: 'Calls to the S3 store of the files. A call that is tried again counts as retried, and then anew.',
    labelNames: ['operation', 'outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers: [registry],
  })
  const inFlightOf = new Map<string, () => number>()
  new Gauge({
    name: 'dossier_http_requests_in_flight',
    help: 'Requests that are being answered, by server.',
    labelNames: ['server'],
    registers: [registry],
    collect() {
      for (const [server, count] of inFlightOf) this.set({ server }, count())
    },
  })
  // Finding a series by its labels costs more than counting in it. There are as many as routes times statuses.
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
      for (const [what, count] of Object.entries({ ...did, ...left })) items.inc({ task, what }, count)
    },
    /** Only where there is a replica. */
    watchReplica(counts: () => object): void {
      new Counter({
        name: 'dossier_replica_reads_total',
        help: 'Reads of lists and downloads by what came of them at the replica: answered; or the primary answered, since the replica was behind, failed, or was away.',
        labelNames: ['outcome'],
        registers: [registry],
        collect() {
          this.reset()
          for (const [outcome, count] of Object.entries(counts())) this.inc({ outcome }, count)
        },
      })
    },
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
    /** Only where there are any. */
    watchWorkers(count: () => number): void {
      new Gauge({
        name: 'dossier_workers',
        help: 'Workers that serve.',
        registers: [registry],
        collect() {
          this.set(count())
        },
      })
    },
    watchDisk(freeBytes: () => Promise<number>): void {
      new Gauge({
        name: 'dossier_disk_free_bytes',
        help: 'Room on the disk of DATA_DIR. DISK_LEAST_MB says when it is nearly full.',
        registers: [registry],
        // Of several workers: they share the disk.
        aggregator: 'min',
        async collect() {
          this.set(await freeBytes())
        },
      })
    },
    watchInFlight(server: string, count: () => number): void {
      inFlightOf.set(server, count)
    },
  }
}
