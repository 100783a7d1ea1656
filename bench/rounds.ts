import type { Load } from './load.ts'
import type { Turn } from './pace.ts'

/** A participant in a comparison. */
export interface Contender {
  name: string
  load: Load
  /** Undefined if this process does all the work. */
  serverPid?: number
  /** The database server's, if there is one, or that of another process that does part of the work. */
  behindPid?: number | undefined
  /** Prepares each turn; not part of the timing. */
  prepare?(): Promise<void>
}

export interface Round {
  perSecond: number
  bytesPerSecond: number
  /** Requests for each second of CPU time of the server and its database; null if unknown. */
  perCpuSecond: number | null
  /** Shares of the time that they were on a core. */
  busy: { client: number | null; server: number | null; behind: number | null }
}

export const connections = 8

/** Measures all participants in turn, round after round, so that other load on the machine affects all alike. */
export async function takeTurns(
  contenders: readonly Contender[],
  turn: Turn,
  clients = connections,
): Promise<Round[][]> {
  const firstTurn = { warmUpMs: turn.firstMs, measureMs: 100 }
  for (const contender of contenders) await oneTurn(contender, firstTurn, clients)
  const results = contenders.map((): Round[] => [])
  for (let round = 0; round < turn.rounds; round++) {
    for (const [index, contender] of contenders.entries()) {
      results[index]?.push(await oneTurn(contender, turn, clients))
    }
  }
  return results
}

async function oneTurn(
  contender: Contender,
  lengths: Pick<Turn, 'warmUpMs' | 'measureMs'>,
  connections: number,
): Promise<Round> {
  const { name, serverPid, behindPid } = contender
  const { warmUpMs, measureMs } = lengths
  const watch = [serverPid, behindPid].filter(pid => pid !== undefined)
  try {
    await contender.prepare?.()
    const load = await contender.load({ connections, warmUpMs, measureMs, watch })
    const own = load.clientBusy * load.seconds
    const used = serverPid === undefined ? [own, ...load.cpuSeconds] : load.cpuSeconds
    const [server = null, behind = null] = used
    const cpu = server === null ? null : server + (behind ?? 0)
    return {
      perSecond: load.requests / load.seconds,
      bytesPerSecond: load.bytes / load.seconds,
      // The system's CPU clock ticks a hundred times a second: a very short turn may not register.
      perCpuSecond: cpu === null || cpu === 0 ? null : load.requests / cpu,
      busy: {
        client: serverPid === undefined ? null : load.clientBusy,
        server: server === null ? null : server / load.seconds,
        behind: behind === null ? null : behind / load.seconds,
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

/** The median over the rounds; null if a round has no value. */
export function medianOf(results: readonly Round[], figure: (round: Round) => number | null): number | null {
  const values = results.map(figure)
  return values.some(value => value === null) ? null : median(values as number[])
}

/** The median of the ratios of each round: drift of the machine cancels out. */
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
