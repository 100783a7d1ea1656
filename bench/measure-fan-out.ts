import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { typeCode } from '../src/model/events.ts'
import type { Services } from '../test/harness/services.ts'
import type { Bench } from './bench.ts'
import { openForBench } from './bench-services.ts'
import { askOnce, getRequest } from './load.ts'
import { cpuSeconds } from './process-figures.ts'
import { median } from './rounds.ts'
import type { ServerProcess } from './service.ts'
import type { Subject } from './subject.ts'

const targets = { SQLite: 0.25, PostgreSQL: 0.2 }
const endpoints = 32

interface Turn {
  perSecond: number
  perCpuSecond: number
}

/** Webhooks of a backlog to 32 endpoints, against bare posts to the same receiver. On a database of its own. */
export async function measureFanOut(
  bench: Bench,
  { label, databasePid }: Pick<Subject, 'label' | 'databasePid'>,
  databaseUrl: string | undefined,
): Promise<void> {
  const { report, pace, folder } = bench
  const receiver = await bench.startScript('hook-receiver')
  const poster = await bench.startScript('bare-poster', [String(receiver.port), String(endpoints)])
  const settings = {
    DATA_DIR: join(folder, `fan-out-${label}`),
    WEBHOOK_ALLOW: '127.0.0.0/8',
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  }
  await using services = await openForBench(settings)
  const advertiserIds = await addEndpoints(services, receiver)
  const service = await bench.start(settings)
  report.say(`a backlog for ${endpoints} endpoints, ${label}`)
  const count = pace.isQuick ? 20 : 100
  const pids = [service.pid, ...(databasePid === undefined ? [] : [databasePid])]
  const ours: Turn[] = []
  const bare: Turn[] = []
  for (let round = -1; round < (pace.isQuick ? 1 : 3); round++) {
    const sent = await turn(pids, count, async () => {
      const before = await accepted(receiver)
      for (const advertiserId of advertiserIds) await addBacklog(services, advertiserId, count)
      while ((await accepted(receiver)) < before + endpoints * count) await sleep(20)
    })
    const posted = await turn([poster.pid], count, () => askOnce(poster.port, getRequest(`/${count}`)))
    // The first ones warm up.
    if (round < 0) continue
    ours.push(sent)
    bare.push(posted)
  }
  const name = `webhooks to ${endpoints} endpoints against bare posts, ${label}`
  const add = (
    figure: keyof Turn,
    unit: string,
    more: { name: string; target?: number; isAgainstPeer?: boolean },
  ) =>
    report.add({
      value: median(ours.map(each => each[figure])),
      unit: `webhooks/${unit}`,
      floor: median(bare.map(each => each[figure])),
      ratio: median(ours.map((each, index) => each[figure] / (bare[index]?.[figure] ?? Number.NaN))),
      direction: 'min',
      ...more,
    })
  add('perCpuSecond', 'CPU s', { name: `${name}: by CPU time`, target: targets[label], isAgainstPeer: true })
  add('perSecond', 's', { name })
  await service.stop()
}

async function turn(pids: readonly number[], count: number, work: () => Promise<unknown>): Promise<Turn> {
  const used = () => pids.reduce((sum, pid) => sum + (cpuSeconds(pid) ?? Number.NaN), 0)
  const before = used()
  const startedAt = performance.now()
  await work()
  const seconds = (performance.now() - startedAt) / 1000
  return {
    perSecond: (endpoints * count) / seconds,
    perCpuSecond: (endpoints * count) / (used() - before),
  }
}

async function accepted({ port }: ServerProcess): Promise<number> {
  const { body } = await askOnce(port, getRequest('/count'), { keepBody: true })
  return Number(body.toString())
}

/** One for each advertiser: the events of one go one after the other. */
async function addEndpoints(services: Services, { port }: ServerProcess): Promise<number[]> {
  await services.schema.migrate()
  const advertiserIds: number[] = []
  for (let index = 0; index < endpoints; index++) {
    const { id: advertiserId } = await services.advertisers.add(`Receiver ${index}`)
    const url = `http://127.0.0.1:${port}/hooks/${index}`
    const fields = { url, types: ['application.created'], description: '', scheme: 'v1' as const }
    const { endpoint } = await services.webhooks.add({ advertiserId }, fields)
    const { result } = await services.webhooks.test({ advertiserId }, endpoint.id)
    if (result.outcome !== 'accepted') throw new Error(`a test was not accepted: ${result.outcome}`)
    advertiserIds.push(advertiserId)
  }
  return advertiserIds
}

/** Events of now: older ones are sent slowly on purpose. */
async function addBacklog(
  { database: { writer } }: Services,
  advertiserId: number,
  count: number,
): Promise<void> {
  await writer.transaction().execute(async trx => {
    const { event_number: last } = await trx
      .selectFrom('advertiser_ledger')
      .select('event_number')
      .where('advertiser_id', '=', advertiserId)
      .executeTakeFirstOrThrow()
    const first = Math.max(last, Date.now()) + 1
    const rows = Array.from({ length: count }, (_, index) => ({
      advertiser_id: advertiserId,
      number: first + index,
      type: typeCode('application.created'),
      application_id: index + 1,
      detail: '"jobReference":"HCR-7","jobAdId":32,"hasUnscanned":true',
    }))
    await trx.insertInto('events').values(rows).execute()
    await trx
      .updateTable('advertiser_ledger')
      .set({ event_number: first + count - 1 })
      .where('advertiser_id', '=', advertiserId)
      .execute()
  })
}
