import type { Bench } from './bench.ts'
import { measure } from './comparison.ts'
import type { Step } from './connection.ts'
import type { Account } from './fill.ts'
import { type Contender, medianOf, medianRatio, type Round } from './rounds.ts'
import {
  around,
  asks,
  type Lengths,
  listRequest,
  randomSearch,
  type Subject,
  sizeNames,
  sizeText,
  usualPage,
} from './subject.ts'

const target = 1.2
/** Higher than every ID. */
const beyond = 2 ** 40

const microseconds = (round: Round) => 1e6 / round.perSecond
const cpuMicroseconds = (round: Round) => (round.perCpuSecond === null ? null : 1e6 / round.perCpuSecond)

/** The cost of a page among a thousand applications, and among a million. */
export async function measureGrowth({ report, pace }: Bench, subjects: readonly Subject[]): Promise<void> {
  const contenders: Contender[] = []
  for (const subject of subjects) {
    for (const size of sizeNames) {
      const account = subject.world[size]
      const lengths = around((await usualPage(subject, account, 'json')).length)
      contenders.push(asks(subject, `page at ${sizeText(account)}`, newPages(account, lengths)))
    }
  }
  const rounds = await measure(report, contenders, pace.warm)
  for (const [index, { label, world }] of subjects.entries()) {
    const ofSize = rounds.slice(index * sizeNames.length, (index + 1) * sizeNames.length)
    const [small = [], huge = []] = [ofSize[0], ofSize.at(-1)]
    const name = `page of 100, ${label}: cost at ${sizeText(world.huge)} against ${sizeText(world.small)}`
    report.add({
      name,
      value: medianOf(huge, microseconds) ?? Number.NaN,
      unit: 'µs/request',
      floor: medianOf(small, microseconds),
      ratio: medianRatio(huge, small, microseconds),
      target,
      direction: 'max',
    })
    report.add({
      name: `${name}, CPU time`,
      value: medianOf(huge, cpuMicroseconds) ?? Number.NaN,
      unit: 'CPU µs/request',
      floor: medianOf(small, cpuMicroseconds),
      ratio: medianRatio(huge, small, cpuMicroseconds),
      direction: 'max',
    })
    report.addGrowth({
      label,
      points: sizeNames.map((size, at) => ({
        applications: world[size].ids.length,
        microseconds: medianOf(ofSize[at] ?? [], microseconds) ?? Number.NaN,
      })),
    })
  }
}

/** Each bound is unique: otherwise small lists would come from memory and large ones would not. */
function newPages(account: Account, lengths: Lengths): () => Step {
  let serial = 0
  return () => {
    const search = `${randomSearch(account)}&beforeid=${beyond + serial++}`
    return { request: listRequest(account, 'json', search), status: 200, ...lengths }
  }
}
