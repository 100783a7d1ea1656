import type { Result } from './findings.ts'
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

/** Beside what people would use instead, where a loss must show: a target. */
export function addAgainstPeer(
  report: Report,
  name: string,
  ours: Round[],
  peer: Round[],
  target: number,
  unit?: string,
): void {
  addRatio(report, name, ours, peer, { target, isAgainstPeer: true }, unit)
}

/** Beside the least that could do the same. The decision record explains the distance, so there is no target. */
export function addAgainstFloor(
  report: Report,
  name: string,
  ours: Round[],
  floor: Round[],
  record?: string,
  unit?: string,
): void {
  addRatio(report, name, ours, floor, record === undefined ? {} : { record }, unit)
}

/** Once by CPU time, to which a target applies because a busy machine hardly changes it, and once by the clock. */
export function addRatio(
  report: Report,
  name: string,
  ours: Round[],
  others: Round[],
  { target = null, ...more }: Pick<Partial<Result>, 'target' | 'isAgainstPeer' | 'record'>,
  unit = 'requests',
): void {
  const byCpu = medianOf(ours, perCpuSecond)
  if (byCpu !== null) {
    report.add({
      name: `${name}: by CPU time`,
      value: byCpu,
      unit: `${unit}/CPU s`,
      floor: medianOf(others, perCpuSecond),
      ratio: medianRatio(ours, others, perCpuSecond),
      target,
      direction: 'min',
      ...more,
    })
  }
  report.add({
    name,
    value: medianOf(ours, perSecond) ?? Number.NaN,
    unit: `${unit}/s`,
    floor: medianOf(others, perSecond),
    ratio: medianRatio(ours, others, perSecond),
    // Where the system does not tell the CPU time.
    target: byCpu === null ? target : null,
    direction: 'min',
  })
}
