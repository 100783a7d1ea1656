import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { createMetricsSum } from './metrics-sum.ts'

/** The figures of a process that has answered this many requests of a route, and uses this much memory. */
function processWith(route: string, answered: number, memoryBytes: number) {
  const registry = new Registry()
  const labelNames = ['route']
  const registers = [registry]
  new Counter({ name: 'calls_total', help: 'Calls.', labelNames, registers }).inc({ route }, answered)
  new Gauge({ name: 'memory_bytes', help: 'Memory.', registers }).set(memoryBytes)
  new Gauge({ name: 'lag_seconds', help: 'Lag.', aggregator: 'max', registers }).set(memoryBytes / 100)
  const seconds = new Histogram({ name: 'seconds', help: 'Times.', labelNames, buckets: [1], registers })
  for (let i = 0; i < answered; i++) seconds.observe({ route }, 0.5)
  return registry.getMetricsAsJSON()
}

async function linesOf(sum: ReturnType<typeof createMetricsSum>): Promise<string[]> {
  const text = await sum.figuresAfter(async () => {}).metrics()
  return text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
}

test('counts and times add up by label; each gauge is combined in its own way', async () => {
  const sum = createMetricsSum(new Registry())
  sum.keep({}, await processWith('/a', 2, 100))
  const second = {}
  sum.keep(second, await processWith('/a', 2, 300))
  // A later report of a process replaces its earlier one.
  sum.keep(second, await processWith('/a', 3, 200))
  sum.keep({}, await processWith('/b', 1, 50))
  const lines = await linesOf(sum)
  assert.ok(lines.includes('calls_total{route="/a"} 5'), lines.join('\n'))
  assert.ok(lines.includes('calls_total{route="/b"} 1'))
  assert.ok(lines.includes('seconds_count{route="/a"} 5'))
  assert.ok(lines.includes('seconds_bucket{le="1",route="/a"} 5'))
  assert.ok(lines.includes('seconds_sum{route="/a"} 2.5'))
  assert.ok(lines.includes('memory_bytes 350'))
  assert.ok(lines.includes('lag_seconds 2'))
})

test('the counts of a process stay when it ends, its memory usage does not', async () => {
  const sum = createMetricsSum(new Registry())
  const gone = [{}, {}]
  for (const process of gone) sum.keep(process, await processWith('/a', 2, 100))
  sum.keep({}, await processWith('/a', 3, 200))
  for (const process of gone) sum.end(process)
  // A process that never reported anything.
  sum.end({})
  const lines = await linesOf(sum)
  assert.ok(lines.includes('calls_total{route="/a"} 7'), lines.join('\n'))
  assert.ok(lines.includes('seconds_count{route="/a"} 7'))
  assert.ok(lines.includes('memory_bytes 200'))
})

test("of the supervisor's own metrics, only those that it serves count", async () => {
  const own = new Registry()
  const registers = [own]
  new Gauge({ name: 'dossier_workers', help: 'Workers.', registers }).set(2)
  new Gauge({ name: 'dossier_process_resident_memory_bytes', help: 'Memory.', registers }).set(9)
  new Gauge({ name: 'dossier_nodejs_eventloop_lag_seconds', help: 'Lag.', registers }).set(9)
  assert.deepEqual(await linesOf(createMetricsSum(own)), ['dossier_workers 2'])
})
