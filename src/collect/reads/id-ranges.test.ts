import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { coverIds, type IdRange } from './service.ts'

test('ranges cover exactly what was added, in order and apart from each other', () => {
  const added = fc.record({ firstId: fc.nat(60), length: fc.nat(12) })
  fc.assert(
    fc.property(fc.array(added, { maxLength: 20 }), all => {
      const ranges: IdRange[] = []
      const covered = new Set<number>()
      for (const [at, { firstId, length }] of all.entries()) {
        const lastId = firstId + length
        const ids = Array.from({ length: length + 1 }, (_, index) => firstId + index)
        const isNew = ids.some(id => !covered.has(id))
        const grown = coverIds(ranges, { firstId, lastId }, at)
        assert.equal(grown !== undefined, isNew)
        if (grown !== undefined) assert.ok(grown.firstId <= firstId && grown.lastId >= lastId)
        for (const id of ids) covered.add(id)
        const listed = ranges.flatMap(range =>
          Array.from({ length: range.lastId - range.firstId + 1 }, (_, index) => range.firstId + index),
        )
        assert.deepEqual(
          listed,
          [...covered].sort((a, b) => a - b),
        )
        for (const [index, range] of ranges.entries())
          assert.ok(index === 0 || range.firstId > (ranges[index - 1]?.lastId ?? 0) + 1)
      }
    }),
  )
})
