import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createApplicationStore } from '../../src/collect/application-store.ts'
import { createProgressStore } from '../../src/collect/progress/progress-store.ts'
import type { ApplicationFilter, Position } from '../../src/collect/search/filter.ts'
import type { FoundPage } from '../../src/collect/search/results.ts'
import { createApplicationSearchStore } from '../../src/collect/search/search-store.ts'
import { createApplicationSearch } from '../../src/collect/search/service.ts'
import { createQuestionnaireStore } from '../../src/jobs/posting-store.ts'
import { type ChosenStatus, chosenStatuses } from '../../src/model/application-status.ts'
import { searchForm } from '../../src/platform/core/search-form.ts'
import { plainDraft } from '../harness/applications.ts'
import { type MovableClock, movableClock } from '../harness/clock.ts'
import { examples } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { withStoresInTurn } from '../harness/one-engine.ts'
import type { Services } from '../harness/services.ts'

/** An application as the model sees it. */
interface Kept {
  id: number
  submittedAt: number
  words: string[]
  jobAdId: number | undefined
  isPassed: boolean | undefined
  hasVirus: boolean
  status: ChosenStatus
  isErased: boolean
}

const names = fc.constantFrom('Mary', 'mary ann', 'Zoë', 'Zo', 'Måns', '美咲', 'Nguyen', 'O’Brien', '%_')
const arrivals = fc.array(
  fc.record({
    isOthers: fc.boolean(),
    first: names,
    last: names,
    reference: fc.option(fc.constantFrom('HCR-7', 'hcr-71', 'Mary'), { nil: undefined }),
    jobAdId: fc.option(fc.constantFrom(1, 2), { nil: undefined }),
    isPassed: fc.option(fc.boolean(), { nil: undefined }),
    hasVirus: fc.boolean(),
    afterSeconds: fc.constantFrom(0, 1, 3600),
    status: fc.constantFrom(...chosenStatuses, 'new' as const),
    isErased: fc.constantFrom(false, false, false, true),
  }),
  { maxLength: 30, size: 'max' },
)
type Arrivals = typeof arrivals extends fc.Arbitrary<infer T> ? T : never

const questions = fc.record({
  typed: fc.option(
    fc.constantFrom('m', 'MARY', 'mary a', 'zoe', 'zo', 'nguyen mary', 'hcr-7', '%', '美', 'x'),
  ),
  jobAdId: fc.option(fc.constantFrom(1, 2)),
  isQuestionnairePassed: fc.option(fc.boolean()),
  hasVirus: fc.boolean(),
  status: fc.option(fc.constantFrom('new', 'seen')),
  isUnanswered: fc.boolean(),
  unreadFirst: fc.boolean(),
  from: fc.option(fc.nat({ max: 29 })),
  until: fc.option(fc.nat({ max: 29 })),
  named: fc.option(fc.nat({ max: 29 })),
  size: fc.integer({ min: 1, max: 5 }),
  counted: fc.constantFrom(1, 5, 100),
  // So low that each of the ways is taken by some searches, and left half-way by others.
  searchedTerms: fc.constantFrom(0, 3, 100),
  searchWindow: fc.constantFrom(0, 10, 100),
})
type Question = typeof questions extends fc.Arbitrary<infer T> ? T : never

const screen = (successful: boolean) => ({ id: '1', name: 'S', successful, questions: [] })

async function receive(services: Services, clock: MovableClock, sequence: Arrivals) {
  const own = await services.advertisers.add('Own')
  const other = await services.advertisers.add('Other')
  const kept: Kept[] = []
  for (const arrival of sequence) {
    clock.set(clock() + arrival.afterSeconds * 1000)
    const { first, last, reference, jobAdId, isPassed, hasVirus } = arrival
    const email = `${kept.length}.${first.replaceAll(' ', '')}@example.com`
    const draft = plainDraft({
      contact: { firstName: first, lastName: last, email, phone: '' },
      ...(reference === undefined ? {} : { jobReference: reference }),
      ...(jobAdId === undefined ? {} : { jobAdId }),
      ...(isPassed === undefined ? {} : { screen: screen(isPassed) }),
      files: hasVirus ? [infected] : [],
    })
    const receipt = await services.submissions.add(arrival.isOthers ? other.id : own.id, draft)
    if (arrival.isOthers) continue
    const { status } = arrival
    const change = {
      applications: [{ id: receipt.id, shown: 'new' as const }],
      to: status,
      tells: false,
      maxHistory: 1000,
      toldAtOnce: 50,
    }
    await createProgressStore(services.database).setStatus(own.id, { ...change, by: 'rae', at: clock() })
    if (arrival.isErased) {
      await services.erasure.erase(own.id, receipt.id)
      // The reference is the company's own and stays.
      const words = [searchForm(reference ?? '')]
      const rest = { words, isPassed: undefined, hasVirus: false, isErased: true }
      kept.push({ ...receipt, ...rest, jobAdId, status })
      continue
    }
    const words = [`${first} ${last}`, `${last} ${first}`, email, reference ?? ''].map(searchForm)
    kept.push({ ...receipt, words, jobAdId, isPassed, hasVirus, status, isErased: false })
  }
  return { advertiserId: own.id, kept }
}

const infected = {
  type: 'resume',
  fileName: 'r.pdf',
  contentType: 'application/pdf',
  blob: null,
  sha256: '0'.repeat(64),
  size: 0,
  scan: 'infected',
  uploadedAt: 0,
} as const

