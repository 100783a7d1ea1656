import assert from 'node:assert/strict'
import { text as textOf } from 'node:stream/consumers'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Receipt } from '../../src/apply/add-application-store.ts'
import { nextPageSearch, readListQuery } from '../../src/collect/list-query.ts'
import type { Applications } from '../../src/collect/service.ts'
import { applicationsInSmallChunks, plainDraft } from '../harness/applications.ts'
import { type MovableClock, movableClock } from '../harness/clock.ts'
import { msDate } from '../harness/contract-model.ts'
import { examples } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { withStoresInTurn } from '../harness/one-engine.ts'
import type { Services } from '../harness/services.ts'
import { parseXml } from '../harness/xml.ts'

/** The list of one advertiser, kept as a plain array beside the database. */
interface Kept extends Receipt {
  advertiserId: number
  hasInfo: boolean
}

/**
 * Candidates, advertisers and times: mostly on a second, where the date filters have their border, or just beside it.
 */
const arrivals = fc.array(
  fc.record({
    to: fc.nat({ max: 2 }),
    afterSeconds: fc.constantFrom(0, 0, 1, 2, 3600, -5),
    ms: fc.constantFrom(0, 0, 0, 1, 999),
    hasInfo: fc.boolean(),
  }),
  { maxLength: 25, size: 'max' },
)

/** A filter takes its value from any application, moved a little; which one is decided below. */
const bound = fc.option(fc.record({ near: fc.nat({ max: 30 }), by: fc.integer({ min: -1, max: 1 }) }))
const filters = fc.record({
  of: fc.nat({ max: 2 }),
  afterid: bound,
  beforeid: bound,
  afterdate: bound,
  beforedate: bound,
  include: fc.boolean(),
  limit: fc.integer({ min: 1, max: 12 }),
})
type Filters = typeof filters extends fc.Arbitrary<infer T> ? T : never

async function receive(
  services: Services,
  clock: MovableClock,
  advertisers: number[],
  sequence: typeof arrivals extends fc.Arbitrary<infer T> ? T : never,
): Promise<Kept[]> {
  const kept: Kept[] = []
  for (const { to, afterSeconds, ms, hasInfo } of sequence) {
    clock.set((Math.floor(clock() / 1000) + afterSeconds) * 1000 + ms)
    const advertiserId = advertisers[to] as number
    const draft = plainDraft(hasInfo ? { primaryJobSeekingInfo: { isNewToWorkForce: true } } : {})
    const receipt = await services.submissions.add(advertiserId, draft)
    const last = kept.findLast(application => application.advertiserId === advertiserId)
    assert.equal(receipt.submittedAt, Math.max(clock(), last?.submittedAt ?? 0), 'dates never decrease')
    assert.ok(receipt.id > (last?.id ?? 0), 'IDs ascend')
    kept.push({ ...receipt, advertiserId, hasInfo })
  }
  return kept
}

/** The query string, and a plain predicate for the same question. */
function ask(asked: Filters, kept: readonly Kept[]) {
  const search = new URLSearchParams()
  const tests: ((application: Kept) => boolean)[] = []
  const near = (index: number) => kept[index % Math.max(1, kept.length)]
  const second = (at: number, by: number) => (Math.floor(at / 1000) + by) * 1000
  const idOf = ({ near: index, by }: { near: number; by: number }) => Math.max(0, (near(index)?.id ?? 5) + by)
  const dateOf = ({ near: index, by }: { near: number; by: number }) =>
    second(near(index)?.submittedAt ?? 0, by)
  const text = (at: number) => new Date(at + 36_000_000).toISOString().slice(0, 19)
  const { afterid, beforeid, afterdate, beforedate } = asked
  if (afterid !== null) {
    search.set('afterid', String(idOf(afterid)))
    tests.push(application => application.id > idOf(afterid))
  }
  if (beforeid !== null) {
    search.set('beforeid', String(idOf(beforeid)))
    tests.push(application => application.id < idOf(beforeid))
  }
  if (afterdate !== null) {
    search.set('afterdate', text(dateOf(afterdate)))
    tests.push(application => application.submittedAt > dateOf(afterdate))
  }
  if (beforedate !== null) {
    search.set('beforedate', text(dateOf(beforedate)))
    tests.push(application => application.submittedAt < dateOf(beforedate))
  }
  if (asked.include) search.set('include', 'primaryjobseekinginfo')
  return {
    search: search.toString(),
    matches: (application: Kept) => tests.every(holds => holds(application)),
  }
}

