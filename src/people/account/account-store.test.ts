import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withDemo } from '../../../test/harness/database.ts'
import { maryId } from '../../demo/world/world.ts'
import { createAccountStore } from './account-store.ts'

withDemo('links of one account used at the same moment', services => {
  test('let one through, and do not deadlock', async () => {
    const store = createAccountStore(services().database)
    const expiresAt = Date.now() + 60_000
    for (let round = 0; round < 8; round++) {
      const hashes = [1, 2, 3, 4].map(serial => `${round}-${serial}`)
      for (const hash of hashes) {
        await store.addLink({
          hash,
          purpose: 'reset',
          candidateId: maryId,
          email: 'mary@example.com',
          expiresAt,
        })
      }
      const used = await Promise.all(hashes.map(hash => store.resetPassword(hash, 'new', Date.now())))
      assert.equal(used.filter(link => link !== undefined).length, 1)
    }
  })
})
