import { writeFileSync } from 'node:fs'

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

type Measured = Omit<Result, 'met' | 'floor' | 'ratio' | 'target'> & Partial<Result>

/** How busy each side was while somebody was measured. */
export interface Busy {
  name: string
  client: number | null
  server: number | null
  database: number | null
}

/** One page, as somebody sees it. */
export interface PageFigures {
  name: string
  /** Median. */
  ms: number
  /** With everything that it needs; null when it is no page, or one that is not held to it. */
  kb: number | null
}

export interface Report {
  add(measured: Measured): void
  addPages(label: string, pages: readonly PageFigures[]): void
  addBusy(busy: Busy): void
  /** What is going on now, for whoever waits. */
  say(text: string): void
  write(facts: { machine: string[]; method: string[]; seconds: number }): void
}

const nameWidth = 62
/** Who is this busy has a core to itself. */
const enough = 0.9
const slowestPrinted = 8
/** They do nothing but compute: left alone, each keeps a core busy. */
const floorsOfPages = ['floor /json', 'floor /xml']

export function createReport(folder: URL): Report {
  const results: Result[] = []
  const busy: Busy[] = []
  const pages = new Map<string, readonly PageFigures[]>()
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
      pages.set(label, figures)
      const slowest = figures.toSorted((a, b) => b.ms - a.ms).slice(0, slowestPrinted)
      for (const { name, ms } of slowest) console.log(`... ${ms.toFixed(1)} ms, ${label}: ${name}`)
    },
    addBusy: entry => busy.push(entry),
    say: text => console.log(`... ${text}`),
    write({ machine, method, seconds }) {
      writeFileSync(new URL('results.json', folder), `${JSON.stringify(results, null, 2)}\n`)
      writeFileSync(new URL('results.md', folder), markdown({ results, busy, pages, machine, method }))
      const missed = results.filter(result => result.met === false)
      console.log(
        missed.length === 0
          ? `\nAll ${results.filter(result => result.met === true).length} targets met.`
          : `\nMissed: ${missed.map(result => result.name).join('; ')}.`,
      )
      console.log(whoSaturates(busy))
      console.log(`In ${Math.round(seconds)} s. Written to bench/results.md and bench/results.json.`)
    },
  }
}

function judge(measured: Measured): Result {
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
function rounded(value: number): number {
  return Number(value.toPrecision(4))
}

function cells(result: Result): string[] {
  const { value, unit, floor, ratio, target, direction, met } = result
  const isShare = ratio !== null && direction === 'min'
  const inRatio = (number: number) => (isShare ? `${(number * 100).toFixed(1)} %` : number.toFixed(2))
  const limit = direction === 'min' ? 'at least' : 'at most'
  const shownTarget = target === null ? '' : ratio === null ? `${target} ${unit}` : inRatio(target)
  return [
    result.name,
    `${grouped(value)} ${unit}`,
    floor === null ? '' : grouped(floor),
    ratio === null ? '' : inRatio(ratio),
    target === null ? '' : `${limit} ${shownTarget}`,
    met === null ? '' : met ? 'yes' : 'NO',
  ]
}

function grouped(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 })
}

function line([name = '', ...others]: string[]): string {
  const widths = [24, 9, 9, 18, 4]
  return name.padEnd(nameWidth) + others.map((cell, index) => `  ${cell.padEnd(widths[index] ?? 0)}`).join('')
}

interface Contents {
  results: Result[]
  busy: Busy[]
  /** By database. */
  pages: ReadonlyMap<string, readonly PageFigures[]>
  machine: string[]
  method: string[]
}

function markdown({ results, busy, pages, machine, method }: Contents): string {
  const table = (head: string[], rows: string[][]) =>
    [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
  const list = (lines: string[]) => lines.map(text => `- ${text}`).join('\n')
  const withTarget = results.filter(result => result.target !== null)
  const others = results.filter(result => result.target === null)
  return `# Measured

Written by \`npm run bench\`. Times on a shared machine vary; the ratios are what counts.

## Targets

${table(['what', 'value', 'floor', 'ratio', 'target', 'met'], withTarget.map(cells))}

## Also measured

${table(
  ['what', 'value', 'floor', 'ratio'],
  others.map(result => cells(result).slice(0, 4)),
)}

## Pages

In milliseconds, median; the first load in kB.

${table(['page', ...pages.keys(), 'first load'], pageRows([...pages.values()]))}

## How it was measured

${list(method)}

## Who was busy

The share of a core that each side used. ${whoSaturates(busy)}

${table(
  ['measured', 'client', 'server', 'database'],
  busy.map(entry => [entry.name, percent(entry.client), percent(entry.server), percent(entry.database)]),
)}

## The machine

${list(machine)}
`
}

/** A line for each page: its time on each database, and its weight. */
function pageRows(ofEach: readonly (readonly PageFigures[])[]): string[][] {
  const [first = []] = ofEach
  return first.map(({ name, kb }, index) => [
    `\`${name}\``,
    ...ofEach.map(figures => (figures[index]?.ms ?? 0).toFixed(1)),
    kb === null ? '' : kb.toFixed(1),
  ])
}

/** A server that could not have its core was held back by the client, or by something else; either flatters us. */
function whoSaturates(busy: Busy[]): string {
  const most = Math.max(...busy.map(({ client }) => client ?? 0))
  const floor = Math.min(
    ...busy.filter(({ name }) => floorsOfPages.includes(name)).map(({ server }) => server ?? 1),
  )
  if (most >= enough) {
    return `The client was up to ${percent(most)} busy and held back what it measured: trust the ratios by CPU time.`
  }
  const client = `The client was never busier than ${percent(most)}, so it held nothing back.`
  return floor >= enough
    ? `${client} The servers were the limit.`
    : `${client} But the floor of the pages got only ${percent(floor)} of a core: something else used the machine, which slows the floor more than the service. Trust the ratios by CPU time, or run it again on an idle machine.`
}

function percent(share: number | null): string {
  return share === null ? '' : `${Math.round(share * 100)} %`
}