/** The query, and a plain predicate that says the same. */
function ask(question: Question, kept: readonly Kept[]) {
  const { typed, jobAdId, isQuestionnairePassed, hasVirus, isUnanswered, status } = question
  const dateOf = (index: number | null) => (index === null ? undefined : kept[index]?.submittedAt)
  const [from, until] = [dateOf(question.from), dateOf(question.until)]
  const prefix = searchForm(typed ?? '')
  const applicationId = question.named === null ? undefined : kept[question.named]?.id
  const filter: ApplicationFilter = {
    prefix,
    hasVirus,
    ...(applicationId === undefined ? {} : { applicationId }),
    ...(jobAdId === null ? {} : { jobAdId }),
    ...(isQuestionnairePassed === null ? {} : { isQuestionnairePassed }),
    ...(status === null ? {} : { statuses: [status] }),
    ...(isUnanswered ? { isUnanswered } : {}),
    ...(from === undefined ? {} : { from }),
    ...(until === undefined ? {} : { until }),
  }
  const matches = (each: Kept) =>
    (prefix === '' || each.id === applicationId || each.words.some(word => word.startsWith(prefix))) &&
    (jobAdId === null || each.jobAdId === jobAdId) &&
    (isQuestionnairePassed === null || each.isPassed === isQuestionnairePassed) &&
    (!hasVirus || each.hasVirus) &&
    (status === null || each.status === status) &&
    (!isUnanswered || (!each.isErased && (each.status === 'new' || each.status === 'seen'))) &&
    (from === undefined || each.submittedAt >= from) &&
    (until === undefined || each.submittedAt < until)
  return {
    filter,
    expected: kept
      .filter(matches)
      .map(({ id }) => id)
      .reverse(),
  }
}

const clock = movableClock()

withStoresInTurn('searching and a plain array', { clock }, (services, _settings, engine) => {
  test('return the same, whole, by pages to the oldest, and back to the newest', async () => {
    const { database } = services()
    await fc.assert(
      fc.asyncProperty(
        arrivals,
        fc.array(questions, { minLength: 8, maxLength: 8 }),
        async (sequence, asked) => {
          const { advertiserId, kept } = await receive(services(), clock, sequence)
          for (const question of asked) {
            const { size, counted, searchedTerms, searchWindow } = question
            const applicationSearch = createApplicationSearch({
              search: createApplicationSearchStore(database),
              store: createApplicationStore(database),
              questionnaires: createQuestionnaireStore(database),
              progress: createProgressStore(database),
              limits: {
                consoleApplicationsShown: size,
                consoleApplicationsCounted: counted,
                exportChunk: size * 2,
              },
              effort: { searchedTerms, searchWindow },
            })
            const { filter, expected } = ask(question, kept)
            const context = JSON.stringify({ filter, question })

            const whole: number[] = []
            let timesAsked = 0
            const chunks = await applicationSearch.all(advertiserId, filter, async () => {
              timesAsked++
            })
            for await (const chunk of chunks) whole.push(...idsOf(chunk))
            assert.deepEqual(whole, expected, context)
            assert.equal(timesAsked, expected.length < size ? 0 : 1, context)

            for (const { id } of kept.slice(0, 3)) {
              const beside = {
                newerId: expected.findLast(other => other > id),
                olderId: expected.find(other => other < id),
              }
              const { place, ...found } = await applicationSearch.neighbours(advertiserId, id, filter)
              assert.deepEqual(found, beside, context)
              if (place !== undefined) assert.equal(expected[place.number - 1], id, context)
              if (counted === 100)
                assert.equal(place?.total.count, expected.includes(id) ? expected.length : undefined)
            }

            const read = (position: Position) => applicationSearch.page(advertiserId, filter, position)
            const pages: FoundPage[] = [await read(undefined)]
            while (pages.at(-1)?.older !== undefined) pages.push(await read(pages.at(-1)?.older))
            assert.deepEqual(
              pages.flatMap(page => idsOf(page.applications)),
              expected,
              context,
            )
            assert.equal(pages.length, Math.max(1, Math.ceil(expected.length / size)), context)
            for (const { total } of pages) {
              if (!total.isMore) assert.equal(total.count, expected.length, context)
              else assert.ok(expected.length > total.count && counted < 100, context)
            }

            if (question.unreadFirst) {
              const unread: FoundPage[] = []
              do {
                const position = unread.at(-1)?.older
                unread.push(
                  await applicationSearch.page(advertiserId, { ...filter, unreadFirst: true }, position),
                )
              } while (unread.at(-1)?.older !== undefined)
              const isNew = (id: number) => kept.some(each => each.id === id && each.status === 'new')
              assert.deepEqual(
                unread.flatMap(page => idsOf(page.applications)),
                expected.toSorted((a, b) => Number(isNew(b)) - Number(isNew(a))),
                context,
              )
              assert.equal(unread.length, pages.length, context)
            }

            let last = pages.at(-1) as FoundPage
            for (const before of pages.slice(0, -1).reverse()) {
              last = await read(last.newer)
              assert.deepEqual(idsOf(last.applications), idsOf(before.applications), context)
            }
            assert.equal(last.newer, undefined, context)
          }
        },
      ),
      { numRuns: examples(engine, times(5, 15)) },
    )
  })
})

function idsOf(applications: readonly { id: number }[]): number[] {
  return applications.map(({ id }) => id)
}
