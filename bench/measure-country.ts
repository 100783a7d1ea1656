import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { coresFor, costsOf, country, dayOf } from './capacity.ts'
import { type Compared, judge, newestOf } from './findings.ts'
import { readKept } from './kept-results.ts'
import { askAtRate, latenciesOf, type Window } from './open-loop.ts'
import { cpuSeconds } from './process-figures.ts'
import { type MixedStep, openMix } from './soak-mix.ts'
import type { Subject } from './subject.ts'

const scale = 100
const slices = 10

/** A hundredth of the working day of a country, and its CPU time beside what `capacity.ts` computes. */
export async function measureCountry(bench: Bench, subject: Subject, minutes: number): Promise<Compared> {
  const { report } = bench
  const [, run] = newestOf(readKept(new URL('./', import.meta.url)))
  const day = dayOf(country)
  const counts = Object.fromEntries(Object.entries(day).map(([kind, count]) => [kind, count / scale]))
  const mix = await openMix(bench, subject, counts)
  const target = { port: subject.service.port, next: mix.next }
  const sliceMs = (minutes * 60_000) / slices
  const rate = Object.values(counts).reduce((sum, count) => sum + count, 0) / (minutes * 60)
  const used = () => [subject.service.pid, subject.databasePid ?? 0].map(pid => cpuSeconds(pid) ?? Number.NaN)
  const windows: Window<MixedStep>[] = []
  const spent: [number, number] = [0, 0]
  await mix.renew()
  await askAtRate(target, rate, sliceMs)
  // Background work also runs without requests; it is not part of what is compared.
  const idle = await during(sliceMs, used, () => sleep(sliceMs))
  for (let slice = 0; slice < slices; slice++) {
    await mix.renew()
    report.say(`a hundredth of a country's day: ${slice + 1} of ${slices}, ${rate.toFixed(0)} requests/s`)
    const busy = await during(sliceMs, used, async () => {
      windows.push(await askAtRate(target, rate, sliceMs))
    })
    for (const index of [0, 1] as const) spent[index] += (busy[index] ?? 0) - (idle[index] ?? 0)
  }
  const cores = coresFor(day, costsOf(run))
  const figure = (name: string, value: number, computed: number) =>
    judge({
      name,
      value,
      unit: 'CPU s',
      floor: computed / scale,
      ratio: (value * scale) / computed,
      direction: 'max',
    })
  return {
    minutes,
    requests: windows.reduce((sum, { answers }) => sum + answers.length, 0),
    p99: latenciesOf(windows).p99,
    figures: [figure('the service', spent[0], cores.node), figure('PostgreSQL', spent[1], cores.database)],
  }
}

/** CPU seconds of each process while something goes on, for exactly this time. */
async function during(ms: number, used: () => number[], work: () => Promise<unknown>): Promise<number[]> {
  const before = used()
  const startedAt = performance.now()
  await work()
  const share = ms / (performance.now() - startedAt)
  return used().map((seconds, index) => (seconds - (before[index] ?? 0)) * share)
}
