import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { writeCursor } from '../src/events/feed/cursor.ts'
import { typeCode } from '../src/model/events.ts'
import type { Bench } from './bench.ts'
import { openForBench } from './bench-services.ts'
import { addAgainstFloor, measure } from './comparison.ts'
import type { Account } from './fill.ts'
import { asking, askOnce, drawnFrom, getRequest } from './load.ts'
import { idlePoll } from './measure-polls.ts'
import { type Board, openBoard, submission, usualResume } from './measure-submissions.ts'
import type { Contender } from './rounds.ts'
import type { ServerProcess } from './service.ts'
import { around, asks, asksFor, pageSize, randomPages, type Subject, usualPage } from './subject.ts'

const drawnCursors = 20_000
const latencyTargets = { 'one node': { p50: 10, p99: 100 }, 'two nodes': { p50: 50, p99: 300 } }

export const feedPath = '/v1/advertiser/events'

export function feedRequest({ credential }: Pick<Account, 'credential'>, search: string): Buffer {
  return getRequest(`${feedPath}${search}`, {
    Authorization: `SWS ${credential}`,
    Accept: 'application/json',
  })
}

/** Reading the feed: when nothing is new, page by page, and with the applications. */
export async function measureFeed(bench: Bench, subjects: readonly Subject[]): Promise<void> {
  const { report, pace, folder, startScript } = bench
  const [first] = subjects as [Subject]
  for (const subject of subjects) await addEvents(subject)
  const cursors = randomCursors(first.world.large)
  const pages = cursors.map(cursor => `?limit=${pageSize}&cursor=${cursor}`)
  const page = await bodyOf(first, pages[0] as string)
  const file = join(folder, 'events.json')
  await writeFile(file, page)
  const { path } = first.world.attachment
  const floor = await startScript('floor-server', [file, file, path])
  const contenders: Contender[] = [
    {
      name: 'floor, a page of events',
      load: asking(drawnFrom(floor.port, [getRequest('/json')], around(page.length))),
      serverPid: floor.pid,
    },
  ]
  for (const subject of subjects) {
    const { large } = subject.world
    const requests = (more: string) => pages.map(search => feedRequest(large, `${search}${more}`))
    const newest = JSON.parse((await bodyOf(subject, '')).toString()).cursor
    const idle = {
      request: feedRequest(large, `?cursor=${newest}`),
      status: 200,
      minBytes: 60,
      maxBytes: 120,
    }
    const poll = await idlePoll(subject)
    const whole = await bodyOf(subject, `${pages[0]}&include=application`)
    const list = await usualPage(subject, large, 'json')
    contenders.push(
      asks(subject, 'idle poll', () => poll),
      asks(subject, 'idle feed', () => idle),
      asksFor(subject, 'pages of events', requests(''), around(page.length)),
      asksFor(
        subject,
        'pages of events with applications',
        requests('&include=application'),
        around(whole.length),
      ),
      asksFor(subject, 'random pages', randomPages(large, 'json'), around(list.length)),
    )
  }
  const [floorRounds = [], ...rounds] = await measure(report, contenders, pace.reading)
  for (const [index, { label }] of subjects.entries()) {
    const [polls = [], idle = [], plain = [], whole = [], lists = []] = rounds.slice(index * 5)
    const name = `page of 100 events, ${label}`
    const withApplications = `page of 100 events with applications against a page of 100, ${label}`
    addAgainstFloor(report, `feed with nothing new against an idle poll (304), ${label}`, idle, polls, '083')
    addAgainstFloor(report, name, plain, floorRounds, '083')
    addAgainstFloor(report, withApplications, whole, lists, '083')
  }
}

async function bodyOf({ service, world }: Subject, search: string): Promise<Buffer> {
  const { status, body } = await askOnce(service.port, feedRequest(world.large, search), { keepBody: true })
  if (status !== 200) throw new Error(`the feed answered ${status}: ${body}`)
  return body
}