/** What the list must show of each application, in JSON and in XML. */
function factsOf(applications: readonly Kept[], include: boolean): string[] {
  return applications.map(
    ({ id, submittedAt, hasInfo }) => `${id} ${msDate(submittedAt)} ${hasInfo && include}`,
  )
}

function jsonFacts(text: string): string[] {
  const list: { ID: number; DateSubmitted: string; PrimaryJobSeekingInfo?: unknown }[] =
    JSON.parse(text).JobApplications.JobApplicationsList
  return list.map(each => `${each.ID} ${each.DateSubmitted} ${each.PrimaryJobSeekingInfo !== undefined}`)
}

function xmlFacts(text: string): string[] {
  const list = parseXml(text).children.find(child => child.name === 'JobApplicationsList')
  return (list?.children ?? []).map(({ children }) => {
    const of = (name: string) => children.find(child => child.name === name)
    return `${of('ID')?.text} ${msDate(Date.parse(of('DateSubmitted')?.text ?? ''))} ${of('PrimaryJobSeekingInfo') !== undefined}`
  })
}

async function readByPages(applications: Applications, advertiserId: number, search: string, limit: number) {
  const pages: string[][] = []
  for (let next: string | undefined = `${search}&limit=${limit}`; next !== undefined; ) {
    const query = readListQuery(next, 1000)
    const page = await applications.listPage({ advertiserId, agentId: null }, 'json', query, limit)
    pages.push(jsonFacts(page.content.toString()))
    next = page.continueAfter === undefined ? undefined : nextPageSearch(next, page.continueAfter)
  }
  return pages
}

const clock = movableClock()

withStoresInTurn('a list and a plain array', { clock }, (services, _settings, engine) => {
  test('agree under any filters, whole and by pages', async () => {
    const applications = applicationsInSmallChunks(services(), 3)
    await fc.assert(
      fc.asyncProperty(
        arrivals,
        fc.array(filters, { minLength: 6, maxLength: 6 }),
        async (sequence, questions) => {
          const advertisers: number[] = []
          for (const name of ['A', 'B', 'C']) advertisers.push((await services().advertisers.add(name)).id)
          const kept = await receive(services(), clock, advertisers, sequence)
          for (const question of questions) {
            const advertiserId = advertisers[question.of] as number
            const { search, matches } = ask(question, kept)
            const own = kept.filter(each => each.advertiserId === advertiserId && matches(each))
            const facts = factsOf(own, question.include)
            const query = readListQuery(search, 1000)
            const whole = async (format: 'json' | 'xml') =>
              textOf(await applications.listAll({ advertiserId, agentId: null }, format, query))
            assert.deepEqual(jsonFacts(await whole('json')), facts, search)
            assert.deepEqual(xmlFacts(await whole('xml')), facts, search)
            const pages = await readByPages(applications, advertiserId, search, question.limit)
            assert.deepEqual(pages.flat(), facts, search)
            // Every page but the last is full, and only an empty list has an empty page.
            const sizes = pages.map(page => page.length)
            assert.ok(sizes.slice(0, -1).every(size => size === question.limit))
            assert.equal(sizes.length, Math.max(1, Math.ceil(facts.length / question.limit)))
          }
        },
      ),
      { numRuns: examples(engine, times(15, 60)) },
    )
  })
})
