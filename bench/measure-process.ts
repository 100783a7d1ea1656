import { setTimeout as sleep } from 'node:timers/promises'
import { believableDraft } from './believable.ts'
import { counts, openForBench } from './fill.ts'
import { askOnce, type OneAnswer } from './load.ts'
import { residentMib, watchGrowth } from './process-figures.ts'
import type { Report } from './report.ts'
import { median } from './rounds.ts'
import type { ServerProcess } from './service.ts'
import { assertWholeList, listRequest, type Subject } from './subject.ts'

const growthTargetMib = 100
const firstByteTargetMs = 50
const starts = 5
export const wholeLists = 5
const stallMs = 2_000
const bytesPerMb = 1e6

/** How long a start takes, and what a process that has done nothing holds. Returns the last one, untouched. */
export async function measureStart(
  report: Report,
  label: Subject['label'],
  start: () => Promise<ServerProcess>,
): Promise<ServerProcess> {
  const times: number[] = []
  for (;;) {
    const service = await start()
    times.push(service.startedAfterMs)
    if (times.length < starts) {
      await service.stop()
      continue
    }
    await sleep(1_000)
    report.add({
      name: `start of dossier serve until it listens, ${label}`,
      value: median(times),
      unit: 'ms',
      direction: 'max',
    })
    report.add({
      name: `memory of the idle process, ${label}`,
      value: residentMib(service.pid),
      unit: 'MiB',
      direction: 'max',
    })
    return service
  }
}

/** All 100,000 in one answer, on a process that has served nothing yet: what it grows by is the list's doing. */
export async function measureWholeList(report: Report, subject: Subject): Promise<void> {
  const { label, service, world } = subject
  const request = listRequest(world.large, 'json')
  const growth = watchGrowth(service.pid)
  try {
    const answers: OneAnswer[] = []
    for (let count = 0; count < wholeLists; count++) answers.push(await askOnce(service.port, request))
    const grownByOne = growth.readMib()
    assertWholeList(await askOnce(service.port, request, { keepBody: true }))
    assertAlike(answers)

    // As many at once as one credential may have; one of them does not read for a while.
    await Promise.all([0, 1, 2, 3].map(n => askOnce(service.port, request, n === 0 ? { stallMs } : {})))
    const grownByFour = growth.readMib()

    const seconds = median(answers.map(answer => answer.totalMs)) / 1000
    const bytes = answers[0]?.bytes ?? 0
    const name = `whole list of 100,000, ${label}`
    report.add({
      name: `${name}: growth of the process`,
      value: grownByOne,
      unit: 'MiB',
      target: growthTargetMib,
      direction: 'max',
    })
    report.add({
      name: `${name}: first byte`,
      value: median(answers.map(answer => answer.firstByteMs)),
      unit: 'ms',
      target: firstByteTargetMs,
      direction: 'max',
    })
    report.add({ name: `${name}: growth, four at once`, value: grownByFour, unit: 'MiB', direction: 'max' })
    report.add({ name, value: counts.large / seconds, unit: 'applications/s', direction: 'min' })
    report.add({
      name: `${name}: bytes`,
      value: bytes / bytesPerMb / seconds,
      unit: 'MB/s',
      direction: 'min',
    })
  } finally {
    growth.stop()
  }
}

function assertAlike(answers: readonly OneAnswer[]): void {
  const kinds = new Set(answers.map(({ status, bytes }) => `status ${status}, ${bytes} bytes`))
  if (kinds.size !== 1) throw new Error(`whole lists that differ: ${[...kinds].join('; ')}`)
}

const writers = 8
const applyMs = 2_000

/** Durable submissions by the use case itself; files are there already. */
export async function measureApply(report: Report, { label, settings, world }: Subject): Promise<void> {
  const services = await openForBench(settings)
  try {
    let count = 0
    const startedAt = performance.now()
    const write = async () => {
      while (performance.now() - startedAt < applyMs) {
        const draft = believableDraft(count++, Date.now())
        await services.applications.apply(world.neighbour.advertiserId, draft)
      }
    }
    await Promise.all(Array.from({ length: writers }, write))
    report.add({
      name: `apply, one advertiser, ${writers} writers, ${label}`,
      value: (count / (performance.now() - startedAt)) * 1000,
      unit: 'applications/s',
      direction: 'min',
    })
  } finally {
    await services.close()
  }
}
