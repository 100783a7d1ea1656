import assert from 'node:assert/strict'
import { test } from 'node:test'
import { barChart, scaleOf } from './chart.ts'

const words = { title: 'Calls', summary: 'Bars', whenEmpty: 'Nothing' }

test('the scale ends at the smallest round number that no bar exceeds and that has an integer half', () => {
  for (const [max, top] of [
    [1, 2],
    [2, 2],
    [3, 4],
    [5, 6],
    [7, 8],
    [9, 10],
    [11, 20],
    [61, 80],
    [1200, 2000],
    [1_000_001, 2_000_000],
  ] as const) {
    assert.equal(scaleOf(max), top, String(max))
    assert.ok(Number.isInteger(scaleOf(max) / 2))
  }
})

test('bar heights are proportional to their values', () => {
  const { text } = barChart({
    ...words,
    bars: [
      { label: 'a', value: 1 },
      { label: 'b', value: 0 },
      { label: 'c', value: 4 },
    ],
  })
  const heights = [...text.matchAll(/class="chart-bar" [^>]* height="([^"]+)"/g)].map(([, height]) => height)
  assert.deepEqual(heights, ['25', '0', '100'])
})

test('an empty chart is a sentence without a drawing', () => {
  for (const bars of [[], [{ label: 'a', value: 0 }]]) {
    const { text } = barChart({ ...words, bars })
    assert.match(text, /Nothing/)
    assert.doesNotMatch(text, /<svg|NaN/)
  }
})

test('labels are escaped', () => {
  const hostile = '"><script>alert(1)</script>'
  const { text } = barChart({
    title: hostile,
    summary: hostile,
    whenEmpty: hostile,
    bars: [{ label: hostile, value: 1 }],
  })
  assert.doesNotMatch(text, /<script/)
  assert.doesNotMatch(text, / style=/)
  assert.equal(text.match(/&quot;&gt;&lt;script&gt;/g)?.length, 4)
})
