import {
  type Busy,
  type Facts,
  type Findings,
  judge,
  type Kept,
  newestOf,
  type PageFigures,
  type Result,
  type Run,
} from './findings.ts'
import { connections } from './rounds.ts'

/** A process this busy has a core to itself. */
const enough = 0.9
/** These only compute: undisturbed, each keeps a core busy. */
const floorsOfPages = ['floor /json', 'floor /xml']

/** The targets on all architectures, and everything else of the newest run. */
export function markdownOf(kept: Kept): string {
  const [architecture, run] = newestOf(kept)
  const { results, busy, pages } = run
  const targets = results.filter(({ target }) => target !== null)
  const missed = targets.filter(({ met }) => met === false).length
  const floors = results.filter(({ record }) => record !== undefined)
  const others = results.filter(({ target, record }) => target === null && record === undefined)
  return `# Measured

Written by \`npm run bench\`, on ${architecture} in ${Math.round(run.seconds)} s. Times on a shared machine vary; the ratios count, those by CPU time first.

${targets.length - missed} of ${targets.length} targets met. Everything below the two tables of targets is from the run on ${whenOf(architecture, run)}.

## What people feel

${targetsTable(
  kept,
  targets.filter(({ isAgainstPeer }) => isAgainstPeer !== true),
)}

## Against what people would use instead

Each target is a little below the lowest ratio of the last runs, so that a loss shows.

${targetsTable(
  kept,
  targets.filter(({ isAgainstPeer }) => isAgainstPeer === true),
)}

## Against the floor

The floor is the least that could do the same: bare routes, bare commits, files sent by nginx. There is no target: the record
says what the distance is made of, and what was tried.

${table(
  ['what', 'ratio', 'value', 'floor', 'record'],
  floors.map(result => {
    const [name = '', value = '', floor = '', ratio = ''] = cells(result)
    return [name, ratio, value, floor, result.record ?? '']
  }),
)}

## Growth

${growthTable(run)}

## Tail latencies

In milliseconds, at half of the rate that the same connections reach when each asks again at once. Each request has its moment, whether or not those before it have been answered, and its time runs from there.

${tailsTable(run)}

${soakSection(kept)}${countrySection(kept)}## Also measured

${table(
  ['what', 'value', 'floor', 'ratio'],
  others.map(result => cells(result).slice(0, 4)),
)}

## Pages

In milliseconds, median; the first load in kB.

${table(['page', ...Object.keys(pages), 'first load'], pageRows(Object.values(pages)))}

## How it was measured

${list(run.method)}

## Who was busy

The share of a core that each side used. The backend of a server is its database; that of nginx is the service. ${whoSaturates(busy)}

${table(
  ['measured', 'client', 'server', 'backend'],
  busy.map(entry => [entry.name, percent(entry.client), percent(entry.server), percent(entry.behind)]),
)}

## The machine

${list(run.machine)}
`
}

/** One line per target, and two columns per architecture. */
function targetsTable(kept: Kept, targets: readonly Result[]): string {
  const shown = Object.keys(kept.runs)
  return table(
    [
      'what',
      'target',
      ...shown.flatMap(architecture => [whenOf(architecture, kept.runs[architecture]), 'met']),
    ],
    targets.map(result => [
      result.name,
      cells(result)[4] ?? '',
      ...shown.flatMap(architecture => againstTarget(result, kept.runs[architecture])),
    ]),
  )
}

/** An older run is judged by the target of today. */
function againstTarget({ name, target }: Result, run: Run | undefined): string[] {
  const found = run?.results.find(result => result.name === name)
  if (found === undefined) return ['', '']
  const [, value = '', floor, ratio, , met = ''] = cells(judge({ ...found, target }))
  const shown =
    floor === '' ? value : ratio === '' ? `${value} (floor ${floor})` : `${ratio} (${value} against ${floor})`
  return [shown, met]
}

function whenOf(architecture: string, run: Run | undefined): string {
  return run === undefined ? architecture : `${architecture}, ${dayOf(run)}, ${run.commit}`
}

const dayOf = ({ at }: Facts) => at.slice(0, '2026-11-17'.length)

export function cells(result: Result): string[] {
  const { value, unit, which, floor, ratio, target, direction, met } = result
  const isShare = ratio !== null && direction === 'min'
  const isMultiple = (target ?? ratio ?? 0) >= 2
  const inRatio = (number: number) =>
    !isShare ? number.toFixed(2) : isMultiple ? `${number} ×` : `${(number * 100).toFixed(1)} %`
  const limit = direction === 'min' ? 'at least' : 'at most'
  const shownTarget = target === null ? '' : ratio === null ? `${target} ${unit}` : inRatio(target)
  return [
    result.name,
    `${grouped(value)} ${unit}${which === undefined ? '' : ` (${which})`}`,
    floor === null ? '' : grouped(floor),
    ratio === null ? '' : inRatio(ratio),
    target === null ? '' : `${limit} ${shownTarget}`,
    met === null ? '' : met ? 'yes' : 'NO',
  ]
}

/** Empty if there was none. */
function soakSection({ soaks = {} }: Kept): string {
  const sections = Object.values(soaks).map(soak => {
    const change = (times: readonly number[]) => times.map(ms => ms.toFixed(2))
    return `On ${soak.label}, ${soak.machine[0]}, ${dayOf(soak)}, ${soak.commit}: ${grouped(soak.requests)} requests in ${soak.minutes} minutes, ${grouped(soak.rate)} a second.

${table(
  ['what', 'begin', 'end', 'change', 'target', 'met'],
  soak.figures.map(figure => {
    const [name = '', end = '', begin = '', ratio = '', target = '', met = ''] = cells(figure)
    return [name, begin, end, ratio, target, met]
  }),
)}

${table(
  [
    'of 100 requests',
    'share',
    'p50 at the begin, ms',
    'p50 at the end',
    'p99 at the begin',
    'p99 at the end',
  ],
  soak.kinds.map(({ name, share, p50, p99 }) => [name, String(share), ...change(p50), ...change(p99)]),
)}

`
  })
  if (sections.length === 0) return ''
  return `## Soak

\`npm run bench -- soak\` sends requests of all kinds at half of the rate that ${connections} connections reach with them, each at its own moment. Before that, the process is stopped for two seconds under load, because malloc keeps the memory of the largest burst ([087](../docs/decisions/087-limit-what-malloc-keeps.md)). The time is cut into 30 slices; between two of them, when no request is under way, the process is looked at. Then a bare server answers at the same rate for five seconds: what its p99 changes by is the machine's. After three slices of warm-up, the medians of the first six slices and of the last six are compared.

${sections.join('')}`
}

/** Empty if there was none. */
function countrySection({ country }: Kept): string {
  if (country === undefined) return ''
  return `## A country's load

A hundredth of a working day of the country in [Scaling](../docs/operating/scaling.md#what-a-node-carries), on ${country.machine[0]}, ${dayOf(country)}, ${country.commit}: ${grouped(country.requests)} requests in ${country.minutes} minutes, p99 ${country.p99.toFixed(1)} ms.

${table(
  ['CPU time of', 'measured', 'computed', 'measured against computed'],
  country.figures.map(figure => cells(figure).slice(0, 4)),
)}

`
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

export const grouped = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: value < 1 ? 2 : value < 100 ? 1 : 0 })
