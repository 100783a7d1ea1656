import type { Latencies } from './open-loop.ts'

/** One line of the results. A target applies to the ratio if there is one, otherwise to the value. */
export interface Result {
  /** The same in every run, so that the results of two machines can be compared. */
  name: string
  value: number
  unit: string
  /** What has this value, if that may differ from run to run. */
  which?: string | undefined
  floor: number | null
  ratio: number | null
  target: number | null
  /** Whether the target is a minimum or a maximum; without a target, which direction is better. */
  direction: 'min' | 'max'
  met: boolean | null
  /** Compared with what people would use instead. */
  isAgainstPeer?: boolean | undefined
  /** Compared with the least that could do the same: the decision record that explains the distance. */
  record?: string | undefined
}

/** How busy each side was during a measurement. */
export interface Busy {
  name: string
  client: number | null
  server: number | null
  /** The database server, or another process that does part of the work. */
  behind: number | null
}

/** One page, as a person sees it. */
export interface PageFigures {
  name: string
  /** Median. */
  ms: number
  /** Including everything it loads; null if it is not a page, or has no target. */
  kb: number | null
}

/** The cost of a page of 100 as the list grows. */
export interface Growth {
  label: string
  points: { applications: number; microseconds: number }[]
}

export interface Tail extends Latencies {
  name: string
  label: string
  /** Requests a second. */
  rate: number
}

/** All results of a run. */
export interface Findings {
  results: Result[]
  busy: Busy[]
  /** By database. */
  pages: Record<string, readonly PageFigures[]>
  growth: Growth[]
  tails: Tail[]
}

/** How something was at the begin and at the end of a soak. */
export interface SoakedKind {
  name: string
  /** Of a hundred requests. */
  share: number
  p50: [begin: number, end: number]
  p99: [begin: number, end: number]
}

export interface Soaked {
  label: string
  minutes: number
  /** Requests a second. */
  rate: number
  requests: number
  /** The value is that of the end, the floor that of the begin. */
  figures: Result[]
  kinds: SoakedKind[]
}

/** A board's load beside what was computed of it. */
export interface Compared {
  minutes: number
  requests: number
  /** Milliseconds. */
  p99: number
  /** The floor is what was computed. */
  figures: Result[]
}

/** Circumstances of a run. */
export interface Facts {
  /** When it ended, as an ISO date. */
  at: string
  /** The code that was measured. */
  commit: string
  seconds: number
  machine: string[]
  method: string[]
}

export type Run = Facts & Findings

/** What `results.json` holds. `results.md` and the charts are made from it and from nothing else. */
export interface Kept {
  /** The last run on each architecture, by `process.arch`. */
  runs: Record<string, Run>
  /** The last soak on each database. */
  soaks?: Record<string, Facts & Soaked>
  /** The last run of a country's load. */
  country?: Facts & Compared
}

export type Measured = Omit<Result, 'met' | 'floor' | 'ratio' | 'target'> & Partial<Result>

export function judge(measured: Measured): Result {
  const { name, unit, which, direction, floor = null, ratio = null, target = null } = measured
  const { isAgainstPeer, record } = measured
  const value = rounded(measured.value)
  const shown = ratio === null ? value : rounded(ratio)
  const met = target === null ? null : direction === 'min' ? shown >= target : shown <= target
  return {
    name,
    value,
    unit,
    ...(which === undefined ? {} : { which }),
    floor: floor === null ? null : rounded(floor),
    ratio: ratio === null ? null : rounded(ratio),
    target,
    direction,
    met,
    ...(isAgainstPeer === undefined ? {} : { isAgainstPeer }),
    ...(record === undefined ? {} : { record }),
  }
}

export function newestOf({ runs }: Kept): [architecture: string, run: Run] {
  const [newest] = Object.entries(runs).sort(([, a], [, b]) => b.at.localeCompare(a.at))
  if (newest === undefined) throw new Error('no run is kept')
  return newest
}

/** Rounds to four digits: the noise is larger than the rest. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
