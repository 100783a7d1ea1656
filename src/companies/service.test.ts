import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { movableClock } from '../../test/harness/clock.ts'
import { withServices } from '../../test/harness/database.ts'
import { noLog, recordLog } from '../../test/harness/log.ts'
import { createBackground } from '../platform/core/async/background.ts'
import { newUuid } from '../platform/core/ids.ts'
import { type CredentialStore, createAdvertiserStore, createCredentialStore } from './advertiser-store.ts'
import { hashCredential } from './rules.ts'
import { createCredentials } from './service.ts'

const clock = movableClock()
const refused = { code: 'invalid-credential' }
const day = 86_400_000

withServices('credentials', { clock }, services => {
  let advertiserId: number
  before(async () => {
    advertiserId = (await services().advertisers.add('Harbour Coffee Roasters')).id
  })
  const credentials = () => services().credentials
  const issue = (label: string, expiresAt: number | null = null) =>
    credentials().issue(advertiserId, label, expiresAt)
  const isTaken = (value: string) =>
    credentials()
      .authenticate(value)
      .then(
        () => true,
        error => {
          assert.equal(error.code, refused.code)
          return false
        },
      )
  async function lastUsed(id: string): Promise<number | null> {
    // Written after the response.
    await services().background.whenIdle()
    const found = (await credentials().list(advertiserId)).find(credential => credential.id === id)
    assert.ok(found)
    return found.lastUsedAt
  }

  test('an issued credential identifies its advertiser', async () => {
    const { id, value } = await issue('first')
    assert.deepEqual(await credentials().authenticate(value), {
      credentialId: id,
      advertiserId,
      agentId: null,
      isOnHold: false,
      managesWebhooks: false,
      version: 0,
      eventNumber: 0,
    })
  })

  test('a value of any form is looked up, up to 200 characters', async () => {
    const add = async (value: string) => {
      const times = { createdAt: clock(), expiresAt: null }
      const credential = { id: newUuid(), hint: 'x', label: value.slice(0, 9), hash: hashCredential(value) }
      await createCredentialStore(services().database).add(advertiserId, { ...credential, ...times })
      return value
    }
    assert.equal(await isTaken(await add('k')), true)
    assert.equal(await isTaken(await add('c'.repeat(200))), true)
    assert.equal(await isTaken(await add('c'.repeat(201))), false)
  })

  test('an expiry takes effect exactly at its time', async () => {
    const { value } = await issue('until tomorrow', clock() + day)
    clock.advance(day - 1)
    assert.equal(await isTaken(value), true)
    clock.advance(1)
    assert.equal(await isTaken(value), false)
    clock.advance(day)
    assert.equal(await isTaken(value), false)
  })

  test('an expiry is in the future', async () => {
    for (const expiresAt of [clock(), clock() - 1, 0]) {
      await assert.rejects(issue('late', expiresAt), { code: 'invalid-fields' })
    }
    await issue('soon', clock() + 1)
  })

  test('a revocation takes effect on the next request, and keeps its first time', async () => {
    const { id, value } = await issue('revoked')
    assert.equal(await isTaken(value), true)
    const revokedAt = clock()
    assert.equal((await credentials().revoke(id)).revokedAt, revokedAt)
    assert.equal(await isTaken(value), false)
    clock.advance(day)
    assert.equal((await credentials().revoke(id)).revokedAt, revokedAt)
  })

  test('revoking one leaves the others', async () => {
    const [old, fresh] = [await issue('old'), await issue('fresh')]
    await credentials().revoke(old.id)
    assert.equal(await isTaken(fresh.value), true)
  })

  test('the last use is written at most once a minute, and never goes back', async () => {
    const { id, value } = await issue('used')
    assert.equal(await lastUsed(id), null)
    const first = clock()
    const useAfter = async (ms: number) => {
      clock.set(first + ms)
      await credentials().authenticate(value)
      return (await lastUsed(id)) as number
    }
    assert.equal(await useAfter(0), first)
    assert.equal(await useAfter(1), first)
    assert.equal(await useAfter(59_999), first)
    assert.equal(await useAfter(60_000), first + 60_000)
    assert.equal(await useAfter(90_000), first + 60_000)
    assert.equal(await useAfter(-day), first + 60_000)
    assert.equal(await useAfter(120_000), first + 120_000)
  })

  test('a rejected use does not count as a use', async () => {
    const { id, value } = await issue('never used')
    await credentials().revoke(id)
    assert.equal(await isTaken(value), false)
    assert.equal(await lastUsed(id), null)
  })

  /** The same credentials over a store with some functions replaced. */
  function over(change: Partial<CredentialStore>, background = createBackground(noLog)) {
    const store = { ...createCredentialStore(services().database), ...change }
    const advertisers = createAdvertiserStore(services().database)
    return createCredentials({ store, advertisers, clock, background })
  }

  test('concurrent uses are one write, and a failed write does not fail the request', async () => {
    const { value } = await issue('busy')
    const disk = Promise.withResolvers<void>()
    let writes = 0
    const { log, lines } = recordLog()
    const background = createBackground(log)
    const recordUse = () => {
      writes += 1
      return disk.promise
    }
    const failing = over({ recordUse }, background)
    const all = await Promise.all(Array.from({ length: 20 }, () => failing.authenticate(value)))
    assert.ok(all.every(principal => principal.advertiserId === advertiserId))
    disk.reject(new Error('the disk is full'))
    await background.whenIdle()
    assert.equal(writes, 1)
    assert.equal(lines.length, 1)
  })

  test('a slow request does not write a second time', async () => {
    const { id, value } = await issue('twice')
    const hasRead = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const { findOwner } = createCredentialStore(services().database)
    const background = createBackground(noLog)
    const findSlowly: CredentialStore['findOwner'] = async hash => {
      const owner = await findOwner(hash)
      hasRead.resolve()
      await gate.promise
      return owner
    }
    const slow = over({ findOwner: findSlowly }, background)
    const request = slow.authenticate(value)
    await hasRead.promise
    const first = clock()
    await credentials().authenticate(value)
    assert.equal(await lastUsed(id), first)
    clock.advance(1000)
    gate.resolve()
    await request
    await background.whenIdle()
    assert.equal(await lastUsed(id), first)
  })

  test('a hold and its end take effect on the next request', async () => {
    const { value } = await issue('held')
    const isOnHold = async () => (await credentials().authenticate(value)).isOnHold
    assert.equal((await services().advertisers.setStatus(advertiserId, 'hold')).status, 'hold')
    assert.equal(await isOnHold(), true)
    await services().advertisers.setStatus(advertiserId, 'active')
    assert.equal(await isOnHold(), false)
  })

  test('an invalid credential is rejected, whatever its form', async () => {
    const { value } = await issue('exact')
    const others = [
      '',
      ' ',
      value.slice(0, -1),
      `${value}x`,
      value.toUpperCase(),
      ` ${value}`,
      'x'.repeat(201),
    ]
    for (const other of [...others, '\0', '💥', "' or 1=1 --", '%']) assert.equal(await isTaken(other), false)
  })

  test('only hash and hint are stored', async () => {
    const { value } = await issue('secret')
    const rows = await services().database.reader.selectFrom('sws_credentials').selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes(value.slice(12)))
  })

  test('it is issued only to an existing advertiser, with a label', async () => {
    await assert.rejects(credentials().issue(99_999_999, 'x', null), { code: 'not-found' })
    await assert.rejects(credentials().list(99_999_999), { code: 'not-found' })
    await assert.rejects(credentials().revoke('none'), { code: 'not-found' })
    for (const label of ['', ' ', '\0', 'x'.repeat(201)]) {
      await assert.rejects(issue(label), { code: 'invalid-fields' })
    }
  })
})

withServices('advertisers', services => {
  test('get the next free ID, or one of their own once', async () => {
    const { advertisers } = services()
    assert.deepEqual(await advertisers.list(), [])
    const first = await advertisers.add('  Harbour  ')
    assert.equal(first.id, 10_000_001)
    assert.equal(first.name, 'Harbour')
    assert.equal((await advertisers.add('Southern')).id, 10_000_002)
    assert.equal((await advertisers.add('Own', 77)).id, 77)
    await assert.rejects(advertisers.add('Own', 77), { code: 'invalid-fields' })
    await advertisers.add('Far', 20_000_000)
    assert.equal((await advertisers.add('Next')).id, 20_000_001)
    const ids = (await advertisers.list()).map(({ id }) => id)
    assert.deepEqual(ids, [77, 10_000_001, 10_000_002, 20_000_000, 20_000_001])
  })

  test('have a valid name, and a status only if they exist', async () => {
    for (const name of ['', '  ', '\u0007', 'x'.repeat(201)]) {
      await assert.rejects(services().advertisers.add(name), { code: 'invalid-fields' })
    }
    await assert.rejects(services().advertisers.setStatus(99_999_999, 'hold'), { code: 'not-found' })
  })
})
