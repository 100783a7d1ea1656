import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { chartsOf } from './charts.ts'
import { type Findings, rounded } from './findings.ts'
import { markdownOf } from './markdown.ts'
import type { Soaked } from './measure-soak.ts'

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
}

export function readKept(folder: URL): Kept {
  const file = new URL('results.json', folder)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { runs: {} }
}

export function writeKept(kept: Kept, folder: URL): void {
  const charts = chartsOf(newestOf(kept)[1])
  const chartFolder = new URL('charts/', folder)
  rmSync(chartFolder, { recursive: true, force: true })
  mkdirSync(chartFolder)
  for (const { file, content } of charts) writeFileSync(new URL(file, chartFolder), content)
  writeFileSync(new URL('results.md', folder), markdownOf(kept, charts))
  writeFileSync(new URL('results.json', folder), `${inLines(kept)}\n`)
}

export function newestOf({ runs }: Kept): [architecture: string, run: Run] {
  const [newest] = Object.entries(runs).sort(([, a], [, b]) => b.at.localeCompare(a.at))
  if (newest === undefined) throw new Error('no run is kept')
  return newest
}

/** JSON with one line per entry of a list: a figure that changes is a line that changes. */
function inLines(value: unknown, indent = '\n'): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value, short)
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    return `[${value.map(entry => deeper + JSON.stringify(entry, short)).join()}${indent}]`
  }
  const fields = Object.entries(value).map(
    ([name, field]) => `${deeper}${JSON.stringify(name)}: ${inLines(field, deeper)}`,
  )
  return `{${fields.join()}${indent}}`
}

function short(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? rounded(value) : value
}
