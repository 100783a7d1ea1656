import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench } from './bench.ts'
import { judge, type Result, type Soaked, type SoakedKind } from './findings.ts'
import { asking, type Target } from './load.ts'
import { bare304 } from './measure-polls.ts'
import { askAtRate, quantile, type Window } from './open-loop.ts'
import { descriptorsOf, privateMib } from './process-figures.ts'
import { connections, median } from './rounds.ts'
import type { ServerProcess } from './service.ts'
import { placeOf } from './sharing-world.ts'
import { type MixedStep, openMix, soakShares } from './soak-mix.ts'
import type { Subject } from './subject.ts'

/** The soak is cut into slices. Between two of them no request is under way, and the process is looked at. */
const slices = 30
/** The first ones fill caches and let V8 compile. */
const warmUpSlices = 3
/** How many at the begin and at the end are compared, by their median. */
const comparedSlices = 6
const mostChange = 1.1
const shareOfMost = 0.5
/** For connections that have just been closed. */
const restMs = 500
/** Between the stop of the process and its next step, under load. */
const stallMs = 2_000
/** Of the bare server, in each slice: what its p99 changes by is the machine's. */
const floorMs = 5_000
const bytesPerMib = 1024 * 1024

interface Slice {
  privateMib: number | null
  descriptors: number | null
  walMib: number | null
  /** Milliseconds, in ascending order. */
  times: Map<string, Float64Array>
  all: Float64Array
  floor: Float64Array
}

/** Everything that callers and people do, at half of the highest rate, for long enough that what grows shows. */
export async function measureSoak(
  bench: Bench,
  subject: Subject,
  floor: ServerProcess,
  minutes: number,
): Promise<Soaked> {
  const { report } = bench
  const mix = await openMix(bench, subject, soakShares)
  const target: Target<MixedStep> = { port: subject.service.port, next: mix.next }
  report.say(`the highest rate of the mix, ${subject.label}`)
  const { requests, seconds } = await asking(target)({
    connections,
    warmUpMs: 5_000,
    measureMs: 5_000,
    watch: [],
  })
  const rate = Math.max(1, Math.round((requests / seconds) * shareOfMost))
  report.say(`a stall under load, ${subject.label}`)
  const [{ answers }] = await Promise.all([askAtRate(target, rate, 4 * stallMs), stall(subject.service.pid)])
  if (!answers.some(({ ms }) => ms > stallMs / 2)) throw new Error('the stall met no load')
  const empty = bare304()
  const bare = { port: floor.port, next: () => empty }
  const done: Slice[] = []
  const clientBusy: number[] = []
  for (let slice = 0; slice < slices; slice++) {
    await mix.renew()
    report.say(`soak, ${subject.label}: ${slice + 1} of ${slices}, ${rate} requests/s`)
    const window = await askAtRate(target, rate, (minutes * 60_000) / slices)
    clientBusy.push(window.clientBusy)
    await sleep(restMs)
    const beside = await askAtRate(bare, rate, floorMs)
    done.push(sliceOf(subject, window.answers, beside.answers))
  }
  report.addBusy({ name: `soak, ${subject.label}`, client: median(clientBusy), server: null, behind: null })
  return {
    label: subject.label,
    minutes,
    rate,
    requests: done.reduce((sum, { all }) => sum + all.length, 0),
    ...compare(subject, done),
  }
}

/**
 * Stops the process for a moment, as a busy host does. malloc keeps what the largest burst of waiting requests took, so
 * without this the comparison would show the first hiccup of the machine instead of growth.
 */
async function stall(pid: number): Promise<void> {
  await sleep(stallMs)
  process.kill(pid, 'SIGSTOP')
  await sleep(stallMs)
  process.kill(pid, 'SIGCONT')
}

function sliceOf(
  { service: { pid }, settings }: Subject,
  answers: Window<MixedStep>['answers'],
  bare: Window['answers'],
): Slice {
  const place = placeOf(settings)
  const sorted = (some: Window['answers']) => Float64Array.from(some, ({ ms }) => ms).sort()
  const times = new Map(
    [...Map.groupBy(answers, ({ step }) => step.kind)].map(([kind, some]) => [kind, sorted(some)]),
  )
  return {
    privateMib: privateMib(pid),
    descriptors: descriptorsOf(pid),
    walMib: 'file' in place ? statSync(`${place.file}-wal`).size / bytesPerMib : null,
    times,
    all: sorted(answers),
    floor: sorted(bare),
  }
}

function compare({ label }: Subject, done: readonly Slice[]): Pick<Soaked, 'figures' | 'kinds'> {
  const counted = done.slice(warmUpSlices)
  const [begin, end] = [counted.slice(0, comparedSlices), counted.slice(-comparedSlices)]
  const both = (figure: (slice: Slice) => number): [number, number] => [
    median(begin.map(figure)),
    median(end.map(figure)),
  ]
  const figures: Result[] = []
  const add = (
    name: string,
    unit: string,
    figure: (slice: Slice) => number | null,
    target: number | null = mostChange,
  ) => {
    if (done.some(slice => figure(slice) === null)) return
    const [floor, value] = both(slice => figure(slice) ?? Number.NaN)
    figures.push(
      judge({
        name: `${name}, ${label}`,
        value,
        unit,
        floor,
        ratio: value / floor,
        target,
        direction: 'max',
      }),
    )
  }
  add('private memory', 'MiB', slice => slice.privateMib)
  add('descriptors', '', slice => slice.descriptors)
  add('write-ahead log', 'MiB', slice => slice.walMib)
  add('p99 of all requests', 'ms', ({ all }) => quantile(all, 0.99))
  add('p99 of a bare server in turn', 'ms', ({ floor }) => quantile(floor, 0.99), null)
  const kinds = Object.entries(soakShares).map(([name, share]): SoakedKind => {
    // A rare kind may be missing in a short slice.
    const within = (part: number) => (slices: readonly Slice[]) =>
      median(slices.flatMap(({ times }) => times.get(name) ?? []).map(sorted => quantile(sorted, part)))
    const of = (part: number): [number, number] => [within(part)(begin), within(part)(end)]
    return { name, share, p50: of(0.5), p99: of(0.99) }
  })
  // In a very short soak it may be missing altogether.
  const hasTimes = ({ p50 }: SoakedKind) => p50.every(Number.isFinite)
  return { figures, kinds: kinds.filter(hasTimes) }
}
