import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ListedApplication } from '../../apply/form/own-application.ts'
import { type MergedPosition, positionText, readPosition } from './merged-lists.ts'
import type { StartedApplication } from './sharing-history.ts'
import { createTimeline } from './timeline-service.ts'

const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

function sent(submittedAt: number, applicationId: number): ListedApplication {
  const ad = { advertiserId: 1, jobAdId: 2, jobTitle: '', jobLocation: '', advertiserName: '' }
  return {
    ...ad,
    applicationId,
    submittedAt,
    status: 'new',
    erasedAt: null,
    firstReadAt: null,
    logoHash: null,
    files: [],
    hasAnswers: false,
    hasWork: false,
  }
}

function begun(createdAt: number, number: number): StartedApplication {
  const names = { clientName: '', advertiserName: '', logoHash: null, positionTitle: null }
  return { ...names, id: uuid(number), createdAt, completedAt: null, state: null }
}

/** Entries at the same moments on both sides, and some on one side only. */
const here = [sent(50, 9), sent(50, 8), sent(30, 7), sent(30, 5), sent(10, 1)]
const elsewhere = [begun(60, 1), begun(50, 3), begun(50, 2), begun(30, 9), begun(20, 4), begun(20, 3)]

function timelineOf(applicationsShown: number) {
  return createTimeline({
    sent: {
      list: async (_, before, limit) =>
        here
          .filter(
            each =>
              before === undefined ||
              each.submittedAt < before.submittedAt ||
              (each.submittedAt === before.submittedAt && each.applicationId < before.applicationId),
          )
          .slice(0, limit),
    },
    begun: {
      applications: async (_, limit, before) =>
        elsewhere
          .filter(
            each =>
              before === undefined ||
              each.createdAt < before.at ||
              (each.createdAt === before.at && each.id < before.id),
          )
          .slice(0, limit),
    },
    size: applicationsShown,
  })
}

test('pages of any length show each application once, newest first', async () => {
  const [whole] = [(await timelineOf(20).page('mary', undefined)).entries.map(positionText)]
  assert.equal(whole.length, here.length + elsewhere.length)
  for (let length = 1; length < 12; length++) {
    const seen: string[] = []
    let before: MergedPosition | undefined
    for (;;) {
      const { entries, hasMore } = await timelineOf(length).page('mary', before)
      seen.push(...entries.map(positionText))
      if (!hasMore) break
      // As the next page receives it: in its URL.
      before = readPosition(seen.at(-1))
      assert.ok(before)
    }
    assert.deepEqual(seen, whole, `${length} a page`)
  }
})

test('an invalid position means the first page', () => {
  assert.deepEqual(readPosition('50.9'), { at: 50, id: '9', kind: 'here' })
  assert.deepEqual(readPosition(`50.${uuid(3)}`), { at: 50, id: uuid(3), kind: 'elsewhere' })
  for (const wrong of [undefined, '', 'x', '50', '50.0', '50.x', `.${uuid(3)}`, `50.${'9'.repeat(20)}`]) {
    assert.equal(readPosition(wrong), undefined, wrong)
  }
})
