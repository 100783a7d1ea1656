import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withServices } from '../../test/harness/database.ts'
import { maryId } from '../demo/world.ts'
import { createAccountStore } from './sql/accounts.ts'

withServices('links of one account that are used at the same moment', services => {
  test('let one through, and none of the others waits for it in vain', async () => {
    await services().demo.ensureLoaded()
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

withServices('accounts that were never confirmed', services => {
  test('go when nobody can confirm them any more, and nothing else goes', async () => {
    const store = createAccountStore(services().database)
    const day = 86_400_000
    const now = 10 * day
    const person = { passwordHash: 'x', firstName: 'A', lastName: 'B', profile: '{}' }
    const add = (name: string, createdAt: number) =>
      store.add({ ...person, candidateId: name, email: `${name}@example.com`, createdAt })
    const link = (candidateId: string, expiresAt: number) =>
      store.addLink({
        hash: `link of ${candidateId}`,
        purpose: 'confirm',
        candidateId,
        email: `${candidateId}@example.com`,
        expiresAt,
        registration: person,
      })
    for (const name of ['forgotten', 'waiting', 'confirmed']) await add(name, now - 2 * day)
    await add('fresh', now - 1)
    await link('forgotten', now - 1)
    await link('waiting', now + 1)
    await link('confirmed', now + 1)
    assert.ok(await store.confirm('link of confirmed', now))
    await store.removeExpired(now, 0, now - day)
    const rows = await services()
      .database.reader.selectFrom('candidates')
      .select('id')
      .orderBy('id')
      .execute()
    assert.deepEqual(
      rows.map(({ id }) => id),
      ['confirmed', 'fresh', 'waiting'],
    )
  })
})
