import { arch } from 'node:os'
import {
  type Busy,
  type Facts,
  type Findings,
  type Growth,
  judge,
  type Measured,
  type PageFigures,
  type Tail,
} from './findings.ts'
import { readKept, writeKept } from './kept-results.ts'
import { cells, whoSaturates } from './markdown.ts'

/** Prints results as they arrive, and writes all of them to files at the end. */
export interface Report {
  add(measured: Measured): void
  addPages(label: string, pages: readonly PageFigures[]): void
  addBusy(busy: Busy): void
  addGrowth(growth: Growth): void
  addTail(tail: Tail): void
  /** Shows the current step. */
  say(text: string): void
  /** Prints the summary; with a folder, also writes the results there. */
  finish(facts: Facts, folder: URL | undefined): void
}

const nameWidth = 68
const slowestPrinted = 8

export function createReport(): Report {
  const findings: Findings = { results: [], busy: [], pages: {}, growth: [], tails: [] }
  const { results, busy, pages } = findings
  const startedAt = performance.now()
  let isHeaderPrinted = false
  return {
    add(measured) {
      const result = judge(measured)
      results.push(result)
      if (!isHeaderPrinted) console.log(line(['what', 'value', 'floor', 'ratio', 'target', 'met']))
      isHeaderPrinted = true
      console.log(line(cells(result)))
    },
    addPages(label, figures) {
      pages[label] = figures
      const slowest = figures.toSorted((a, b) => b.ms - a.ms).slice(0, slowestPrinted)
      for (const { name, ms } of slowest) console.log(`... ${ms.toFixed(1)} ms, ${label}: ${name}`)
    },
    addBusy: entry => busy.push(entry),
    addGrowth: entry => findings.growth.push(entry),
    addTail(tail) {
      findings.tails.push(tail)
      busy.push({
        name: `${tail.name} at a fixed rate, ${tail.label}`,
        client: tail.clientBusy,
        server: null,
        behind: null,
      })
      const times = [tail.p50, tail.p90, tail.p99, tail.p999, tail.max].map(ms => ms.toFixed(2))
      console.log(
        line([
          `${tail.name} at ${tail.rate}/s, ${tail.label}: p50, p90, p99, p99.9, max`,
          `${times.join(', ')} ms`,
        ]),
      )
    },
    say: text => console.log(`... ${Math.round((performance.now() - startedAt) / 1000)} s: ${text}`),
    finish(facts, folder) {
      const missed = results.filter(({ met }) => met === false)
      const met = results.filter(result => result.met === true).length
      console.log(
        missed.length === 0
          ? `\nAll ${met} targets met.`
          : `\n${met} targets met, ${missed.length} missed: ${missed.map(({ name }) => name).join('; ')}.`,
      )
      console.log(whoSaturates(busy))
      if (folder !== undefined) {
        const kept = readKept(folder)
        writeKept({ ...kept, runs: { ...kept.runs, [arch()]: { ...facts, ...findings } } }, folder)
      }
      const where =
        folder === undefined ? 'Nothing was written.' : 'Written to bench/results.md and bench/results.json.'
      console.log(`In ${Math.round(facts.seconds)} s. ${where}`)
    },
  }
}

function line([name = '', ...others]: string[]): string {
  const widths = [24, 9, 9, 18, 4]
  return name.padEnd(nameWidth) + others.map((cell, index) => `  ${cell.padEnd(widths[index] ?? 0)}`).join('')
}
