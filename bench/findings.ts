import type { Latencies } from './open-loop.ts'

/** One line of the results. A target speaks of the ratio where there is one, otherwise of the value. */
export interface Result {
  name: string
  value: number
  unit: string
  floor: number | null
  ratio: number | null
  target: number | null
  /** Whether the target is the least or the most that will do; without a target, which way is better. */
  direction: 'min' | 'max'
  met: boolean | null
}

/** How busy each side was while somebody was measured. */
export interface Busy {
  name: string
  client: number | null
  server: number | null
  /** The database's server, or whoever else does part of the work. */
  behind: number | null
}

/** One page, as somebody sees it. */
export interface PageFigures {
  name: string
  /** Median. */
  ms: number
  /** With everything that it needs; null when it is no page, or one that is not held to it. */
  kb: number | null
}

/** What a page of 100 costs among ever more applications. */
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

/** Everything that a run has found out. */
export interface Findings {
  results: Result[]
  busy: Busy[]
  pages: Map<string, readonly PageFigures[]>
  growth: Growth[]
  tails: Tail[]
}

export type Measured = Omit<Result, 'met' | 'floor' | 'ratio' | 'target'> & Partial<Result>

export function judge(measured: Measured): Result {
  const { name, unit, direction, floor = null, ratio = null, target = null } = measured
  const value = rounded(measured.value)
  const shown = ratio === null ? value : rounded(ratio)
  const met = target === null ? null : direction === 'min' ? shown >= target : shown <= target
  return {
    name,
    value,
    unit,
    floor: floor === null ? null : rounded(floor),
    ratio: ratio === null ? null : rounded(ratio),
    target,
    direction,
    met,
  }
}

/** Four digits: the noise is larger than what comes after. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4))
}
