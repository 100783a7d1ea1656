import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, harbour, southern } from '../harness/http.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import type { Service } from '../harness/service.ts'
import { mustOperate, operate } from '../oauth/registering.ts'
import { external, listPath, read } from './reading.ts'

interface Issued {
  id: string | number
  credential: string
}

async function issue(service: Service, advertiserId: string, ...args: string[]): Promise<Issued> {
  return JSON.parse(await mustOperate(service, 'credential', 'issue', advertiserId, '--json', ...args))
}

async function statusWith(service: Service, credential: string): Promise<number> {
  return (await call(service, listPath, { headers: { authorization: `SWS ${credential}` } })).status
}

async function listed(service: Service, { id }: Issued): Promise<Record<string, unknown>> {
  const all: Record<string, unknown>[] = JSON.parse(
    await mustOperate(service, 'credential', 'list', '10000001', '--json'),
  )
  const found = all.find(credential => credential['id'] === id)
  assert.ok(found, `credential ${id} is listed`)
  return found
}

onOneEngineInTurn('the life of a credential', service => {
  test('an issued credential has the form of the contract and works at once', {
    skip: external,
  }, async () => {
    const { credential } = await issue(service(), '10000002', '--label', 'first')
    assert.match(credential, /^sws_[\w-]{8}_[\w-]{43}$/)
    const result = await read(service(), '', { authorization: `SWS ${credential}` })
    assert.equal(result.AdvertiserID, 10000002)
    assert.equal(result.AgentID, null)
  })

  test('a part of it, or another letter case, does not work', { skip: external }, async () => {
    const { credential } = await issue(service(), '10000001', '--label', 'parts')
    for (const value of [credential.slice(0, 12), credential.slice(0, -1), credential.toUpperCase()]) {
      assert.equal(await statusWith(service(), value), 401, value)
    }
  })

  test('several work at once, and a revocation takes effect on the next request', {
    skip: external,
  }, async () => {
    const old = await issue(service(), '10000001', '--label', 'old')
    const fresh = await issue(service(), '10000001', '--label', 'fresh')
    assert.notEqual(old.credential, fresh.credential)
    assert.equal(await statusWith(service(), old.credential), 200)
    assert.equal(await statusWith(service(), fresh.credential), 200)
    await mustOperate(service(), 'credential', 'revoke', `${old.id}`)
    assert.equal(await statusWith(service(), old.credential), 401)
    assert.equal(await statusWith(service(), fresh.credential), 200)
    assert.equal((await call(service(), listPath, { headers: harbour })).status, 200)
  })

  // Its end at the expiry is tested with a clock of our own in src/companies/service.test.ts.
  test('it may have an expiry, which must be in the future', { skip: external }, async () => {
    const lasting = await issue(service(), '10000001', '--label', 'lasting', '--expires', '2999-01-01')
    assert.equal(await statusWith(service(), lasting.credential), 200)
    assert.equal((await listed(service(), lasting))['expiresAt'], '2999-01-01T00:00:00.000Z')
    const past = ['credential', 'issue', '10000001', '--expires', '2020-01-01']
    const { code, stdout, stderr } = await operate(service(), ...past)
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(stderr, /future/)
  })

  test('its last use is shown, and written at most once a minute', { skip: external }, async () => {
    const issued = await issue(service(), '10000001', '--label', 'used')
    assert.equal((await listed(service(), issued))['lastUsedAt'], null)
    const before = Date.now()
    assert.equal(await statusWith(service(), issued.credential), 200)
    const after = Date.now()
    const first = (await listed(service(), issued))['lastUsedAt']
    const time = new Date(first as string | number).getTime()
    // A displayed time may be cut to the second.
    assert.ok(time >= before - 1000 && time <= after, `${first}`)
    assert.equal(await statusWith(service(), issued.credential), 200)
    if (Date.now() - before < 60_000) assert.equal((await listed(service(), issued))['lastUsedAt'], first)
  })

  test('it is shown once: neither it nor its hash is listed', { skip: external }, async () => {
    const { credential } = await issue(service(), '10000001', '--label', 'shown-once')
    for (const form of [[], ['--json']]) {
      const stdout = await mustOperate(service(), 'credential', 'list', '10000001', ...form)
      assert.ok(stdout.includes('shown-once'))
      assert.ok(!stdout.includes(credential))
      assert.doesNotMatch(stdout, /[0-9a-f]{64}/)
    }
  })

  test('it is issued only to an existing advertiser', { skip: external }, async () => {
    const { code, stdout, stderr } = await operate(
      service(),
      'credential',
      'issue',
      '99999999',
      '--label',
      'x',
    )
    assert.notEqual(code, 0)
    assert.ok(!stdout.includes('sws_'))
    assert.match(stderr, /99999999/)
  })

  test('hold and activate take effect on the next request', { skip: external }, async () => {
    const status = async () => (await call(service(), listPath, { headers: southern })).status
    assert.equal(await status(), 200)
    await mustOperate(service(), 'advertiser', 'hold', '10000002')
    assert.equal(await status(), 403)
    assert.equal((await call(service(), listPath, { headers: harbour })).status, 200)
    await mustOperate(service(), 'advertiser', 'activate', '10000002')
    assert.equal(await status(), 200)
  })
})
