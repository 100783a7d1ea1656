import type { Chart } from './charts.ts'
import type { Busy, Findings, PageFigures, Result } from './findings.ts'
import { grouped } from './svg.ts'

/** A process this busy has a core to itself. */
const enough = 0.9
/** These only compute: undisturbed, each keeps a core busy. */
const floorsOfPages = ['floor /json', 'floor /xml']

export interface Facts {
  machine: string[]
  method: string[]
  seconds: number
}

export function markdownOf(findings: Findings, charts: readonly Chart[], facts: Facts): string {
  const { results, busy, pages } = findings
  const withTarget = results.filter(({ target }) => target !== null)
  const others = results.filter(({ target }) => target === null)
  const chart = (file: string) => {
    const found = charts.find(candidate => candidate.file === file)
    return found === undefined ? '' : `![${found.alt}](charts/${file})\n\n`
  }
  return `# Measured

Written by \`npm run bench\` in ${Math.round(facts.seconds)} s. Times on a shared machine vary; the ratios count.

## Targets

${chart('targets.svg')}${table(['what', 'value', 'floor', 'ratio', 'target', 'met'], withTarget.map(cells))}

## Lists

${chart('lists.svg')}${chart('growth.svg')}${growthTable(findings)}

## Sharing

${chart('oauth.svg')}The figures are among the targets above.

## Tail latencies

In milliseconds, at half of the rate that the same connections reach when each asks again at once. Each request has its moment, whether or not those before it have been answered, and its time runs from there.

${chart('tails.svg')}${tailsTable(findings)}

## Also measured

${table(
  ['what', 'value', 'floor', 'ratio'],
  others.map(result => cells(result).slice(0, 4)),
)}

## Pages

In milliseconds, median; the first load in kB.

${table(['page', ...pages.keys(), 'first load'], pageRows([...pages.values()]))}

## How it was measured

${list(facts.method)}

## Who was busy

The share of a core that each side used. The backend of a server is its database; that of nginx is the service. ${whoSaturates(busy)}

${table(
  ['measured', 'client', 'server', 'backend'],
  busy.map(entry => [entry.name, percent(entry.client), percent(entry.server), percent(entry.behind)]),
)}

## The machine

${list(facts.machine)}
`
}

export function cells(result: Result): string[] {
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

function growthTable({ growth }: Findings): string {
  const sizes = growth[0]?.points.map(({ applications }) => grouped(applications)) ?? []
  return table(
    ['µs for a page of 100 among', ...sizes],
    growth.map(({ label, points }) => [label, ...points.map(({ microseconds }) => grouped(microseconds))]),
  )
}

function tailsTable({ tails }: Findings): string {
  return table(
    ['what', 'rate', 'requests', 'p50', 'p90', 'p99', 'p99.9', 'max', 'client late, p99', 'client busy'],
    tails.map(tail => [
      `${tail.name}, ${tail.label}`,
      `${grouped(tail.rate)}/s`,
      grouped(tail.samples),
      ...[tail.p50, tail.p90, tail.p99, tail.p999, tail.max, tail.ownLateness].map(ms => ms.toFixed(2)),
      percent(tail.clientBusy),
    ]),
  )
}

/** One line per page: its time on each database, and its weight. */
function pageRows(ofEach: readonly (readonly PageFigures[])[]): string[][] {
  const [first = []] = ofEach
  return first.map(({ name, kb }, index) => [
    `\`${name}\``,
    ...ofEach.map(figures => (figures[index]?.ms ?? 0).toFixed(1)),
    kb === null ? '' : kb.toFixed(1),
  ])
}

/** A server that did not get its core was slowed down by the client or by other load; either flatters us. */
export function whoSaturates(busy: readonly Busy[]): string {
  if (busy.length === 0) return 'Nothing was measured for long enough.'
  const most = Math.max(...busy.map(({ client }) => client ?? 0))
  const heldBack = busy.filter(({ client }) => (client ?? 0) >= enough).map(({ name }) => name)
  const client =
    heldBack.length === 0
      ? `The client was never busier than ${percent(most)}, so it was not the limit.`
      : `The client was up to ${percent(most)} busy and held back ${heldBack.join('; ')}: trust the ratios by CPU time there.`
  const floors = busy.filter(({ name, server }) => floorsOfPages.includes(name) && server !== null)
  if (floors.length === 0) return client
  const least = Math.min(...floors.map(({ server }) => server ?? 1))
  return least >= enough
    ? `${client} The servers were the limit.`
    : `${client} But the floor of the pages got only ${percent(least)} of a core: something else used the machine, which slows the floor more than the service. Trust the ratios by CPU time, or run it again on an idle machine.`
}

function table(head: string[], rows: string[][]): string {
  const row = (entries: string[]) => `| ${entries.join(' | ')} |`
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
}

function list(entries: readonly string[]): string {
  return entries.map(entry => `- ${entry}`).join('\n')
}

function percent(share: number | null): string {
  return share === null ? '' : `${Math.round(share * 100)} %`
}
