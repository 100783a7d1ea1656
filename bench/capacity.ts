// Computes what boards of three sizes need from the measured costs, and writes it into docs/operating/scaling.md:
// `node bench/capacity.ts`. A whole run of the bench does the same at its end.
import { readFileSync, writeFileSync } from 'node:fs'
import { newestOf, type Run } from './findings.ts'
import { readKept } from './kept-results.ts'
import { grouped } from './markdown.ts'

/** Microseconds of CPU for one request, in the process of the service and in PostgreSQL. */
interface Cost {
  node: number
  database: number
}

export interface Board {
  name: string
  /** Applications a year. */
  applications: number
  /** Programs that poll for new applications every minute. */
  integrations: number
}

export const country: Board = {
  name: 'a country of five million',
  applications: 3_000_000,
  integrations: 2_000,
}
const boards: readonly Board[] = [
  { name: 'a town', applications: 20_000, integrations: 20 },
  country,
  { name: 'a large board', applications: 30_000_000, integrations: 20_000 },
]

const workingDays = 250
/** Of a working day's applications, those in its busiest hour. */
const shareOfPeakHour = 0.15
const secondsPerHour = 3_600
const minutesPerDay = 24 * 60
/** Processors are half idle at the busiest hour: for restarts, for a node that is lost, and for better days. */
const shareInUse = 0.5
const node = { cores: 2 }
const database = { cores: 8 }
/** Decision 035, measured by `node bench/bytes-per-application.ts`. */
const databaseBytes = 3_600
const fileBytes = 250_000

/** What people and programs do for each application, by the names that the soak and the results use. */
export const perApplication = {
  'submission with a 100 kB resume': 1,
  'full flow': 0.3,
  prefill: 0.3,
  'page of 100, JSON': 1,
  'page of the feed': 1,
  'attachment of 1 MiB': 2,
  'page of the console': 30,
} as const
type Kind = keyof typeof perApplication | 'idle poll (304)'

/** Requests of a working day. */
export function dayOf({ applications, integrations }: Board): Record<Kind, number> {
  const perDay = applications / workingDays
  const counts = Object.entries(perApplication).map(([kind, times]) => [kind, perDay * times])
  return { ...Object.fromEntries(counts), 'idle poll (304)': integrations * minutesPerDay }
}

/** Requests a second in the busiest hour; polls come all day. */
function peakOf(board: Board): Record<Kind, number> {
  const peak = ([kind, count]: [string, number]) => [
    kind,
    kind === 'idle poll (304)' ? count / (minutesPerDay * 60) : (count * shareOfPeakHour) / secondsPerHour,
  ]
  return Object.fromEntries(Object.entries(dayOf(board)).map(peak))
}

/** From the run on PostgreSQL. */
export function costsOf({ results, busy, pages }: Run): Record<Kind, Cost> {
  const cost = (result: string, measured: string): Cost => {
    const perCpuSecond = results.find(({ name }) => name === `${result}: by CPU time`)?.value
    const times = busy.find(({ name }) => name === measured)
    if (perCpuSecond === undefined || times === undefined) throw new Error(`not measured: ${result}`)
    const [server, behind] = [times.server ?? 1, times.behind ?? 0]
    const together = 1e6 / perCpuSecond
    return {
      node: (together * server) / (server + behind),
      database: (together * behind) / (server + behind),
    }
  }
  const page = cost('page of 100, JSON, PostgreSQL', 'random pages, PostgreSQL')
  const shareOfNode = page.node / (page.node + page.database)
  const times = (pages['PostgreSQL'] ?? []).filter(({ kb }) => kb !== null).map(({ ms }) => ms)
  const usual = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
  return {
    'idle poll (304)': cost('idle poll (304), PostgreSQL', 'idle poll, PostgreSQL'),
    'page of 100, JSON': page,
    'page of the feed': cost(
      'page of 100 events with applications against a page of 100, PostgreSQL',
      'pages of events with applications, PostgreSQL',
    ),
    'attachment of 1 MiB': cost(
      'attachment of 1 MiB, PostgreSQL, against a read stream',
      'attachment, PostgreSQL',
    ),
    'submission with a 100 kB resume': cost(
      'submission with a 100 kB resume against a bare commit and file, PostgreSQL',
      'submission, PostgreSQL',
    ),
    'full flow': cost('full flow against oidc-provider, PostgreSQL', 'full flow, dossier, PostgreSQL'),
    prefill: cost('prefill against bare commits, PostgreSQL', 'prefill, PostgreSQL'),
    // The time of a median page, as if all of it were work, shared as that of a list is.
    'page of the console': { node: 1_000 * usual * shareOfNode, database: 1_000 * usual * (1 - shareOfNode) },
  }
}

