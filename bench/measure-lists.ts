import type { Format } from '../src/model/v1/rendering.ts'
import type { Bench } from './bench.ts'
import { addAgainstFloor, addAgainstPeer, measure } from './comparison.ts'
import type { Account } from './fill.ts'
import { asking, askOnce, drawnFrom, getRequest } from './load.ts'
import type { Contender } from './rounds.ts'
import type { ServerProcess } from './service.ts'
import {
  around,
  asksFor,
  listPath,
  listRequest,
  randomPages,
  randomSearch,
  type Subject,
  usualPage,
} from './subject.ts'

/** A little below the lowest ratio of the last runs, so that a loss shows. */
const plainTargets = { SQLite: 5.5, PostgreSQL: 4 }

/** The service on a database, and the plain way on the same. */
export interface ListSubject extends Subject {
  plain: ServerProcess
}

/**
 * Pages of 100 in JSON: random ones, one repeatedly, and the plain way of making them, all against the same bytes from
 * memory.
 */
export async function measurePages(
  { report, pace }: Bench,
  floor: ServerProcess,
  subjects: readonly ListSubject[],
): Promise<void> {
  const usual = await lengthOfUsual(subjects, 'json')
  const contenders = [floorContender(floor, '/json', usual)]
  for (const subject of subjects) {
    const { large } = subject.world
    await assertSameBytes(subject, large)
    const hot = [listRequest(large, 'json', randomSearch(large))]
    const plain = Array.from({ length: 5_000 }, () => plainRequest(large, randomSearch(large)))
    contenders.push(
      asksFor(subject, 'random pages', randomPages(large, 'json'), around(usual)),
      asksFor(subject, 'hot page', hot, around(usual)),
      asksFor(subject, 'plain way', plain, around(usual), subject.plain),
    )
  }
  const [floorRounds = [], ...rounds] = await measure(report, contenders, pace.reading)
  for (const [index, { label }] of subjects.entries()) {
    const [random = [], hot = [], plain = []] = rounds.slice(index * 3)
    addAgainstFloor(report, `page of 100, JSON, ${label}`, random, floorRounds, '081')
    addAgainstFloor(report, `hot page of 100, JSON, ${label}`, hot, floorRounds, '034')
    addAgainstFloor(report, `plain way, page of 100, JSON, ${label}`, plain, floorRounds)
    const name = `page of 100, JSON, against the plain way, ${label}`
    addAgainstPeer(report, name, random, plain, plainTargets[label])
  }
}

/** The same in XML, where only the bytes differ. */
export async function measureXmlPages(
  { report, pace }: Bench,
  floor: ServerProcess,
  subjects: readonly Subject[],
): Promise<void> {
  const usual = await lengthOfUsual(subjects, 'xml')
  const [floorRounds = [], ...rounds] = await measure(
    report,
    [
      floorContender(floor, '/xml', usual),
      ...subjects.map(subject =>
        asksFor(subject, 'XML pages', randomPages(subject.world.large, 'xml'), around(usual)),
      ),
    ],
    pace.brief,
  )
  for (const [index, { label }] of subjects.entries()) {
    const ours = rounds[index] ?? []
    addAgainstFloor(report, `page of 100, XML, ${label}`, ours, floorRounds, '081')
  }
}

async function lengthOfUsual(subjects: readonly Subject[], format: Format): Promise<number> {
  const [subject] = subjects
  if (subject === undefined) throw new Error('nothing to measure')
  return (await usualPage(subject, subject.world.large, format)).length
}

function plainRequest(account: Account, search: string): Buffer {
  return getRequest(`/page${search}`, { Authorization: `SWS ${account.credential}` })
}

/** All participants must give the same response. */
async function assertSameBytes({ label, service, plain }: ListSubject, account: Account): Promise<void> {
  const search = randomSearch(account)
  const ours = await askOnce(service.port, listRequest(account, 'json', search), { keepBody: true })
  const theirs = await askOnce(plain.port, plainRequest(account, search), { keepBody: true })
  if (ours.status === 200 && ours.body.equals(theirs.body)) return
  const at = ours.body.findIndex((byte, index) => byte !== theirs.body[index])
  const [wanted, got] = [ours.body, theirs.body].map(body => body.toString('utf8', at - 40, at + 40))
  throw new Error(`${listPath}${search} on ${label}: the service says ${wanted}, the plain way ${got}`)
}

function floorContender({ pid, port }: ServerProcess, path: string, bytes: number): Contender {
  // Any similar length will do: the floor serves one fixed page, from a sample of its own.
  const load = asking(drawnFrom(port, [getRequest(path)], around(bytes)))
  return { name: `floor ${path}`, serverPid: pid, load }
}
