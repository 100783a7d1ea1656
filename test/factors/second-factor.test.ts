import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid } from '../../src/platform/core/ids.ts'
import { hashPassword } from '../../src/platform/core/password.ts'
import { addAccount } from '../harness/account.ts'
import { movableClock } from '../harness/clock.ts'
import { withServices } from '../harness/database.ts'
import { times } from '../harness/effort.ts'
import { codeByOathtool } from '../harness/oathtool.ts'
import { addSession, proved } from '../harness/proof.ts'

const start = Date.parse('2026-11-14T00:00:00Z')
const clock = movableClock(start)
const password = 'a right password of some length'
const hashed = await hashPassword(password)
const caller = {
  address: '192.0.2.7',
  browser: undefined,
  userAgent: 'Firefox/1',
  formerSession: undefined,
  securityMail: () => [],
}

withServices('the second factor', { clock }, services => {
  let people = 0
  async function person() {
    const email = `person${people++}@example.com`
    const candidateId = await addAccount(services(), { email, passwordHash: hashed })
    const sessionId = newUuid()
    await addSession(services(), { candidateId, sessionId })
    return { candidateId, email, sessionId, firstName: 'A', isMember: false, ...proved }
  }
  /** A person with an app, one step after its first code. */
  async function enrolled() {
    const owner = await person()
    const { factors } = services()
    const { secret, sealed } = await factors.beginTotp(owner)
    assert.equal(factors.openEnrolment(owner, sealed), secret)
    const added = await factors.addTotp(owner, { secret, code: codeByOathtool(secret, clock()) }, [])
    assert.equal(added.outcome, 'added')
    const codes = (added.outcome === 'added' ? added.codes : undefined) ?? []
    clock.advance(30_000)
    return { ...owner, secret, codes }
  }
  const first = (email: string, typed = password) =>
    services().accounts.signIn({ ...caller, email, password: typed })
  async function ticketOf(email: string): Promise<string> {
    const result = await first(email)
    assert.equal(result.outcome, 'second-step')
    return result.outcome === 'second-step' ? result.ticket : ''
  }
  const second = (ticket: string, code: string, from: Partial<typeof caller> = {}) =>
    services().accounts.finishSignIn({ ...caller, ...from, ticket, code })

  test('codes of oathtool are accepted one step to either side, and no further', async () => {
    for (const [offset, expected] of [
      [-60_000, 'wrong'],
      [-30_000, 'signed-in'],
      [0, 'signed-in'],
      [30_000, 'signed-in'],
      [60_000, 'wrong'],
    ] as const) {
      for (const edge of [0, 29_999]) {
        const { email, secret } = await enrolled()
        // Far enough from the code of the enrolment, at the first and the last millisecond of a step.
        clock.set(Math.ceil(clock() / 30_000) * 30_000 + 120_000 + edge)
        const code = codeByOathtool(secret, clock() + offset)
        const result = await second(await ticketOf(email), code, { address: email })
        assert.equal(result.outcome, expected, `${offset} ${edge}`)
      }
    }
  })

  test('one code opens one session, however often it is sent at once', async () => {
    const { email, candidateId, secret } = await enrolled()
    await services().accounts.endOtherSessions(candidateId, '-')
    const ticket = await ticketOf(email)
    const code = codeByOathtool(secret, clock())
    const count = times(20, 50)
    const results = await Promise.all(
      Array.from({ length: count }, (_, at) => second(ticket, code, { address: `192.0.2.${at}` })),
    )
    assert.equal(results.filter(({ outcome }) => outcome === 'signed-in').length, 1)
    assert.equal((await services().accounts.sessionsOf(candidateId)).length, 1)
    const [session] = await services().accounts.sessionsOf(candidateId)
    assert.deepEqual(session?.factors, ['password', 'totp'])
  })

  test('one enrolment is made, however often its form is sent at once', async () => {
    const owner = await person()
    const { factors } = services()
    const { secret } = await factors.beginTotp(owner)
    const typed = { secret, code: codeByOathtool(secret, clock()) }
    const results = await Promise.all(
      Array.from({ length: times(12, 50) }, () => factors.addTotp(owner, typed, [])),
    )
    const added = results.flatMap(result => (result.outcome === 'added' ? [result] : []))
    assert.equal(added.length, 1)
    // The codes that were shown are those that work.
    const ticket = await ticketOf(owner.email)
    assert.equal((await second(ticket, added[0]?.codes?.[0] ?? '')).outcome, 'signed-in')
  })

  test('one recovery code opens one session, and confirms nothing', async () => {
    const { email, candidateId, codes } = await enrolled()
    assert.equal(codes.length, 10)
    const ticket = await ticketOf(email)
    const typed = (codes[0] ?? '').toUpperCase().replaceAll('-', ' ')
    const count = times(20, 50)
    const results = await Promise.all(
      Array.from({ length: count }, (_, at) => second(ticket, typed, { address: `192.0.2.${at}` })),
    )
    assert.equal(results.filter(({ outcome }) => outcome === 'signed-in').length, 1)
    const [session] = await services().accounts.sessionsOf(candidateId)
    assert.deepEqual(session?.factors, ['password', 'recovery'])
    assert.equal((await services().factors.find(candidateId)).codesLeft, 9)
    const owner = {
      candidateId,
      email,
      sessionId: session?.sessionId ?? '',
      firstName: '',
      isMember: false,
      ...proved,
    }
    const byRecovery = await services().accounts.proveByCode(owner, {
      ...caller,
      address: 'x',
      code: codes[1] ?? '',
    })
    assert.notEqual(byRecovery.outcome, 'proved')
    assert.equal((await services().factors.find(candidateId)).codesLeft, 9)
  })

  test('the code of the enrolment, and one that confirmed something, sign no one in', async () => {
    const owner = await person()
    const { factors, accounts } = services()
    const { secret } = await factors.beginTotp(owner)
    const code = codeByOathtool(secret, clock())
    await factors.addTotp(owner, { secret, code }, [])
    const ticket = await ticketOf(owner.email)
    assert.equal((await second(ticket, code, { address: 'a' })).outcome, 'wrong')
    clock.advance(30_000)
    const next = codeByOathtool(secret, clock())
    const signedIn = await second(ticket, next, { address: 'b' })
    assert.equal(signedIn.outcome, 'signed-in')
    const session = signedIn.outcome === 'signed-in' && (await accounts.findSession(signedIn.session))
    assert.ok(session)
    assert.equal(
      (await accounts.proveByCode(session, { ...caller, address: 'c', code: next })).outcome,
      'wrong',
    )
    clock.advance(30_000)
    const later = codeByOathtool(secret, clock())
    assert.equal(
      (await accounts.proveByCode(session, { ...caller, address: 'd', code: later })).outcome,
      'proved',
    )
    assert.equal((await second(await ticketOf(owner.email), later, { address: 'e' })).outcome, 'wrong')
  })

  test('wrong codes are slowed down, and the right password does not excuse them', async () => {
    const { email, secret } = await enrolled()
    const from = { address: 'guesses' }
    let outcome: string | undefined
    for (let guess = 0; outcome !== 'wait'; guess++) {
      assert.ok(guess < 20)
      const started = await services().accounts.signIn({ ...caller, ...from, email, password })
      if (started.outcome !== 'second-step') {
        outcome = started.outcome
        continue
      }
      outcome = (await second(started.ticket, '000000', from)).outcome
    }
    const wait = await services().accounts.signIn({ ...caller, ...from, email, password })
    assert.equal(wait.outcome, 'wait')
    clock.advance(3_600_000)
    const code = codeByOathtool(secret, clock())
    assert.equal((await second(await ticketOf(email), code)).outcome, 'signed-in')
  })

  test('the second step is found out by the right password only', async () => {
    const { email } = await enrolled()
    const plain = await person()
    const outcomes = [
      await first(email, 'wrong'),
      await first(plain.email, 'wrong'),
      await first('no.one@example.com', 'wrong'),
    ]
    assert.deepEqual(outcomes, [{ outcome: 'wrong' }, { outcome: 'wrong' }, { outcome: 'wrong' }])
  })

  test('a ticket is of use for ten minutes, for its account and its password', async () => {
    const { email, secret, candidateId } = await enrolled()
    const ticket = await ticketOf(email)
    const code = () => codeByOathtool(secret, clock())
    for (const other of ['', 'x.y.z.w', `${ticket}x`, ticket.slice(0, -2)])
      assert.equal((await second(other, code())).outcome, 'expired')
    clock.advance(600_000)
    assert.equal((await second(ticket, code())).outcome, 'expired')
    const fresh = await ticketOf(email)
    await services()
      .database.writer.updateTable('candidates')
      .set({ password_hash: 'changed' })
      .where('id', '=', candidateId)
      .execute()
    assert.equal((await second(fresh, code())).outcome, 'expired')
  })

  test('without the second step, nothing opens a session', async () => {
    const { candidateId } = await enrolled()
    const account = await services().accountStore.find(candidateId)
    assert.ok(account)
    assert.equal(await services().accounts.startSession(account, caller, ['password']), undefined)
    assert.equal(await services().accounts.startSession(account, caller, ['link']), undefined)
  })

  test('secrets are encrypted for their account, and gone with the factor or the account', async () => {
    const owner = await enrolled()
    const { candidateId, secret, codes } = owner
    const other = await enrolled()
    const { database, factors } = services()
    const rows = async () => {
      const all = [
        await database.writer.selectFrom('totp_factors').selectAll().execute(),
        await database.writer.selectFrom('recovery_codes').selectAll().execute(),
      ]
      return JSON.stringify(all)
    }
    const stored = await rows()
    for (const word of [secret, ...codes]) assert.ok(!stored.includes(word))
    const mine = await database.writer
      .selectFrom('totp_factors')
      .select('secret')
      .where('candidate_id', '=', candidateId)
      .executeTakeFirstOrThrow()
    await database.writer
      .updateTable('totp_factors')
      .set(mine)
      .where('candidate_id', '=', other.candidateId)
      .execute()
    await assert.rejects(factors.checkTotp(other.candidateId, '123456'), /SECRETS_KEY/)
    assert.equal(await factors.removeTotp(owner, []), true)
    assert.equal(await factors.removeTotp(owner, []), false)
    assert.equal(await factors.renewCodes(candidateId, []), undefined)
    assert.ok(!(await rows()).includes(candidateId))
  })

  test('the first factor cancels a change of address that was asked for with the password alone', async () => {
    const owner = await person()
    const { accountStore, factors } = services()
    const { candidateId, email } = owner
    for (const purpose of ['change-email', 'reset'] as const)
      await accountStore.addLink({
        hash: `${purpose} ${candidateId}`,
        purpose,
        candidateId,
        email,
        expiresAt: clock() + 1000,
      })
    const { secret } = await factors.beginTotp(owner)
    await factors.addTotp(owner, { secret, code: codeByOathtool(secret, clock()) }, [])
    const find = (purpose: 'change-email' | 'reset') =>
      accountStore.findLink(`${purpose} ${candidateId}`, purpose, clock())
    assert.equal(await find('change-email'), undefined)
    assert.ok(await find('reset'))
  })

  test('new recovery codes end the old ones', async () => {
    const { candidateId, email, codes } = await enrolled()
    const renewed = await services().factors.renewCodes(candidateId, [])
    assert.equal(renewed?.length, 10)
    const ticket = await ticketOf(email)
    assert.equal((await second(ticket, codes[0] ?? '', { address: 'old' })).outcome, 'wrong')
    assert.equal((await second(ticket, renewed?.[0] ?? '', { address: 'new' })).outcome, 'signed-in')
  })
})
