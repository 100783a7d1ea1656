import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfWait } from './routes.ts'

const tickMs = 250
const draws = Array.from({ length: 101 }, (_, index) => index / 101)

test('a wait ends in the last sixteenth of its time', () => {
  for (const waitMs of [1_000, 3_000, 4_000, 25_000, 50_000])
    for (const now of [0, 17, 249.5, 12_345.678])
      for (const random of draws) {
        const end = endOfWait(now, waitMs, random, tickMs)
        assert.ok(
          end <= now + waitMs && end >= now + (waitMs * 15) / 16,
          `${now} ${waitMs} ${random}: ${end}`,
        )
      }
})

test('long waits end on the beat, spread over all beats of their last sixteenth', () => {
  const ends = new Set<number>()
  for (const now of [100, 10_080.25])
    for (const random of draws) {
      const end = endOfWait(now, 50_000, random, tickMs)
      assert.equal(end % tickMs, 0)
      ends.add(end - Math.floor(now / tickMs) * tickMs)
    }
  assert.ok(ends.size >= 12, `${ends.size}`)
})
