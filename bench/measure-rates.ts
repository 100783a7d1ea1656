import { addAgainstFloor, measure } from './comparison.ts'
import { type Account, attachmentBytes } from './fill.ts'
import { asking, drawnFrom, getRequest } from './load.ts'
import type { Report } from './report.ts'
import { type Contender, medianOf, medianRatio, type Round } from './rounds.ts'
import type { ServerProcess } from './service.ts'
import { attachmentRequest, type Format, randomPageRequest, type Subject, samplePages } from './subject.ts'

const pageTargets = { SQLite: 0.15, PostgreSQL: 0.07 }
const growthTarget = 1.3
const attachmentTarget = 0.5
const bytesPerMb = 1e6
/** How far a page may be from the usual length and still be a page of 100. */
const pageTolerance = 0.15

const microseconds = (round: Round) => 1e6 / round.perSecond

/** Random pages of 100 against the same bytes from memory, and, in JSON, 100,000 applications against 1,000. */
export async function measurePages(
  report: Report,
  floor: ServerProcess,
  subjects: readonly Subject[],
  format: Format,
): Promise<void> {
  const withSmall = format === 'json'
  const contenders = [floorContender(floor, `/${format}`, await usualLength(subjects, format))]
  for (const subject of subjects) {
    contenders.push(await pageContender(subject, subject.world.large, format))
    if (withSmall) contenders.push(await pageContender(subject, subject.world.small, format))
  }
  const [floorRounds = [], ...rounds] = await measure(report, contenders)
  const what = `page of 100, ${format.toUpperCase()}`
  for (const [index, { label }] of subjects.entries()) {
    const large = rounds[withSmall ? index * 2 : index] ?? []
    const target = pageTargets[label]
    addAgainstFloor(report, `${what}, ${label}`, large, floorRounds, target)
    if (!withSmall) continue
    const small = rounds[index * 2 + 1] ?? []
    report.add({
      name: `${what}, ${label}: cost at 100,000 against 1,000`,
      value: medianOf(large, microseconds) ?? Number.NaN,
      unit: 'µs/request',
      floor: medianOf(small, microseconds),
      ratio: medianRatio(large, small, microseconds),
      target: growthTarget,
      direction: 'max',
    })
  }
}

/** An attachment of a megabyte against a bare createReadStream of the same file. */
export async function measureAttachments(
  report: Report,
  floor: ServerProcess,
  subjects: readonly Subject[],
): Promise<void> {
  const exactly = { minBytes: attachmentBytes, maxBytes: attachmentBytes }
  const [floorRounds = [], ...rounds] = await measure(report, [
    floorContender(floor, '/attachment', attachmentBytes),
    ...subjects.map(subject => contender(subject, 'attachment', [attachmentRequest(subject.world)], exactly)),
  ])
  for (const [index, { label }] of subjects.entries()) {
    const ours = rounds[index] ?? []
    addAgainstFloor(report, `attachment of 1 MiB, ${label}`, ours, floorRounds, attachmentTarget)
    report.add({
      name: `attachment of 1 MiB, ${label}: bytes`,
      value: (medianOf(ours, round => round.bytesPerSecond) ?? Number.NaN) / bytesPerMb,
      unit: 'MB/s',
      direction: 'min',
    })
  }
}

async function usualLength(subjects: readonly Subject[], format: Format): Promise<number> {
  const [subject] = subjects
  if (subject === undefined) throw new Error('nothing to measure')
  return (await usualPage(subject, subject.world.large, format)).length
}

/** The page of median length among some. */
export async function usualPage(subject: Subject, account: Account, format: Format): Promise<Buffer> {
  const pages = await samplePages(subject, account, format)
  return pages[Math.floor(pages.length / 2)] as Buffer
}

function floorContender({ pid, port }: ServerProcess, path: string, bytes: number): Contender {
  // Any length near it will do: the floor serves one fixed page, which was sampled in its own draw.
  return {
    name: `floor ${path}`,
    serverPid: pid,
    load: asking(drawnFrom(port, [getRequest(path)], around(bytes))),
  }
}

async function pageContender(subject: Subject, account: Account, format: Format): Promise<Contender> {
  const { length } = await usualPage(subject, account, format)
  const requests = Array.from({ length: 2_000 }, () => randomPageRequest(account, format))
  const name = `${format.toUpperCase()} page at ${account.ids.length.toLocaleString('en')}`
  return contender(subject, name, requests, around(length))
}

function around(length: number): { minBytes: number; maxBytes: number } {
  return { minBytes: length * (1 - pageTolerance), maxBytes: length * (1 + pageTolerance) }
}

function contender(
  subject: Subject,
  what: string,
  requests: readonly Buffer[],
  size: { minBytes: number; maxBytes: number },
): Contender {
  const { service, databasePid } = subject
  return {
    name: `${what}, ${subject.label}`,
    load: asking(drawnFrom(service.port, requests, size)),
    serverPid: service.pid,
    ...(databasePid === undefined ? {} : { databasePid }),
  }
}
