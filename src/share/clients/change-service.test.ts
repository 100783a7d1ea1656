import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { times } from '../../../test/harness/effort.ts'
import { createClientChanges } from './change-service.ts'
import { createClientChangeStore } from './client-change-store.ts'

const clock = movableClock()
const clientId = 'northwind'
const first = 'https://ats.example/callback'
const second = 'https://ats.example/new'

withServices('changes that an agent asks for', { clock }, services => {
  before(async () => {
    const { id: agentId } = await services().agents.add('Northwind')
    await services().clients.add({
      id: clientId,
      name: 'Northwind',
      redirectUris: [first],
      agentId,
      requirePkce: false,
    })
  })
  const changes = () => services().clientChanges
  const client = async () => (await services().clients.find(clientId)) ?? assert.fail()
  const ask = (uris: string[]) => changes().ask(clientId, { kind: 'redirect-uris', uris }, 'nora')
  const waiting = async () => (await changes().listOf(clientId)).map(({ kind, value }) => [kind, value])

  test('nothing changes until the operator confirms it', async () => {
    assert.equal(await ask([second, first]), 'waiting')
    assert.deepEqual((await client()).redirectUris, [first])
    assert.deepEqual(await waiting(), [['redirect-uris', JSON.stringify([first, second])]])
    const [change] = await changes().list()
    await changes().confirm(change?.id ?? '')
    assert.deepEqual((await client()).redirectUris, [first, second])
    assert.deepEqual(await waiting(), [])
    await assert.rejects(changes().confirm(change?.id ?? ''), /waits to be confirmed/)
  })

  test('one that is refused or withdrawn changes nothing', async () => {
    await changes().ask(clientId, { kind: 'privacy', url: 'https://ats.example/privacy' }, 'nora')
    await changes().ask(clientId, { kind: 'logo', bytes: undefined }, 'nora')
    const [privacy, logo] = await changes().list()
    await changes().refuse(privacy?.id ?? '')
    assert.equal(await changes().withdraw('another', logo?.id ?? ''), false)
    assert.equal(await changes().withdraw(clientId, logo?.id ?? ''), true)
    assert.equal((await client()).privacyUrl, null)
    assert.deepEqual(await waiting(), [])
  })

  test('what could not be applied cannot be asked for', async () => {
    for (const uris of [['ftp://ats.example'], ['https://ats.example/#'], []])
      await assert.rejects(ask(uris), /redirect URI|r_profile_apply/)
    await assert.rejects(changes().ask(clientId, { kind: 'privacy', url: 'javascript:1' }, 'nora'))
    await assert.rejects(changes().ask(clientId, { kind: 'logo', bytes: Buffer.from('text') }, 'nora'))
    await assert.rejects(changes().ask('no-client', { kind: 'privacy', url: undefined }, 'nora'))
    assert.deepEqual(await waiting(), [])
  })

  test('requests of one kind, all at once, leave one, and one confirmation ends it', async () => {
    await Promise.all(
      Array.from({ length: times(8, 50) }, (_, index) => ask([`https://ats.example/${index}`])),
    )
    const [change, ...others] = await changes().list()
    assert.deepEqual(others, [])
    await Promise.allSettled(Array.from({ length: 8 }, () => changes().confirm(change?.id ?? '')))
    const entries = await services()
      .database.reader.selectFrom('audit_entries')
      .select('number')
      .where('action', '=', 'client.request-end')
      .where('before', 'like', `%${change?.id}%`)
      .execute()
    assert.equal(entries.length, 1)
  })

  test('with self-service, a change takes effect at once', async () => {
    const store = createClientChangeStore(services().database)
    const own = createClientChanges({ store, clients: services().clients, isSelfService: true, clock })
    assert.equal(await own.ask(clientId, { kind: 'redirect-uris', uris: [second] }, 'nora'), 'applied')
    assert.deepEqual((await client()).redirectUris, [second])
    assert.deepEqual(await waiting(), [])
  })
})
