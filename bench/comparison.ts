import type { Turn } from './pace.ts'
import type { Report } from './report.ts'
import { type Contender, medianOf, medianRatio, type Round, takeTurns } from './rounds.ts'

const perSecond = (round: Round) => round.perSecond
const perCpuSecond = (round: Round) => round.perCpuSecond

/** Measures all participants in turn, reports progress, and records how busy they were. */
export async function measure(
  report: Report,
  contenders: readonly Contender[],
  turn: Turn,
): Promise<Round[][]> {
  report.say(`in turn: ${contenders.map(({ name }) => name).join('; ')}`)
  const results = await takeTurns(contenders, turn)
  for (const [index, { name }] of contenders.entries()) {
    const rounds = results[index] ?? []
    report.addBusy({
      name,
      client: medianOf(rounds, round => round.busy.client),
      server: medianOf(rounds, round => round.busy.server),
      behind: medianOf(rounds, round => round.busy.behind),
    })
  }
  return results
}

/** Once by CPU time, to which the target applies because a busy machine hardly changes it, and once by the clock. */
export function addAgainstFloor(
  report: Report,
  name: string,
  ours: Round[],
  floorRounds: Round[],
  target: number | undefined,
  unit = 'requests',
): void {
  const byCpu = medianOf(ours, perCpuSecond)
  if (byCpu !== null) {
    report.add({
      name: `${name}: by CPU time`,
      value: byCpu,
      unit: `${unit}/CPU s`,
      floor: medianOf(floorRounds, perCpuSecond),
      ratio: medianRatio(ours, floorRounds, perCpuSecond),
      target: target ?? null,
      direction: 'min',
    })
  }
  report.add({
    name,
    value: medianOf(ours, perSecond) ?? Number.NaN,
    unit: `${unit}/s`,
    floor: medianOf(floorRounds, perSecond),
    ratio: medianRatio(ours, floorRounds, perSecond),
    // Where the system does not tell the CPU time.
    target: byCpu === null ? (target ?? null) : null,
    direction: 'min',
  })
}
