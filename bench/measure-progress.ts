import { type ReportedState, statusOfState } from '../src/model/application-status.ts'
import { type BareProgress, type BareSource, type Batch, openBareProgress } from './bare-progress.ts'
import type { Bench } from './bench.ts'
import { openForBench } from './bench-services.ts'
import { addAgainstFloor, measure } from './comparison.ts'
import type { Step } from './connection.ts'
import type { Account } from './fill.ts'
import { askInTurn, measureAmount, postRequest } from './load.ts'
import type { Contender } from './rounds.ts'
import { placeOf } from './sharing-world.ts'
import type { Subject } from './subject.ts'

/** The most that a request may have. */
const perRequest = 100

/** What one turn reports. */
interface Slice {
  ids: readonly number[]
  former: ReportedState
  state: ReportedState
  position: number
}

/**
 * The states of as many applications as the large advertiser has, in requests of 100 one after the other, as the SDK sends
 * them, against the engine's own commits of the same rows of another advertiser.
 */
export async function measureProgress({ report, pace }: Bench, subjects: readonly Subject[]): Promise<void> {
  const { rounds } = pace.writing
  const count = subjects[0]?.world.large.ids.length ?? 0
  const floors: BareProgress[] = []
  try {
    const contenders: Contender[] = []
    for (const subject of subjects) {
      const { world } = subject
      const floor = await openFloor(subject)
      floors.push(floor)
      contenders.push(
        committing(subject, slicesOf(world.huge.ids.slice(0, count), rounds), floor),
        reporting(subject, slicesOf(world.large.ids, rounds)),
      )
    }
    const results = await measure(report, contenders, pace.writing)
    for (const [index, { label }] of subjects.entries()) {
      const [floor = [], ours = []] = results.slice(index * 2)
      const name = `${count.toLocaleString('en')} reported states, ${perRequest} in a request, against bare commits, ${label}`
      addAgainstFloor(report, name, ours, floor, undefined, 'states')
    }
  } finally {
    for (const floor of floors) await floor.close()
  }
}

function committing({ label, databasePid }: Subject, slices: Slice[], floor: BareProgress): Contender {
  return {
    name: `bare commits of ${perRequest} reported states, ${label}`,
    load(options) {
      const slice = slices.shift() as Slice
      const write = async () => {
        for (const batch of batchesOf(slice)) await floor.write(batch)
      }
      return measureAmount(slice.ids.length, write, options)
    },
    behindPid: databasePid,
  }
}

function reporting({ label, service, world, databasePid }: Subject, slices: Slice[]): Contender {
  let steps: Step[] = []
  return {
    name: `reported states, ${label}`,
    async prepare() {
      steps = requestsOf(world.large, slices.shift() as Slice)
    },
    load: options => measureAmount(steps.length * perRequest, () => askInTurn(service.port, steps), options),
    serverPid: service.pid,
    behindPid: databasePid,
  }
}

/** One for each round, after one for the turn that does not count, in which some of them were opened. */
function slicesOf(ids: readonly number[], rounds: number): Slice[] {
  const length = Math.floor(ids.length / rounds / perRequest) * perRequest
  const parts = Array.from({ length: rounds }, (_, index) => ids.slice(index * length, (index + 1) * length))
  const opened: Slice = { ids: parts[0] ?? [], former: 'received', state: 'viewed', position: 1 }
  const moved = parts.map(
    (part, index): Slice => ({
      ids: part,
      former: index === 0 ? 'viewed' : 'received',
      state: 'inReview',
      position: index === 0 ? 2 : 1,
    }),
  )
  return [opened, ...moved]
}

function batchesOf({ ids, former, state, position }: Slice): Batch[] {
  const statuses = { former: statusOfState(former), status: statusOfState(state), position }
  return partsOf(ids).map(part => ({ ids: part, ...statuses }))
}

const partsOf = (ids: readonly number[]) =>
  Array.from({ length: ids.length / perRequest }, (_, index) =>
    ids.slice(index * perRequest, (index + 1) * perRequest),
  )

function requestsOf({ credential }: Account, { ids, state }: Pick<Slice, 'ids' | 'state'>): Step[] {
  const at = new Date().toISOString()
  return partsOf(ids).map(part => {
    const entries = part.map(applicationId => ({ applicationId, state, at, label: 'Phone screen' }))
    const request = postRequest('/v1/advertiser/progress', JSON.stringify({ entries }), {
      Authorization: `SWS ${credential}`,
      'Content-Type': 'application/json',
    })
    // Every entry must be applied.
    const results = part.map(applicationId => ({ applicationId, result: 'applied' }))
    const { length } = JSON.stringify({ results })
    return { request, status: 200, minBytes: length, maxBytes: length }
  })
}

/** One real request is the model of the bare ones. */
async function openFloor({ settings, world, service }: Subject): Promise<BareProgress> {
  const { middle, huge } = world
  const ids = middle.ids.slice(0, perRequest)
  await askInTurn(service.port, requestsOf(middle, { ids, state: 'viewed' }))
  await using services = await openForBench(settings)
  const { reader } = services.database
  const one = { advertiser: middle.advertiserId, application: ids[0] ?? 0 }
  const newest = async (scope: number) =>
    (await reader.selectFrom('audit_heads').select('number').where('scope', '=', scope).executeTakeFirst())
      ?.number ?? 0
  const { event_number } = await reader
    .selectFrom('advertiser_ledger')
    .select('event_number')
    .where('advertiser_id', '=', huge.advertiserId)
    .executeTakeFirstOrThrow()
  const rows = {
    application_history: await reader
      .selectFrom('application_history')
      .selectAll()
      .where('advertiser_id', '=', one.advertiser)
      .where('application_id', '=', one.application)
      .executeTakeFirstOrThrow(),
    events: await reader
      .selectFrom('events')
      .selectAll()
      .where('advertiser_id', '=', one.advertiser)
      .where('application_id', '=', one.application)
      .executeTakeFirstOrThrow(),
    audit_entries: await reader
      .selectFrom('audit_entries')
      .selectAll()
      .where('scope', '=', one.advertiser)
      .where('target', '=', `applications:${one.advertiser}`)
      .where('action', '=', 'applications.progress')
      .executeTakeFirstOrThrow(),
  }
  const numbers = { event: Math.max(event_number, Date.now()), audit: await newest(huge.advertiserId) }
  const source: BareSource = { advertiserId: huge.advertiserId, rows: { ...rows }, numbers }
  return openBareProgress(placeOf(settings), source)
}
