import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Slots } from './slots.ts'

test('a key never has more slots than it may, and gets each back once', () => {
  const steps = fc.array(
    fc.record({ key: fc.constantFrom('a', 'b'), giveBack: fc.boolean(), which: fc.nat({ max: 5 }) }),
    { maxLength: 60, size: 'max' },
  )
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (sequence, perKey) => {
      const slots = new Slots(perKey)
      // Releases stay in the list after use: using one again must not free another's slot.
      const releases: { key: string; release: () => void; isUsed: boolean }[] = []
      for (const { key, giveBack, which } of sequence) {
        const chosen = releases[which]
        if (giveBack && chosen !== undefined) {
          chosen.release()
          chosen.isUsed = true
          continue
        }
        const held = releases.filter(entry => entry.key === key && !entry.isUsed).length
        const release = slots.take(key)
        assert.equal(release !== undefined, held < perKey)
        if (release !== undefined) releases.push({ key, release, isUsed: false })
      }
    }),
    { numRuns: 300 },
  )
})
