import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readFeedQuery } from '../../src/events/feed/query.ts'
import { renderFeed } from '../../src/events/feed/rendering.ts'
import { allCategories, bitsOf } from '../../src/model/categories.ts'
import { clientEventTypes, eventTypes } from '../../src/model/events.ts'
import { scopes } from '../../src/share/protocol/scopes.ts'
import { withServices } from '../harness/database.ts'
import { addPerson, addPersonClient, personRedirectUri, prefilledId, tracesOf } from '../harness/person.ts'
import { type Stores, storesOver } from '../store/stores.ts'

const clientId = 'careers'

withServices('what an OAuth client is told', services => {
  let stores: Stores
  let advertiserId: number
  before(async () => {
    stores = storesOver(services().database)
    advertiserId = (await services().advertisers.add('Harbour')).id
    for (const id of [clientId, 'other']) await addPersonClient(stores, { id, scopes: [scopes.profile] })
  })

  async function told(of: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
    const stream = { clientId: of }
    const query = readFeedQuery(stream, 'cursor=start', clientEventTypes)
    const answer = await services().feed.follow(stream, query, {})
    return JSON.parse(renderFeed('json', stream, answer)).events
  }

  test('consents that were withdrawn and accounts that were deleted, by the IDs that it knows', async () => {
    const ana = await addPerson(services(), stores, { name: 'ana', advertiserId, clientId })
    assert.equal(await stores.consents.withdraw(ana.candidateId, ana.grantId, Date.now()), true)
    assert.equal(await stores.consents.withdraw(ana.candidateId, ana.grantId, Date.now()), false)
    const ben = await addPerson(services(), stores, { name: 'ben', advertiserId, clientId })
    const now = Date.now()
    await stores.accountRemoval.remove(ben.candidateId, ben.passwordHash, { now, eraseAt: now })
    assert.deepEqual(
      (await told(clientId)).map(({ type, data }) => [type, data]),
      [
        ['consent.withdrawn', { advertiserId, prefilledApplicationIds: [prefilledId('ana')] }],
        ['candidate.erased', { advertiserId, prefilledApplicationIds: [prefilledId('ben')] }],
      ],
    )
    assert.deepEqual(await told('other'), [])
    const rows = await tracesOf(services(), ben)
    assert.deepEqual(
      rows.filter(row => /^(client_)?events /.test(row)),
      [],
    )
  })

  test('what a candidate shares no longer, on either page, once', async () => {
    const liz = await addPerson(services(), stores, { name: 'liz', advertiserId, clientId })
    const before = (await told(clientId)).length
    const narrow = (bits: number) => stores.consents.narrow(liz.candidateId, liz.grantId, bits, Date.now())
    assert.equal(await narrow(bitsOf(['phone', 'resume'])), true)
    // The previous page, sent again.
    assert.equal(await narrow(bitsOf(['phone', 'resume'])), true)
    const key = { candidateId: liz.candidateId, clientId, advertiserId: null }
    const decide = async (released: number, hash: string) => {
      const decision = { grantId: hash, scope: scopes.profile, released, filled: 63, decidedAt: Date.now() }
      const times = { issuedAt: Date.now(), expiresAt: Date.now() + 60_000 }
      const code = { hash, redirectUri: personRedirectUri, scope: scopes.profile, challenge: null, ...times }
      assert.equal(await stores.oauth.recordConsent(key, decision, code), true)
    }
    await decide(bitsOf(['phone', 'location']), 'liz-fewer')
    await decide(allCategories, 'liz-all')
    await decide(allCategories, 'liz-all-again')
    const data = { advertiserId, prefilledApplicationIds: [prefilledId('liz')] }
    assert.deepEqual(
      (await told(clientId)).slice(before).map(event => [event.type, event.data]),
      [
        ['consent.narrowed', { ...data, removedCategories: ['phone', 'resume'] }],
        ['consent.narrowed', { ...data, removedCategories: ['qualification', 'workHistory', 'salary'] }],
      ],
    )
    assert.equal(await stores.consents.narrow('someone-else', liz.grantId, allCategories, Date.now()), false)
    assert.equal((await told(clientId)).length, before + 2)
  })

  test('a hundred IDs in one event at most', async () => {
    const zoe = await addPerson(services(), stores, { name: 'zoe', advertiserId, clientId })
    const { writer } = services().database
    const first = await writer
      .selectFrom('prefilled_applications')
      .selectAll()
      .where('candidate_id', '=', zoe.candidateId)
      .executeTakeFirstOrThrow()
    const others = Array.from({ length: 100 }, (_, n) => ({
      ...first,
      id: `zoe-${n}`,
      retry_key: `zoe-${n}`,
    }))
    await writer.insertInto('prefilled_applications').values(others).execute()
    const before = (await told(clientId)).length
    assert.equal(await stores.consents.withdraw(zoe.candidateId, zoe.grantId, Date.now()), true)
    const events = (await told(clientId)).slice(before)
    const ids = events.map(({ data }) => String(data['prefilledApplicationIds']).split(','))
    assert.deepEqual(
      ids.map(each => each.length),
      [100, 1],
    )
    assert.deepEqual(ids.flat().toSorted(), [first, ...others].map(({ id }) => id).toSorted())
  })

  test('the advertiser learns of a completed prefill, once', async () => {
    await addPerson(services(), stores, { name: 'eve', advertiserId, clientId })
    for (let time = 0; time < 2; time++)
      assert.equal(
        await stores.sharing.complete(clientId, prefilledId('eve'), Date.UTC(9999, 11), Date.now()),
        true,
      )
    assert.equal(await stores.sharing.complete('other', prefilledId('eve'), 0, Date.now()), false)
    const stream = { advertiserId }
    const query = readFeedQuery(stream, 'cursor=start&types=prefill.completed', eventTypes)
    const { events } = JSON.parse(renderFeed('json', stream, await services().feed.follow(stream, query, {})))
    // The client's date is told; the number is ours.
    assert.ok(Date.parse(events[0].timestamp) < Date.now() + 60_000)
    assert.deepEqual(
      events.map(({ data }: { data: unknown }) => data),
      [
        {
          advertiserId,
          prefilledApplicationId: prefilledId('eve'),
          positionReference: null,
          completedAt: '9999-12-01T00:00:00.000Z',
        },
      ],
    )
  })
})
