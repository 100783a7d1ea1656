import { setTimeout as sleep } from 'node:timers/promises'
import { believableDraft } from './believable.ts'
import type { Bench } from './bench.ts'
import { openForBench } from './bench-services.ts'
import { ListChecker } from './list-checker.ts'
import { askOnce } from './load.ts'
import { residentMib, watchGrowth } from './process-figures.ts'
import { median } from './rounds.ts'
import type { ServerProcess } from './service.ts'
import { listRequest, type Subject, sizeText } from './subject.ts'

/** Of `dossier serve` on SQLite, which is what people try first. */
const startTargetMs = 600
const idleTargetsMib = { SQLite: 110, PostgreSQL: 150 }
const growthTargetMib = 100
const firstByteTargetMs = 50
export const firstBytes = 7
const stallMs = 1_000
const bytesPerMb = 1e6

/** How long a start takes, and how much memory an idle process uses. Returns the last one of the package, unused. */
export async function measureStart(
  bench: Bench,
  subject: Pick<Subject, 'label' | 'settings'>,
): Promise<ServerProcess> {
  const checkout = await measureStarts(bench, bench.startCheckout, 'from a checkout, ', subject)
  await checkout.stop()
  return measureStarts(bench, bench.start, '', subject)
}

async function measureStarts(
  { report, pace }: Bench,
  start: Bench['start'],
  from: string,
  { label, settings }: Pick<Subject, 'label' | 'settings'>,
): Promise<ServerProcess> {
  const times: number[] = []
  for (;;) {
    const service = await start(settings)
    times.push(service.startedAfterMs)
    if (times.length < pace.starts) {
      await service.stop()
      continue
    }
    await sleep(1_000)
    report.add({
      name: `start of dossier serve until it listens, ${from}${label}`,
      value: median(times),
      unit: 'ms',
      target: label === 'SQLite' ? startTargetMs : null,
      direction: 'max',
    })
    report.add({
      name: `memory of the idle process, ${from}${label}`,
      value: residentMib(service.pid),
      unit: 'MiB',
      target: idleTargetsMib[label],
      direction: 'max',
    })
    return service
  }
}

/** The whole list in one response, on a process that has served nothing yet, so that its growth is due to the list. */
export async function measureWholeList({ report }: Bench, subject: Subject): Promise<void> {
  const { label, service, world } = subject
  const name = `whole list of ${sizeText(world.huge)}, ${label}`
  const request = listRequest(world.huge, 'json')
  const growth = watchGrowth(service.pid)
  try {
    const checker = new ListChecker(world.huge.ids)
    const { status, bytes, totalMs } = await askOnce(service.port, request, {
      look: part => checker.look(part),
    })
    checker.finish()
    if (status !== 200) throw new Error(`a whole list got ${status}`)
    report.add({
      name: `${name}: growth of the process`,
      value: growth.readMib(),
      unit: 'MiB',
      target: growthTargetMib,
      direction: 'max',
    })
    const times: number[] = []
    for (let count = 0; count < firstBytes; count++) {
      times.push((await askOnce(service.port, request, { isBeginningEnough: true })).firstByteMs)
      // A slot is released once the service notices the hang-up.
      await sleep(100)
    }
    report.add({
      name: `${name}: first byte`,
      value: median(times),
      unit: 'ms',
      target: firstByteTargetMs,
      direction: 'max',
    })
    const seconds = totalMs / 1000
    report.add({ name, value: world.huge.ids.length / seconds, unit: 'applications/s', direction: 'min' })
    report.add({
      name: `${name}: bytes`,
      value: bytes / bytesPerMb / seconds,
      unit: 'MB/s',
      direction: 'min',
    })

    // As many at once as one credential may have; one of them stops reading for a while.
    const large = listRequest(world.large, 'json')
    await Promise.all([0, 1, 2, 3].map(n => askOnce(service.port, large, n === 0 ? { stallMs } : {})))
    report.add({
      name: `four whole lists of ${sizeText(world.large)} at once after it, ${label}: growth`,
      value: growth.readMib(),
      unit: 'MiB',
      direction: 'max',
    })
  } finally {
    growth.stop()
  }
}

const writers = 8

/** Durable submissions through the use case itself; the files are already stored. */
export async function measureApply(
  { report, pace }: Bench,
  { label, settings, world }: Subject,
): Promise<void> {
  await using services = await openForBench(settings)
  let count = 0
  const startedAt = performance.now()
  const write = async () => {
    while (performance.now() - startedAt < pace.applyMs) {
      const draft = believableDraft(count++, Date.now())
      await services.submissions.add(world.neighbour.advertiserId, draft)
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
  report.add({
    name: `apply, one advertiser, ${writers} writers, ${label}`,
    value: (count / (performance.now() - startedAt)) * 1000,
    unit: 'applications/s',
    direction: 'min',
  })
}
