import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readWebhookKeys } from '../../src/events/webhooks/signing-rules.ts'
import { checkFactors } from '../../src/operator/checks/service-checks.ts'
import type { PasskeyPurpose } from '../../src/people/factors/passkey-service.ts'
import { newUuid } from '../../src/platform/core/ids.ts'
import { hashPassword } from '../../src/platform/core/password.ts'
import { readConfig } from '../../src/settings.ts'
import { addAccount } from '../harness/account.ts'
import { createAuthenticator, type Lies } from '../harness/authenticator.ts'
import { movableClock } from '../harness/clock.ts'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { joinBoard } from '../harness/memberships.ts'
import { codeByOathtool } from '../harness/oathtool.ts'
import { addSession } from '../harness/proof.ts'
import { appOf } from '../harness/services.ts'

const clock = movableClock(Date.parse('2026-11-14T00:00:00Z'))
const password = 'a right password of some length'
const hashed = await hashPassword(password)
const caller = {
  address: '192.0.2.7',
  browser: undefined,
  userAgent: 'Firefox/1',
  formerSession: undefined,
  securityMail: () => [],
}
const origin = 'https://jobs.example.com'

withServices('passkeys', { clock }, services => {
  const passkeys = (authUrl = origin) => services().passkeys(() => authUrl)

  async function person() {
    const email = `${newUuid()}@example.com`
    await addAccount(services(), { email, passwordHash: hashed })
    const { accounts } = services()
    const started = await accounts.signIn({ ...caller, address: email, email, password })
    const session = started.outcome === 'signed-in' && (await accounts.findSession(started.session))
    assert.ok(session)
    return session
  }
  type Owner = Awaited<ReturnType<typeof person>>

  async function add(owner: Owner, device = createAuthenticator(origin), lies: Lies = {}, name = 'A phone') {
    const { factors } = services()
    assert.ok(factors.canEnrol())
    const request = passkeys().creation(owner, (await factors.find(owner.candidateId)).passkeys)
    assert.ok(request)
    const credential = device.create(request.options, lies)
    const made = await passkeys().checkNew(owner.candidateId, { ticket: request.ticket, credential, name })
    if (typeof made === 'string') return { device, outcome: made, made: undefined, codes: undefined }
    const added = await factors.addPasskey(owner, made, [])
    return {
      device,
      made,
      outcome: added.outcome,
      codes: added.outcome === 'added' ? added.codes : undefined,
    }
  }
  async function enrolled() {
    const owner = await person()
    const { device, codes, outcome } = await add(owner)
    assert.equal(outcome, 'added')
    return { owner, device, codes }
  }
  type Device = ReturnType<typeof createAuthenticator>
  type Asked = Exclude<PasskeyPurpose, 'new'>

  async function check(purpose: Asked, device: Device, lies: Lies = {}, owner?: Owner) {
    const found = owner && { ...(await services().factors.find(owner.candidateId)), ...owner }
    const request = passkeys().request(purpose, found)
    assert.ok(request)
    const sent = { ticket: request.ticket, credential: device.get(request.options, lies) }
    return { sent, result: await passkeys().check(purpose, sent, owner?.candidateId) }
  }
  async function signIn(device: Device) {
    const { result } = await check('sign-in', device)
    assert.ok(typeof result === 'object', String(result))
    return services().accounts.signInByPasskey(caller, result)
  }
  async function ticketOf({ email }: Owner): Promise<string> {
    const result = await services().accounts.signIn({ ...caller, address: email, email, password })
    assert.equal(result.outcome, 'second-step')
    return result.outcome === 'second-step' ? result.ticket : ''
  }

  test('is the only step with a verified user, and the second step otherwise', async () => {
    const { owner, device, codes } = await enrolled()
    const { accounts } = services()
    assert.equal(codes?.length, 10)
    const [own] = await accounts.sessionsOf(owner.candidateId)
    assert.deepEqual(own?.factors, ['password', 'passkey'])
    const signedIn = await signIn(device)
    const session = signedIn && (await accounts.findSession(signedIn.session))
    assert.deepEqual(session?.factors, ['passkey'])
    assert.equal(session?.candidateId, owner.candidateId)
    assert.equal(services().factors.enrolmentOf(session), undefined, 'enough for an operator')

    const ticket = await ticketOf(owner)
    const unverified = await check('sign-in', device, { isVerified: false })
    assert.equal(unverified.result, 'unverified')
    const { result } = await check('second-step', device, { isVerified: false }, owner)
    assert.ok(typeof result === 'object')
    const finished = await accounts.finishByPasskey({ ...caller, ticket }, result)
    assert.equal(finished.outcome, 'signed-in')
    assert.equal((await accounts.finishByPasskey({ ...caller, ticket }, result)).outcome, 'wrong')
    const recovery = await accounts.finishSignIn({ ...caller, ticket, code: codes?.[0] ?? '' })
    assert.equal(recovery.outcome, 'signed-in')
  })

  test('one answer opens one session, however often it is sent at once', async () => {
    const { owner, device } = await enrolled()
    const { accounts } = services()
    const before = (await accounts.sessionsOf(owner.candidateId)).length
    // Also of a device that does not count: then only the challenge tells.
    for (const counter of [2, 0]) {
      if (counter === 0) await services().database.writer.updateTable('passkeys').set({ counter }).execute()
      const { sent } = await check('sign-in', device, { counter })
      const results = await Promise.all(
        Array.from({ length: times(20, 50) }, async () => {
          const result = await passkeys().check('sign-in', sent)
          return typeof result === 'object' && accounts.signInByPasskey(caller, result)
        }),
      )
      assert.equal(results.filter(result => result !== false && result !== undefined).length, 1)
    }
    assert.equal((await accounts.sessionsOf(owner.candidateId)).length, before + 2)
  })

  test('one challenge makes one passkey, however often its answer is sent at once', async () => {
    const owner = await person()
    const request = passkeys().creation(owner, [])
    const device = createAuthenticator(origin)
    const made = await passkeys().checkNew(owner.candidateId, {
      ticket: request?.ticket ?? '',
      credential: device.create(request?.options ?? ''),
      name: 'A phone',
    })
    assert.ok(typeof made === 'object')
    const results = await Promise.all(
      Array.from({ length: times(5, 50) }, () => services().factors.addPasskey(owner, made, [])),
    )
    const outcomes = results.map(({ outcome }) => outcome)
    assert.equal(outcomes.filter(outcome => outcome === 'added').length, 1)
    assert.equal(outcomes.filter(outcome => outcome === 'used').length, outcomes.length - 1)
    assert.equal((await services().factors.find(owner.candidateId)).codesLeft, 10)
  })

  test('what was made for elsewhere, by others or for something else is refused', async () => {
    const { owner, device } = await enrolled()
    const { device: foreign, owner: stranger } = await enrolled()
    const { factors } = services()
    const lies: Lies[] = [
      { origin: 'https://jobs.example.com.evil.example' },
      { origin: 'http://jobs.example.com' },
      { rpId: 'example.com' },
      { challenge: 'AAAA' },
      { type: 'webauthn.other' },
      { isPresent: false },
      { userHandle: Buffer.from(stranger.candidateId).toString('base64url') },
      { id: foreign.id },
      { id: 'unknown' },
      { id: "x' or 1=1" },
      { id: '\0' },
      { id: 'a'.repeat(2000) },
    ]
    for (const lie of lies)
      assert.equal((await check('sign-in', device, lie)).result, 'wrong', JSON.stringify(lie))
    for (const lie of lies.slice(0, 6)) {
      const refused = await add(owner, createAuthenticator(origin), lie)
      assert.equal(refused.outcome, 'wrong', JSON.stringify(lie))
    }
    // A passkey of another account neither finishes nor confirms.
    for (const purpose of ['second-step', 'proof'] as const)
      assert.equal((await check(purpose, foreign, {}, owner)).result, 'wrong', purpose)

    const { sent, result } = await check('sign-in', device)
    assert.ok(typeof result === 'object')
    for (const purpose of ['second-step', 'proof'] as const) {
      assert.equal(await passkeys().check(purpose, sent, owner.candidateId), 'expired', purpose)
      assert.equal(await passkeys().check(purpose, sent), 'expired', purpose)
    }
    for (const credential of [
      '',
      'null',
      '[]',
      '{',
      '"x"',
      '{"id":1}',
      '{"id":"x","response":null}',
      '{"id":"x","response":{}}',
    ])
      assert.equal(await passkeys().check('sign-in', { ...sent, credential }), 'wrong', credential)
    for (const ticket of ['', 'x.y.z.w', `${sent.ticket}x`])
      assert.equal(await passkeys().check('sign-in', { ...sent, ticket }), 'expired', ticket)
    const elsewhere = await passkeys('https://other.example').check('sign-in', sent)
    assert.equal(elsewhere, 'wrong')
    clock.advance(600_000)
    assert.equal(await passkeys().check('sign-in', sent), 'expired')
    assert.equal((await factors.find(owner.candidateId)).passkeys.length, 1)
  })

  test('a counter that goes back tells of a copy', async () => {
    const { device } = await enrolled()
    assert.ok(await signIn(device))
    assert.equal((await check('sign-in', device, { counter: 1 })).result, 'copied')
    assert.equal((await check('sign-in', device, { counter: 0 })).result, 'copied')
    assert.ok(await signIn(device))
  })

  test('confirms for its owner, once, and with a verified user only', async () => {
    const { owner, device } = await enrolled()
    const other = await person()
    const { accounts } = services()
    assert.equal((await check('proof', device, { isVerified: false }, owner)).result, 'unverified')
    const { result } = await check('proof', device, {}, owner)
    assert.ok(typeof result === 'object')
    assert.equal((await accounts.proveByPasskey(other, result)).outcome, 'wrong')
    assert.deepEqual(await accounts.proveByPasskey(owner, result), {
      outcome: 'proved',
      at: clock(),
      by: 'passkey',
    })
    assert.equal((await accounts.proveByPasskey(owner, result)).outcome, 'wrong')
  })

  test('an account has so many; each belongs to one account; codes come with the first factor and go with the last', async () => {
    const { owner, device, codes } = await enrolled()
    const { factors } = services()
    const known = await add(await person(), device)
    assert.equal(known.outcome, 'known')
    const { secret } = await factors.beginTotp(owner)
    const app = await factors.addTotp(owner, { secret, code: codeByOathtool(secret, clock()) }, [])
    assert.deepEqual(app, { outcome: 'added', codes: undefined })
    for (let count = 1; count < 20; count++) assert.equal((await add(owner)).codes, undefined)
    assert.equal((await add(owner)).outcome, 'too-many')
    const found = await factors.find(owner.candidateId)
    assert.equal(found.passkeys.length, 20)
    assert.equal(found.codesLeft, codes?.length)

    const [first] = found.passkeys
    assert.equal(await factors.renamePasskey(owner.candidateId, first?.id ?? '', 'Old phone'), true)
    const stranger = await person()
    assert.equal(await factors.renamePasskey(stranger.candidateId, first?.id ?? '', 'Mine'), false)
    assert.equal(await factors.removePasskey(stranger, first?.id ?? '', []), false)
    const { name, transports, rpId } = (await factors.find(owner.candidateId)).passkeys[0] ?? {}
    assert.deepEqual(
      { name, transports, rpId },
      {
        name: 'Old phone',
        transports: ['internal', 'hybrid'],
        rpId: 'jobs.example.com',
      },
    )
    for (const { id } of found.passkeys) assert.equal(await factors.removePasskey(owner, id, []), true)
    assert.equal((await check('sign-in', device)).result, 'wrong', 'a removed passkey')
    assert.equal(await factors.hasSecondFactor(owner.candidateId), true)
    assert.equal((await factors.find(owner.candidateId)).codesLeft, 10)
    assert.equal(await factors.removeTotp(owner, []), true)
    assert.deepEqual(await factors.find(owner.candidateId), {
      totp: undefined,
      isAppLost: false,
      passkeys: [],
      codesLeft: 0,
    })
    assert.equal(await factors.renewCodes(owner.candidateId, []), undefined)
  })

  test('its removal ends the other sessions that were opened with it, and no others', async () => {
    const { owner, device, codes } = await enrolled()
    const { accounts, factors } = services()
    const second = (await add(owner)).device
    const { secret } = await factors.beginTotp(owner)
    await factors.addTotp(owner, { secret, code: codeByOathtool(secret, clock()) }, [])
    clock.advance(30_000)
    const ticket = await ticketOf(owner)
    const opened = {
      first: await signIn(device),
      second: await signIn(second),
      app: await accounts.finishSignIn({ ...caller, ticket, code: codeByOathtool(secret, clock()) }),
      recovery: await accounts.finishSignIn({ ...caller, ticket, code: codes?.[0] ?? '' }),
    }
    const left = async () => {
      const found = []
      for (const [name, session] of Object.entries(opened)) {
        const token = session && 'session' in session ? session.session : ''
        if ((await accounts.findSession(token)) !== undefined) found.push(name)
      }
      return found
    }
    assert.deepEqual(await left(), ['first', 'second', 'app', 'recovery'])
    assert.equal(await factors.removePasskey(owner, device.id, []), true)
    assert.deepEqual(await left(), ['second', 'app', 'recovery'])
    assert.equal(await factors.removeTotp(owner, []), true)
    assert.deepEqual(await left(), ['second', 'recovery'])
    const atHand = async () =>
      (await accounts.sessionsOf(owner.candidateId)).find(({ sessionId }) => sessionId === owner.sessionId)
    assert.deepEqual((await atHand())?.factors, ['password', 'passkey'], 'there is a factor')
    assert.equal(await factors.removePasskey(owner, second.id, []), true)
    assert.deepEqual(await left(), ['recovery'])
    for (const { factors: shown } of await accounts.sessionsOf(owner.candidateId))
      assert.deepEqual(shown, ['password'], 'what requires a factor asks for a new one')
  })

  test('a password set by a link removes the factors since the last one, but not an operator’s', async () => {
    const { accountStore, factors, database } = services()
    const reset = async ({ candidateId, sessionId, email }: Owner) => {
      const hash = newUuid()
      await accountStore.addLink({ hash, purpose: 'reset', candidateId, email, expiresAt: clock() + 1000 })
      assert.ok(await accountStore.resetPassword(hash, hashed, clock()))
      await addSession(services(), { candidateId, sessionId })
    }
    const owner = await person()
    clock.advance(1000)
    await add(owner, createAuthenticator(origin), {}, 'First')
    const marks = async () =>
      (await factors.listAtReset(owner.candidateId)).map(({ name, isRemoved }) => [name, isRemoved])
    clock.advance(1000)
    await reset(owner)
    assert.equal(await factors.hasSecondFactor(owner.candidateId), false)

    await add(owner, createAuthenticator(origin), {}, 'Second')
    await reset(owner)
    clock.advance(1000)
    const { secret } = await factors.beginTotp(owner)
    await factors.addTotp(owner, { secret, code: codeByOathtool(secret, clock()) }, [])
    assert.deepEqual(await marks(), [
      [undefined, true],
      ['Second', false],
    ])
    await joinBoard(database, owner.candidateId)
    assert.deepEqual(await marks(), [
      [undefined, false],
      ['Second', false],
    ])
    await reset(owner)
    assert.ok((await factors.find(owner.candidateId)).totp, 'the mailbox removes no factor of an operator')
    await database.writer.deleteFrom('operators').where('candidate_id', '=', owner.candidateId).execute()
  })

  test('without the second step nothing opens a session, and a reset removes every factor and session', async () => {
    const { owner } = await enrolled()
    const { accounts, accountStore, factors } = services()
    const account = await accountStore.find(owner.candidateId)
    assert.ok(account)
    assert.equal(await accounts.startSession(account, caller, ['password']), undefined)
    assert.equal(await accounts.startSession(account, caller, ['link']), undefined)
    assert.equal(await factors.reset(owner.candidateId, 'test'), true)
    assert.equal(await factors.reset(owner.candidateId, 'test'), false)
    assert.deepEqual(await factors.find(owner.candidateId), {
      totp: undefined,
      isAppLost: false,
      passkeys: [],
      codesLeft: 0,
    })
    assert.deepEqual(await accounts.sessionsOf(owner.candidateId), [])
  })

  test('the doctor tells of a wrong key, a missing key and another host', async () => {
    const { owner } = await enrolled()
    const { secret } = await services().factors.beginTotp(owner)
    await services().factors.addTotp(owner, { secret, code: codeByOathtool(secret, clock()) }, [])
    const says = async (config: Record<string, string>, key?: string) => {
      const secretKeys = () => (key === undefined ? services().secretKeys() : readWebhookKeys(key))
      const result = await checkFactors(appOf({ ...services(), secretKeys }), readConfig(config))
      return result?.says
    }
    const here = { BASE_URL: origin }
    assert.equal(await says(here), undefined)
    const other = Buffer.alloc(32, 'o').toString('base64')
    assert.match((await says(here, other)) ?? '', /apps cannot be used, because SECRETS_KEY is not the key/)
    assert.match(
      (await says({ BASE_URL: 'https://new.example' })) ?? '',
      /made for another host, such as jobs/,
    )
  })

  test('are asked for by name only, and where they were made', async () => {
    const { owner } = await enrolled()
    for (const url of ['http://127.0.0.1:8080', 'http://[::1]:8080'])
      assert.equal(passkeys(url).request('sign-in'), undefined, url)
    const found = { ...owner, ...(await services().factors.find(owner.candidateId)) }
    assert.equal(passkeys('https://other.example').request('proof', found), undefined)
    const options = JSON.parse(passkeys().request('proof', found)?.options ?? '')
    assert.deepEqual(
      options.allowCredentials.map(({ id }: { id: string }) => id),
      [found.passkeys[0]?.id],
    )
    assert.equal(JSON.parse(passkeys().request('sign-in')?.options ?? '').allowCredentials.length, 0)
  })
})