/** Processors that these requests keep busy, if the counts are those of a second. */
export function coresFor(counts: Record<Kind, number>, costs: Record<Kind, Cost>): Cost {
  const sum = (part: keyof Cost) =>
    Object.entries(counts).reduce((all, [kind, count]) => all + count * costs[kind as Kind][part], 0) / 1e6
  return { node: sum('node'), database: sum('database') }
}

interface Need {
  board: Board
  perSecond: number
  cores: Cost
  nodes: number
  /** How many times this board one node and one PostgreSQL carry, and what ends it. */
  times: number
  limit: 'node' | 'database'
}

function needOf(board: Board, costs: Record<Kind, Cost>): Need {
  const peak = peakOf(board)
  const cores = coresFor(peak, costs)
  const room = {
    node: (node.cores * shareInUse) / cores.node,
    database: (database.cores * shareInUse) / cores.database,
  }
  return {
    board,
    perSecond: Object.values(peak).reduce((sum, count) => sum + count, 0),
    cores,
    nodes: Math.ceil(1 / room.node),
    times: Math.min(room.node, room.database),
    limit: room.node < room.database ? 'node' : 'database',
  }
}

const added = {
  node: 'a node, or workers on more processors',
  database: 'a replica for lists and downloads',
}

export function capacitySection(run: Run): string {
  const costs = costsOf(run)
  const needs = boards.map(board => needOf(board, costs))
  const inGb = (bytes: number) => `${grouped(Number((bytes / 1e9).toPrecision(2)))} GB`
  const rows = needs.map(({ board, perSecond, cores, nodes, times, limit }) => [
    `${board.name}: ${grouped(board.applications)} applications a year, ${grouped(board.integrations)} programs that poll every minute`,
    grouped(Number(perSecond.toPrecision(2))),
    `${cores.node.toFixed(2)} and ${cores.database.toFixed(2)}`,
    String(nodes),
    `${inGb(board.applications * databaseBytes)}, ${inGb(board.applications * fileBytes)}`,
    `${grouped(Number(times.toPrecision(2)))} times: the ${limit === 'node' ? 'node' : 'database'}; add ${added[limit]}`,
  ])
  const costRows = Object.entries(costs).map(([kind, { node: own, database: behind }]) => [
    kind,
    grouped(Math.round(own)),
    grouped(Math.round(behind)),
    String(perApplication[kind as keyof typeof perApplication] ?? 'every minute'),
  ])
  const table = (...lines: readonly string[][]) =>
    lines
      .map((cells, at) => `| ${cells.join(' | ')} |${at === 0 ? `\n|${'---|'.repeat(cells.length)}` : ''}`)
      .join('\n')
  return `## What a node carries

Computed by \`node bench/capacity.ts\` from the costs in [bench/results.md](../../bench/results.md), measured on commit ${run.commit}
(${run.machine[0]?.replace(/, \d+ GiB$/, '')}). A node has ${node.cores} processors and PostgreSQL ${database.cores}, and at the busiest hour of a working day (${100 * shareOfPeakHour} % of
its applications) they are at most half busy.

${table(
  [
    'board',
    'requests/s at the peak',
    'processors at the peak: nodes and PostgreSQL',
    'nodes',
    'a year: database, files',
    'one node and one PostgreSQL carry this',
  ],
  ...rows,
)}

The costs, in microseconds of CPU, and how often each is assumed for an application:

${table(['request', 'node', 'PostgreSQL', 'for each application'], ...costRows)}

Processors are the first limit of every board. Memory is not: a node takes 150 MB, and 30 KB for each waiting request. The database
outgrows one server at some hundred million applications: [decision 035](../decisions/035-partition-by-advertiser.md). Files belong
in S3 long before. A poll costs least where nothing is new; programs that follow the feed or get webhooks cost less still.
\`npm run bench -- country\` sends a hundredth of the country's working day to a real service in ten minutes, and compares the CPU
time [with this computation](../../bench/results.md#a-countrys-load). A node that has little to do needs several times as much for a request as
these costs of a busy one, and has the room.

`
}

export const capacityPage = new URL('../docs/operating/scaling.md', import.meta.url)
const section = /## What a node carries\n.*?(?=## )/s

/** The page with the section of the newest run. */
export function pageWithCapacity(): string {
  const text = readFileSync(capacityPage, 'utf8')
  if (!section.test(text)) throw new Error('docs/operating/scaling.md has no section "What a node carries"')
  const [, run] = newestOf(readKept(new URL('./', import.meta.url)))
  return text.replace(section, () => capacitySection(run))
}

export const writeCapacity = (): void => writeFileSync(capacityPage, pageWithCapacity())

if (import.meta.main) writeCapacity()
