import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type ApplicationStatus, chosenStatuses } from '../../model/application-status.ts'
import { applyEntries, type ReportedEntry } from './entry-rules.ts'

const submittedAt = 1000
const inOrder = [
  'new',
  'seen',
  'in-review',
  'shortlisted',
  'interview',
  'offer',
  'hired',
  'not-suitable',
] as const
const entry = (to: ReportedEntry['to'], at: number, applicationId = 1): ReportedEntry => ({
  applicationId,
  to,
  at,
  label: null,
  reason: null,
  tells: true,
})

/** An application whose history is kept between reports, as the store keeps it. */
function newApplication(status: ApplicationStatus = 'new') {
  const application = { id: 1, status, submittedAt }
  let times = new Map<number, number>()
  return {
    application,
    report(entries: readonly ReportedEntry[], full: ReadonlySet<number> = new Set()) {
      const { outcomes, steps } = applyEntries(entries, { applications: [application], times, full })
      for (const { to, at } of steps) {
        times = new Map([[1, at]])
        application.status = to
      }
      return outcomes
    },
  }
}

describe('entries of a report', () => {
  test('the later time wins, in one request as in several', () => {
    const { application, report } = newApplication()
    assert.deepEqual(report([entry('interview', 3000), entry('seen', 2000), entry('offer', 4000)]), [
      'applied',
      'superseded',
      'applied',
    ])
    assert.deepEqual(report([entry('hired', 3999), entry('hired', 4001)]), ['superseded', 'applied'])
    assert.equal(application.status, 'hired')
  })

  test('with equal times the later state wins, whichever arrives first', () => {
    const entries = inOrder.map(status => entry(status, 2000))
    const { application, report } = newApplication()
    assert.deepEqual(new Set(report(entries)), new Set(['applied']))
    assert.deepEqual(new Set(report(entries.slice(0, -1).toReversed())), new Set(['superseded']))
    assert.deepEqual(report(entries.slice(-1)), ['unchanged'])
    assert.equal(application.status, 'not-suitable')
    const other = newApplication()
    const [last, ...others] = other.report(entries.toReversed())
    assert.deepEqual([last, new Set(others)], ['applied', new Set(['superseded'])])
    assert.equal(other.application.status, 'not-suitable')
  })

  test('the same state with a later time counts, so that a late entry in between is superseded', () => {
    const { application, report } = newApplication()
    assert.deepEqual(report([entry('interview', 2000), entry('interview', 4000), entry('offer', 3000)]), [
      'applied',
      'applied',
      'superseded',
    ])
    assert.equal(application.status, 'interview')
  })

  test('a time before the application is that of the application', () => {
    const { report } = newApplication()
    assert.deepEqual(report([entry('new', 1)]), ['unchanged'])
    assert.deepEqual(report([entry('seen', 1), entry('interview', 2), entry('seen', 3)]), [
      'applied',
      'applied',
      'superseded',
    ])
  })

  test('a withdrawn application stays withdrawn, an unknown one is not found, a full history takes no more', () => {
    const { report } = newApplication('withdrawn')
    assert.deepEqual(report([entry('hired', 9000), entry('hired', 9000, 2)]), ['superseded', 'not-found'])
    const full = newApplication()
    assert.deepEqual(full.report([entry('hired', 9000), entry('new', 0)], new Set([1])), [
      'full',
      'unchanged',
    ])
    assert.equal(full.application.status, 'new')
  })

  test('in any order, in any batches and with repetitions, the state is what the times demand', () => {
    const sent = fc.record({
      to: fc.constantFrom(...chosenStatuses),
      at: fc.integer({ min: 997, max: 1004 }),
    })
    fc.assert(
      fc.property(
        fc.array(sent, { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 24 }),
        fc.integer({ min: 1, max: 5 }),
        (once, repeated, batch) => {
          const arrivals = [...once, ...repeated.map(index => once[index % once.length] as (typeof once)[0])]
          const { application, report } = newApplication()
          for (let start = 0; start < arrivals.length; start += batch)
            report(arrivals.slice(start, start + batch).map(({ to, at }) => entry(to, at)))
          assert.equal(application.status, demanded(once))
        },
      ),
    )
  })
})

/** The state of the latest time; of several with that time the one that stands last in the contract. */
function demanded(entries: readonly { to: ApplicationStatus; at: number }[]): ApplicationStatus {
  const timed = [
    { to: 'new' as ApplicationStatus, at: submittedAt },
    ...entries.map(({ to, at }) => ({ to, at: Math.max(at, submittedAt) })),
  ]
  const latest = Math.max(...timed.map(({ at }) => at))
  const states = new Set(timed.filter(({ at }) => at === latest).map(({ to }) => to))
  return inOrder.findLast(status => states.has(status)) as ApplicationStatus
}
