import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { times } from '../../../test/harness/effort.ts'
import type { OperatorRole } from '../../model/principal.ts'
import { newUuid } from '../../platform/core/ids.ts'
import { hashSecret } from '../../platform/core/secrets.ts'
import { invitationSeconds } from './links-service.ts'
import { createOperatorStore } from './operator-store.ts'

const clock = movableClock()
const typed = { firstName: 'Olga', lastName: 'Orr', password: 'a few words that fit' }
let people = 0
const newAddress = () => `operator-${++people}@example.net`

withServices('the people who run the board', { clock }, services => {
  const operators = () => services().operators

  async function invite(email: string, role: OperatorRole = 'operator'): Promise<string> {
    const result = await operators().invite(email, role, 'https://auth.example')
    assert.equal(result.outcome, 'link')
    const url = result.outcome === 'link' ? result.url : ''
    assert.match(url, /^https:\/\/auth\.example\/operator\/join#/)
    return new URL(url).hash.slice(1)
  }
  async function join(role: OperatorRole = 'operator', email = newAddress()): Promise<string> {
    const joined = await operators().joinWithNewAccount(await invite(email, role), typed)
    return joined.outcome === 'joined' ? joined.candidateId : assert.fail(joined.outcome)
  }
  const count = async (role: OperatorRole) =>
    (await operators().list()).filter(operator => operator.role === role).length

  test('there is none at first', async () => {
    assert.equal(await operators().isAny(), false)
    assert.deepEqual(await operators().list(), [])
  })

  test('a link makes its person an operator with an account, once', async () => {
    const email = newAddress()
    const token = await invite(email)
    const open = await operators().findInvitation(token)
    assert.deepEqual(open, { email, role: 'operator', hasAccount: false })
    const joined = await operators().joinWithNewAccount(token, typed)
    const candidateId = joined.outcome === 'joined' ? joined.candidateId : ''
    assert.equal(await operators().find(candidateId), 'operator')
    assert.deepEqual(await operators().joinWithNewAccount(token, typed), { outcome: 'gone' })
    assert.deepEqual(await operators().listInvitations(), [])
    const again = await operators().invite(email, 'viewer', 'https://auth.example')
    assert.equal(again.outcome, 'invalid')
  })

  test('wrong input leaves the invitation as it is', async () => {
    const token = await invite(newAddress())
    const result = await operators().joinWithNewAccount(token, { ...typed, firstName: '', password: 'x' })
    assert.equal(result.outcome, 'invalid')
    assert.equal((await operators().joinWithNewAccount(token, typed)).outcome, 'joined')
    assert.equal((await operators().invite('not an address', 'viewer', '')).outcome, 'invalid')
  })

  test('a link is bound to its address, and ends with time or a newer one', async () => {
    const email = newAddress()
    const [old, token] = [await invite(email), await invite(email, 'viewer')]
    assert.equal(await operators().findInvitation(old), undefined)
    const candidateId = await join()
    assert.deepEqual(await operators().join(token, { candidateId, email: 'other@example.net' }), {
      outcome: 'gone',
    })
    clock.advance(invitationSeconds * 1000)
    assert.equal(await operators().findInvitation(token), undefined)
    assert.deepEqual(await operators().joinWithNewAccount(token, typed), { outcome: 'gone' })
  })

  test('an account with the address is not replaced, and joins when it is signed in', async () => {
    const email = newAddress()
    const candidateId = await join('viewer', email)
    await operators().remove(candidateId)
    const token = await invite(email)
    assert.deepEqual(await operators().joinWithNewAccount(token, typed), { outcome: 'has-account' })
    assert.equal((await operators().join(token, { candidateId, email })).outcome, 'joined')
    assert.equal(await operators().find(candidateId), 'operator')
  })

  test('fifty at once with one link: one joins', async () => {
    for (let round = 0; round < times(1, 5); round++) {
      const before = await count('operator')
      const token = await invite(newAddress())
      const store = createOperatorStore(services().database)
      const account = { passwordHash: 'hash', firstName: 'Olga', lastName: 'Orr', profile: '{}' }
      const results = await Promise.all(
        Array.from({ length: 50 }, () =>
          store.joinWithAccount(hashSecret(token), { ...account, candidateId: newUuid() }, clock()),
        ),
      )
      const joined = results.filter(result => typeof result === 'object')
      assert.equal(joined.length, 1)
      assert.equal(results.filter(result => result === undefined).length, 49)
      assert.equal(await count('operator'), before + 1)
    }
  })

  test('operators who remove each other at once leave one; viewers do not count', async () => {
    await join('viewer')
    await join()
    await join()
    const all = (await operators().list()).filter(({ role }) => role === 'operator')
    const results = await Promise.all(all.map(({ candidateId }) => operators().remove(candidateId)))
    assert.equal(results.filter(result => result === 'last-operator').length, 1)
    assert.equal(await count('operator'), 1)
    const [last] = (await operators().list()).filter(({ role }) => role === 'operator')
    assert.equal(await operators().removeByEmail(last?.email ?? '', { mayBeLast: true }), 'done')
    assert.equal(await count('operator'), 0)
  })

  test('invitations to one address, all at once, leave one', async () => {
    const email = newAddress()
    const tokens = await Promise.all(Array.from({ length: times(12, 50) }, () => invite(email)))
    const open = (await operators().listInvitations()).filter(each => each.email === email)
    assert.equal(open.length, 1)
    const found = await Promise.all(tokens.map(token => operators().findInvitation(token)))
    assert.equal(found.filter(each => each !== undefined).length, 1)
  })

  test('an operator who is invited again under another address stays one', async () => {
    const candidateId = await join()
    const email = newAddress()
    const token = await invite(email, 'viewer')
    assert.equal((await operators().join(token, { candidateId, email })).outcome, 'joined')
    assert.equal(await operators().find(candidateId), 'operator')
  })

  test('an invitation can be withdrawn', async () => {
    const email = newAddress()
    const token = await invite(email)
    assert.equal(await operators().removeByEmail(email, { mayBeLast: true }), 'taken-back')
    assert.equal(await operators().removeByEmail(email, { mayBeLast: true }), 'missing')
    assert.equal(await operators().findInvitation(token), undefined)
    await invite(email)
    clock.advance(invitationSeconds * 1000)
    assert.equal(await operators().removeByEmail(email, { mayBeLast: true }), 'taken-back')
  })
})