/** One event for each application: the applications of a bench are not written one by one. */
async function addEvents({ settings, world: { large } }: Subject): Promise<void> {
  await using services = await openForBench(settings)
  const { writer } = services.database
  const detail = '"jobReference":"REF-1","jobAdId":null,"hasUnscanned":false'
  const before = firstNumber(large)
  await sql`insert into events (advertiser_id, number, type, application_id, detail)
    select advertiser_id, ${sql.lit(before)} + id, ${sql.lit(typeCode('application.created'))}, id, ${sql.lit(detail)}
    from applications where advertiser_id = ${large.advertiserId}`.execute(writer)
  await writer
    .updateTable('advertiser_ledger')
    .set({ event_number: before + (large.ids.at(-1) ?? 0) })
    .where('advertiser_id', '=', large.advertiserId)
    .execute()
  if (services.database.dialect === 'postgres') await sql`analyze events`.execute(services.database.migrator)
}

/** A day ago, so that none of them expires; the same in all databases of a run. */
const dayAgo = Date.now() - 86_400_000
const firstNumber = (large: Account) => dayAgo - (large.ids.at(-1) ?? 0)

function randomCursors(large: Account): string[] {
  return Array.from({ length: drawnCursors }, () => {
    const id = large.ids[Math.floor(Math.random() * (large.ids.length - pageSize))] ?? 0
    return writeCursor(large, { number: firstNumber(large) + id, restoredAt: 0 })
  })
}

/** From the moment that an event is numbered, in the middle of its transaction, to the last byte at a follower. */
export async function measureLatency(
  { report, pace, start }: Bench,
  subjects: readonly Subject[],
): Promise<void> {
  const samples = pace.isQuick ? 20 : 400
  for (const subject of subjects) {
    const others = subject.label === 'SQLite' ? [] : [await start(subject.settings)]
    for (const writer of [subject.service, ...others]) {
      const where = writer === subject.service ? 'one node' : 'two nodes'
      const name = `commit to follower, ${where}, ${subject.label}`
      report.say(name)
      const times = (await follow(subject, writer, samples)).toSorted((a, b) => a - b)
      for (const [share, key] of [
        [0.5, 'p50'],
        [0.99, 'p99'],
      ] as const) {
        report.add({
          name: `${name}: ${key}`,
          value: times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN,
          unit: 'ms',
          target: latencyTargets[where][key],
          direction: 'max',
        })
      }
    }
    for (const other of others) await other.stop()
  }
}

async function follow(subject: Subject, writer: ServerProcess, samples: number): Promise<number[]> {
  const board = await openBoard({ settings: subject.settings, service: writer })
  const resume = usualResume()
  const [advertiserId = 0] = board.advertiserIds
  const only: Board = { ...board, advertiserIds: [advertiserId] }
  const credential = await issue(subject, advertiserId)
  const ask = async (search: string) => {
    const { body } = await askOnce(subject.service.port, feedRequest({ credential }, search), {
      keepBody: true,
    })
    return { at: Date.now(), ...JSON.parse(body.toString()) }
  }
  let { cursor } = await ask('')
  const times: number[] = []
  // The first ones warm up.
  for (let sample = -20; sample < samples; sample++) {
    const answer = ask(`?cursor=${cursor}&wait=50`)
    await sleep(10 + Math.random() * 10)
    const { status } = await askOnce(writer.port, submission(only, resume, false).request)
    if (status !== 201) throw new Error(`a submission got ${status}`)
    const { at, events, cursor: next } = await answer
    cursor = next
    if (sample >= 0) times.push(at - Number(events.at(-1).id.split('_').at(-1)))
  }
  return times
}

export async function issue({ settings }: Subject, advertiserId: number): Promise<string> {
  await using services = await openForBench(settings)
  return (await services.credentials.issue(advertiserId, 'bench', null)).value
}
