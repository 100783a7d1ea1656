import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCandidate } from '../../../test/harness/applications.ts'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { times } from '../../../test/harness/effort.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { hashSecret } from '../../platform/core/secrets.ts'
import { createMemberStore } from './member-store.ts'

const clock = movableClock()
const account = { passwordHash: 'hash', firstName: 'Ana', lastName: 'Silva', profile: '{}' }

withServices('an invitation to a company that is redeemed many times at once', { clock }, services => {
  const invitations = () =>
    services().invitations({ mailer: undefined, authUrl: () => 'https://auth.example' })
  const store = () => createMemberStore(services().database)

  async function invite(advertiserId: number, email: string): Promise<string> {
    const result = await invitations().invite(advertiserId, email, 'admin')
    return result.outcome === 'link' ? new URL(result.url).hash.slice(1) : assert.fail(result.outcome)
  }

  /** Joined once, once on record. */
  async function assertOnce(advertiserId: number): Promise<void> {
    assert.equal((await services().members.people(advertiserId)).colleagues.length, 1)
    const entries = await services()
      .database.reader.selectFrom('audit_entries')
      .select('proof')
      .where('scope', '=', advertiserId)
      .where('action', '=', 'member.join')
      .execute()
    assert.equal(entries.length, 1)
  }

  test('by fifty without an account: one joins', async () => {
    for (let round = 0; round < times(1, 5); round++) {
      const { id } = await services().advertisers.add(`Raced ${round}`)
      const token = await invite(id, `raced-${round}@example.net`)
      const results = await Promise.all(
        Array.from({ length: 50 }, () =>
          store().joinWithAccount(hashSecret(token), { ...account, candidateId: newUuid() }, clock()),
        ),
      )
      assert.equal(results.filter(result => typeof result === 'object').length, 1)
      assert.equal(results.filter(result => result === undefined).length, 49)
      await assertOnce(id)
    }
  })

  test('by fifty sessions of the invited person: joins once', async () => {
    for (let round = 0; round < times(1, 5); round++) {
      const { id } = await services().advertisers.add(`Clicked ${round}`)
      const candidateId = newUuid()
      const email = `${candidateId}@example.net`
      await addCandidate(services(), candidateId)
      const token = await invite(id, email)
      const results = await Promise.all(
        Array.from({ length: 50 }, () => invitations().join(token, { candidateId, email })),
      )
      assert.equal(results.filter(({ outcome }) => outcome === 'joined').length, 1)
      assert.equal(results.filter(({ outcome }) => outcome === 'gone').length, 49)
      await assertOnce(id)
    }
  })
})
