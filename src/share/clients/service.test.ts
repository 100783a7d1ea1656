import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import type { Problem } from '../../platform/core/problems.ts'
import { hashSecret } from '../../platform/core/secrets.ts'
import * as progressScope from '../../schema/migrations/0058-progress-scope.ts'
import { createClientStore } from './client-store.ts'

const clock = movableClock()
const callback = 'https://careers.example.com/callback'

withServices('clients', { clock }, services => {
  const clients = () => services().clients
  const store = () => createClientStore(services().database)
  const careers = (id: string) => ({
    id,
    name: ' Careers ',
    redirectUris: [callback],
    agentId: null,
    requirePkce: false,
  })
  let agentId: number
  before(async () => {
    agentId = (await services().agents.add('Northwind ATS')).id
  })
  async function validSecrets(id: string): Promise<string[]> {
    return (await clients().find(id))?.secretHashes ?? []
  }

  test('an added client is found with everything the protocol needs', async () => {
    const uris = ['https://z.example/cb', callback, callback, 'http://127.0.0.1:9090/callback']
    const { client, secret } = await clients().add({
      ...careers('whole'),
      redirectUris: uris,
      agentId,
      requirePkce: true,
    })
    assert.match(secret, /^dcs_[\w-]{43}$/)
    const expected = {
      id: 'whole',
      name: 'Careers',
      agentId,
      scopes: ['r_profile_apply', 'r_applications', 'w_progress'],
      requirePkce: true,
      logoHash: null,
      privacyUrl: null,
      disabledAt: null,
      redirectUris: ['http://127.0.0.1:9090/callback', callback, 'https://z.example/cb'],
      secretHashes: [hashSecret(secret)],
    }
    assert.deepEqual(client, expected)
    assert.deepEqual(await clients().find('whole'), expected)
    const listed = (await clients().list()).find(({ id }) => id === 'whole')
    const { secretHashes, ...rest } = expected
    const inList = { createdAt: clock(), secrets: secretHashes.length, advertiserIds: [] }
    assert.deepEqual(listed, { ...rest, ...inList })
  })

  test('only the hash of a secret is stored', async () => {
    const { secret } = await clients().add(careers('hashed'))
    const { reader } = services().database
    const dump = JSON.stringify([
      await reader.selectFrom('oauth_client_secrets').selectAll().execute(),
      await reader.selectFrom('oauth_clients').selectAll().execute(),
    ])
    assert.ok(dump.includes(hashSecret(secret)))
    assert.ok(!dump.includes(secret.slice(4)))
  })

  test('a client without an agent gets r_profile_apply, and scopes for agents are rejected', async () => {
    assert.deepEqual((await clients().add(careers('plain'))).client.scopes, ['r_profile_apply'])
    const refusals: [scopes: string[], code: string][] = [
      [['r_applications'], 'agent-missing'],
      [['w_progress'], 'agent-missing'],
      [['openid'], 'unknown'],
      [['R_PROFILE_APPLY'], 'unknown'],
      [['__proto__'], 'unknown'],
    ]
    for (const [scopes, code] of refusals) {
      await assert.rejects(clients().add({ ...careers('asking'), scopes }), refusal(code))
    }
  })

  test('scopes are ordered and distinct; a client may have none', async () => {
    const scopes = ['r_applications', 'r_profile_apply', 'r_applications']
    const both = await clients().add({ ...careers('both'), agentId, scopes })
    assert.deepEqual(both.client.scopes, ['r_profile_apply', 'r_applications'])
    await clients().add({ ...careers('none'), redirectUris: [], scopes: [] })
    const none = await clients().find('none')
    assert.deepEqual([none?.scopes, none?.redirectUris], [[], []])
  })

  test('a migration lets clients that read for an agent ask for progress, and no other', async () => {
    const scopes = ['r_profile_apply', 'r_applications', 'm_webhooks']
    await clients().add({ ...careers('reads'), agentId, scopes })
    await clients().add({ ...careers('shares'), agentId, scopes: ['r_profile_apply', 'm_webhooks'] })
    await clients().add(careers('own'))
    const scopesOf = async (id: string) => (await clients().find(id))?.scopes
    for (const _ of ['once', 'again']) {
      await progressScope.up(services().database.writer)
      assert.deepEqual(await scopesOf('reads'), [...scopes, 'w_progress'])
      assert.deepEqual(await scopesOf('shares'), ['r_profile_apply', 'm_webhooks'])
      assert.deepEqual(await scopesOf('own'), ['r_profile_apply'])
    }
  })

  test('an agent’s client without candidates needs no redirect URI; any other does', async () => {
    const without = { ...careers('collector'), redirectUris: [], agentId }
    await assert.rejects(clients().add(without), refusal('missing'))
    await clients().add({ ...without, scopes: ['r_applications'] })
    assert.deepEqual((await clients().find('collector'))?.redirectUris, [])
  })

  test('a rejected registration leaves no rows', async () => {
    const wrong: [change: object, code: string][] = [
      [{ id: 'a b' }, 'malformed'],
      [{ id: '__proto__' }, 'malformed'],
      [{ id: 'x'.repeat(65) }, 'malformed'],
      [{ name: ' ' }, 'empty'],
      [{ name: 'two\nlines' }, 'line-break'],
      [{ name: 'x'.repeat(201) }, 'too-long'],
      [{ redirectUris: [callback, 'http://careers.example.com/'] }, 'not-allowed'],
      [{ redirectUris: Array.from({ length: 51 }, (_, n) => `${callback}/${n}`) }, 'too-many'],
    ]
    for (const [change, code] of wrong) {
      await assert.rejects(clients().add({ ...careers('wrong'), ...change }), refusal(code))
    }
    await assert.rejects(clients().add({ ...careers('wrong'), agentId: 999 }), { code: 'not-found' })
    assert.equal(await clients().find('wrong'), undefined)
  })

  test('an ID can be registered once, and the first client stays unchanged', async () => {
    const { client } = await clients().add(careers('taken'))
    const again = { ...careers('taken'), name: 'Impostor', redirectUris: ['https://evil.example/'] }
    await assert.rejects(clients().add(again), refusal('taken'))
    assert.deepEqual(await clients().find('taken'), client)
    await clients().add(careers('Taken'))
  })

  test('IDs with a special meaning elsewhere are not found, by service or store', async () => {
    for (const id of [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      '',
      ' ',
      "' or 1=1 --",
      '%',
    ]) {
      assert.equal(await clients().find(id), undefined, id)
      assert.equal(await store().find(id), undefined, id)
    }
    // PostgreSQL accepts no NUL in a text, so the query must not get that far.
    assert.equal(await clients().find('a\0'), undefined)
    assert.equal(await clients().find('x'.repeat(100_000)), undefined)
    await clients().add(careers('constructor'))
    assert.equal((await clients().find('constructor'))?.name, 'Careers')
  })

  test('two secrets are valid while one replaces the other', async () => {
    const first = (await clients().add(careers('rotated'))).secret
    const second = (await clients().rotate('rotated')).secret
    assert.deepEqual(await validSecrets('rotated'), [second, first].map(hashSecret))
    const third = (await clients().rotate('rotated')).secret
    assert.deepEqual(await validSecrets('rotated'), [third, second].map(hashSecret))
    const only = (await clients().rotate('rotated', true)).secret
    assert.deepEqual(await validSecrets('rotated'), [hashSecret(only)])
  })

  test('the newest secret does not depend on the clock', async () => {
    await clients().add(careers('set-back'))
    clock.advance(-86_400_000)
    const second = (await clients().rotate('set-back')).secret
    const third = (await clients().rotate('set-back')).secret
    clock.advance(86_400_000)
    assert.deepEqual(await validSecrets('set-back'), [third, second].map(hashSecret))
  })

  test('concurrent rotations leave two valid secrets, both returned to callers', async () => {
    await clients().add(careers('busy'))
    const all = await Promise.all(Array.from({ length: 8 }, () => clients().rotate('busy')))
    const issued = all.map(({ secret }) => hashSecret(secret))
    const valid = await validSecrets('busy')
    assert.equal(valid.length, 2)
    assert.ok(valid.every(hash => issued.includes(hash)))
  })

  test('rotating one client does not affect others', async () => {
    const { secret } = await clients().add(careers('left'))
    await clients().add(careers('right'))
    await clients().rotate('right', true)
    assert.deepEqual(await validSecrets('left'), [hashSecret(secret)])
  })

  test("disabling revokes the client's codes and tokens in one step and keeps the first time", async () => {
    for (const id of ['ending', 'staying']) {
      await clients().add(careers(id))
      await issueTo(id)
    }
    clock.advance(1000)
    const disabledAt = clock()
    assert.equal((await clients().disable('ending')).disabledAt, disabledAt)
    assert.deepEqual(await issuedTo('ending'), {
      live: disabledAt,
      revoked: 5,
      expired: null,
      unredeemed: disabledAt,
      redeemed: disabledAt + 100_000,
      old: 7,
    })
    const untouched = { live: null, revoked: 5, expired: null }
    assert.deepEqual(await issuedTo('staying'), {
      ...untouched,
      unredeemed: disabledAt + 100_000,
      redeemed: disabledAt + 100_000,
      old: 7,
    })
    assert.equal((await clients().find('staying'))?.disabledAt, null)

    clock.advance(1000)
    assert.equal((await clients().disable('ending')).disabledAt, disabledAt)
    assert.equal((await issuedTo('ending'))['live'], disabledAt)
  })

  test('rotating keeps tokens valid', async () => {
    await clients().add(careers('turning'))
    await issueTo('turning')
    const before = await issuedTo('turning')
    await clients().rotate('turning', true)
    assert.deepEqual(await issuedTo('turning'), before)
  })

  test('disabled and unknown clients get no secret', async () => {
    await clients().add(careers('gone'))
    await clients().disable('gone')
    await assert.rejects(clients().rotate('gone'), refusal('disabled'))
    for (const id of ['nobody', '__proto__', 'a\0']) {
      await assert.rejects(clients().rotate(id), { code: 'not-found' })
      await assert.rejects(clients().disable(id), { code: 'not-found' })
    }
    assert.equal(await store().addSecret('nobody', 'hash', 1, clock()), false)
    assert.equal(await store().disable('nobody', clock()), false)
  })

  /** A code and a token of each kind; times are relative to now, or so small that a change shows. */
  async function issueTo(clientId: string): Promise<void> {
    const { writer } = services().database
    const now = clock()
    const candidate_id = `candidate of ${clientId}`
    const grant_id = `grant of ${clientId}`
    await writer
      .insertInto('candidates')
      .values({
        id: candidate_id,
        email: `${clientId}@example.com`,
        email_confirmed_at: 1,
        password_hash: '',
        first_name: 'Mary',
        last_name: 'Nguyen',
        profile: '{}',
        created_at: 1,
      })
      .execute()
    await writer
      .insertInto('grants')
      .values({
        id: grant_id,
        candidate_id,
        client_id: clientId,
        scope: 'r_profile_apply',
        released: 0,
        filled: 0,
        created_at: 1,
        decided_at: 1,
      })
      .execute()
    const ofBoth = { client_id: clientId, grant_id, candidate_id, scope: '', released: 0, issued_at: 1 }
    await writer
      .insertInto('oauth_tokens')
      .values([
        { ...ofBoth, hash: `live ${clientId}`, expires_at: now + 101_000, revoked_at: null },
        { ...ofBoth, hash: `revoked ${clientId}`, expires_at: now + 101_000, revoked_at: 5 },
        { ...ofBoth, hash: `expired ${clientId}`, expires_at: 7, revoked_at: null },
      ])
      .execute()
    const code = { ...ofBoth, redirect_uri: callback, failed_attempts: 0, expires_at: now + 101_000 }
    await writer
      .insertInto('oauth_codes')
      .values([
        { ...code, hash: `unredeemed ${clientId}` },
        { ...code, hash: `redeemed ${clientId}`, redeemed_at: now },
        { ...code, hash: `old ${clientId}`, expires_at: 7 },
      ])
      .execute()
  }

  /** When each token was revoked, and when each code expires. */
  async function issuedTo(clientId: string): Promise<Record<string, number | null>> {
    const { reader } = services().database
    const tokens = await reader
      .selectFrom('oauth_tokens')
      .select(['hash', 'revoked_at as at'])
      .where('client_id', '=', clientId)
      .execute()
    const codes = await reader
      .selectFrom('oauth_codes')
      .select(['hash', 'expires_at as at'])
      .where('client_id', '=', clientId)
      .execute()
    return Object.fromEntries([...tokens, ...codes].map(({ hash, at }) => [hash.split(' ')[0], at]))
  }
})

function refusal(fault: string) {
  return (error: Problem) => {
    assert.deepEqual([error.code, error.errors.map(({ code }) => code)], ['invalid-fields', [fault]])
    return true
  }
}
