import type { Load } from './load.ts'

/** Whoever takes part in a comparison. */
export interface Contender {
  name: string
  load: Load
  /** None when this process does it all itself. */
  serverPid?: number
  /** The database server's, when it has one. */
  databasePid?: number
  /** What must be there before each turn; it is not part of it. */
  prepare?(): Promise<void>
}

export interface Round {
  perSecond: number
  bytesPerSecond: number
  /** Requests for each second of CPU time of the server and its database; null where that cannot be known. */
  perCpuSecond: number | null
  /** Shares of the time in which they were on a core. */
  busy: { client: number | null; server: number | null; database: number | null }
}

export const connections = 8
const rounds = 5

/** How long everybody's turn is. Before the first round each has one that counts for nothing. */
export interface Turn {
  firstMs: number
  warmUpMs: number
  measureMs: number
}
export const longTurn: Turn = { firstMs: 1_000, warmUpMs: 150, measureMs: 1_500 }
/** Where each request writes: the tables grow with each turn, and few requests are made in one to get warm by. */
export const shortTurn: Turn = { firstMs: 2_500, warmUpMs: 150, measureMs: 800 }

export function howLoaded({ measureMs }: Turn): string {
  return `${connections} connections, ${rounds} rounds of ${measureMs / 1000} s each after a warm-up`
}

/** Everybody in turn, round after round, so that whatever else the machine does hits all of them alike. */
export async function takeTurns(contenders: readonly Contender[], turn: Turn = longTurn): Promise<Round[][]> {
  const firstTurn = { warmUpMs: turn.firstMs, measureMs: 100 }
  for (const contender of contenders) await oneTurn(contender, firstTurn)
  const results = contenders.map((): Round[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      results[index]?.push(await oneTurn(contender, turn))
    }
  }
  return results
}

async function oneTurn(contender: Contender, lengths: Omit<Turn, 'firstMs'>): Promise<Round> {
  const { name, serverPid, databasePid } = contender
  const watch = [serverPid, databasePid].filter(pid => pid !== undefined)
  try {
    await contender.prepare?.()
    const load = await contender.load({ connections, ...lengths, watch })
    const own = load.clientBusy * load.seconds
    const used = serverPid === undefined ? [own, ...load.cpuSeconds] : load.cpuSeconds
    const [server = null, database = null] = used
    return {
      perSecond: load.requests / load.seconds,
      bytesPerSecond: load.bytes / load.seconds,
      perCpuSecond: server === null ? null : load.requests / (server + (database ?? 0)),
      busy: {
        client: serverPid === undefined ? null : load.clientBusy,
        server: server === null ? null : server / load.seconds,
        database: database === null ? null : database / load.seconds,
      },
    }
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The median of what differs from round to round; null when a round could not know it. */
export function medianOf(results: readonly Round[], figure: (round: Round) => number | null): number | null {
  const values = results.map(figure)
  return values.some(value => value === null) ? null : median(values as number[])
}

/** Each round against the same round of the other, and the median of that: drift of the machine cancels out. */
export function medianRatio(
  ours: readonly Round[],
  theirs: readonly Round[],
  figure: (round: Round) => number | null,
): number | null {
  const ratios = ours.map((round, index) => {
    const other = theirs[index]
    const [a, b] = [figure(round), other === undefined ? null : figure(other)]
    return a === null || b === null ? null : a / b
  })
  return ratios.some(ratio => ratio === null) ? null : median(ratios as number[])
}
