import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { movableClock } from '../../../test/harness/clock.ts'
import { open, withServices } from '../../../test/harness/database.ts'
import { usePostBox } from '../../../test/harness/post-box.ts'
import { byPassword } from '../../../test/harness/proof.ts'
import type { Services } from '../../../test/harness/services.ts'
import { hashPassword } from '../../platform/core/password.ts'
import { hashSecret } from '../../platform/core/secrets.ts'
import { defaultLimits as limits } from '../../settings-limits.ts'
import type { Mail } from '../mail/ports.ts'
import { linkSeconds } from './links-service.ts'
import { signInFreeFailuresPerAddress } from './password-service.ts'
import type { SignInCaller, SignInResult } from './service.ts'
import { createSessionStore } from './session-store.ts'
import { signInFailuresForgottenSeconds } from './sign-in-delay.ts'

const clock = movableClock()
const password = 'a few words that fit'
const second = 1000

let people = 0
const newAddress = () => `person-${++people}@example.net`

const tokenIn = ({ text }: Mail) => /#(\S+)/.exec(text)?.[1] ?? ''
const departure = { continueTo: '/account', browserMark: 'the mark of this browser' }
const caller: SignInCaller = {
  address: '192.0.2.1',
  browser: undefined,
  userAgent: undefined,
  formerSession: undefined,
  securityMail: () => [],
}

function linksOf(services: Services) {
  const mailer = usePostBox(services)
  return { mailer, links: services.accountLinks(services.mailer()) }
}

async function newAccount(services: Services): Promise<string> {
  const email = newAddress()
  const { links, mailer } = linksOf(services)
  await links.signUp({ firstName: 'Ana', lastName: 'Silva', email, password }, departure)
  const done = await links.confirm(tokenIn(await mailer.next(email)), { ...caller, password })
  assert.equal(done.outcome, 'signed-in')
  return email
}

async function insertAccount({ database }: Services): Promise<string> {
  const email = newAddress()
  const rest = { first_name: 'Ana', last_name: 'Silva', profile: '{}', created_at: 0, email_confirmed_at: 0 }
  await database.writer
    .insertInto('candidates')
    .values({ id: email, email, password_hash: await hashPassword(password), ...rest })
    .execute()
  return email
}

withServices('the waits after wrong passwords', { clock }, (services, settings) => {
  const attempt = (email: string, typed: string, from: Partial<typeof caller> = {}) =>
    services().accounts.signIn({ ...caller, ...from, email, password: typed })

  /** Guesses until it has to wait; returns the number of guesses and the wait. */
  async function guess(email: string, from: { address?: string; browser?: string } = {}) {
    for (let attempts = 0; ; attempts++) {
      const result = await attempt(email, 'wrong', from)
      if (result.outcome === 'wait') return { attempts, seconds: result.seconds }
      assert.equal(result.outcome, 'wrong')
    }
  }

  test('grow, end, are not prolonged by further attempts, and survive a restart', async () => {
    const email = await insertAccount(services())
    assert.deepEqual(await guess(email, { address: 'a' }), { attempts: 5, seconds: 1 })
    for (const expected of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      const again = await open(settings(), clock)
      try {
        const waiting = await again.accounts.signIn({ ...caller, email, password })
        assert.deepEqual(waiting, { outcome: 'wait', seconds: expected })
      } finally {
        await again.close()
      }
      clock.advance(expected * second)
      assert.equal((await attempt(email, 'wrong', { address: 'a' })).outcome, 'wrong')
    }
    // No one is locked out for good, and a success resets the count.
    clock.advance(900 * second)
    assert.equal((await attempt(email, password)).outcome, 'signed-in')
    assert.deepEqual(await guess(email, { address: 'b' }), { attempts: 5, seconds: 1 })
  })

  test('are forgotten after a day', async () => {
    const email = await insertAccount(services())
    await guess(email, { address: 'c' })
    clock.advance(signInFailuresForgottenSeconds * second + 1)
    assert.deepEqual(await guess(email, { address: 'c' }), { attempts: 5, seconds: 1 })
  })

  test('do not apply to a browser that has signed in before, which has its own count', async () => {
    const email = await insertAccount(services())
    const signedIn = (await attempt(email, password)) as Extract<SignInResult, { outcome: 'signed-in' }>
    await guess(email, { address: 'd' })
    const { browser } = signedIn
    assert.equal((await attempt(email, password, { browser })).outcome, 'signed-in')
    // Neither a made-up cookie nor one known to another account makes a browser known.
    assert.equal((await attempt(email, password, { browser: 'made up' })).outcome, 'wait')
    const stranger = newAddress()
    await guess(stranger, { address: 'e' })
    assert.equal((await attempt(stranger, password, { browser })).outcome, 'wait')
    assert.deepEqual(await guess(email, { browser }), { attempts: 5, seconds: 1 })
  })

  test('slow down an address that tries many accounts, even if one attempt succeeds', async () => {
    const own = await insertAccount(services())
    const address = 'f'
    for (let i = 0; i < signInFreeFailuresPerAddress; i++) {
      // Unknown accounts count as well; each costs a whole hash.
      const email = i % 10 === 0 ? newAddress() : await insertAccount(services())
      assert.equal((await attempt(email, 'wrong', { address })).outcome, 'wrong')
      if (i % 10 === 0) assert.equal((await attempt(own, password, { address })).outcome, 'signed-in')
    }
    assert.equal((await attempt(newAddress(), 'wrong', { address })).outcome, 'wait')
    assert.equal((await attempt(own, password, { address: 'g' })).outcome, 'signed-in')
  })

  test('do not reveal whether an address that signed up had an account', async () => {
    const emails = [await insertAccount(services()), newAddress()]
    const chosen = 'some other words that fit'
    const { links, mailer } = linksOf(services())
    const outcomes: SignInResult[][] = []
    for (const email of emails) {
      await links.signUp({ firstName: 'Ana', lastName: 'Silva', email, password: chosen }, departure)
      await mailer.next(email)
      const results: SignInResult[] = []
      for (let i = 0; i < 7; i++) results.push(await attempt(email, chosen, { address: email }))
      outcomes.push(results)
    }
    assert.deepEqual(outcomes[0], outcomes[1])
    assert.deepEqual(outcomes[0]?.at(-1), { outcome: 'wait', seconds: 1 })
  })

  test('of an address do not restart after a right password', async () => {
    const [own, next] = [await insertAccount(services()), await insertAccount(services())]
    const address = 'renewed'
    for (let i = 0; i < signInFreeFailuresPerAddress + 2; i++) {
      if (i > 0) clock.advance(4 * second)
      const email = await insertAccount(services())
      assert.equal((await attempt(email, 'wrong', { address })).outcome, 'wrong')
    }
    const waiting = await attempt(own, password, { address })
    assert.deepEqual(waiting, { outcome: 'wait', seconds: 4 })
    clock.advance(4 * second)
    for (const email of [own, next]) {
      assert.equal((await attempt(email, password, { address })).outcome, 'signed-in')
    }
    // An attempt that was not checked, because its account has to wait, does not either.
    const guessed = await insertAccount(services())
    await guess(guessed, { address: 'elsewhere' })
    assert.equal((await attempt(guessed, 'wrong', { address })).outcome, 'wait')
    assert.equal((await attempt(own, password, { address })).outcome, 'signed-in')
    // Earlier attempts of the address still count.
    assert.equal((await attempt(newAddress(), 'wrong', { address })).outcome, 'wrong')
    assert.deepEqual(await attempt(own, password, { address }), { outcome: 'wait', seconds: 8 })
  })

  test('do not follow from attempts that could not be checked', async () => {
    const email = await insertAccount(services())
    const setHash = (password_hash: string) =>
      services()
        .database.writer.updateTable('candidates')
        .set({ password_hash })
        .where('email', '=', email)
        .execute()
    await setHash('unreadable')
    const from = { address: 'unlucky' }
    for (let tried = 0; tried < signInFreeFailuresPerAddress; tried++)
      await assert.rejects(attempt(email, password, from))
    await setHash(await hashPassword(password))
    assert.equal((await attempt(email, password, from)).outcome, 'signed-in')
  })

  test('end with a reset, for the browser that did it', async () => {
    const email = await insertAccount(services())
    await guess(email, { address: 'h' })
    const { links, mailer } = linksOf(services())
    await links.askToReset(email, departure)
    const reset = await links.reset(tokenIn(await mailer.next(email)), 'quite another one', undefined)
    assert.ok(reset.outcome === 'reset')
    await guess(email, { address: 'h' })
    const { browser } = reset
    assert.equal((await attempt(email, 'quite another one', { browser })).outcome, 'signed-in')
  })
})

withServices('sessions and links', { clock }, services => {
  async function signIn(email: string): Promise<string> {
    const result = await services().accounts.signIn({ ...caller, email, password })
    assert.ok(result.outcome === 'signed-in')
    return result.session
  }

  test('a session ends at its expiry, however it was used', async () => {
    const email = await insertAccount(services())
    const session = await signIn(email)
    clock.advance(limits.sessionSeconds * second - 1)
    assert.equal((await services().accounts.findSession(session))?.email, email)
    clock.advance(1)
    assert.equal(await services().accounts.findSession(session), undefined)
  })

  test('rejects hashes, other secrets and long texts as sessions', async () => {
    const session = await signIn(await insertAccount(services()))
    for (const value of [hashSecret(session), `${session}x`, '', 'x'.repeat(100_000)]) {
      assert.equal(await services().accounts.findSession(value), undefined)
    }
  })

  test('the last use is recorded once an hour', async () => {
    const email = await insertAccount(services())
    const session = await signIn(email)
    const owner = await services().accounts.findSession(session)
    const start = clock()
    const lastUsed = async () => {
      await services().accounts.findSession(session)
      // The write happens after the response; the writer runs one at a time.
      await createSessionStore(services().database).recordUse('nobody', 0, 0)
      const list = await services().accounts.sessionsOf(owner?.candidateId ?? '')
      return list.find(({ sessionId }) => sessionId === owner?.sessionId)?.lastUsedAt
    }
    clock.advance(3_599 * second)
    assert.equal(await lastUsed(), start)
    clock.advance(second)
    while ((await lastUsed()) !== start + 3_600 * second) await sleep(5)
  })

  test('useSession reports whether a session is valid and records its use', async () => {
    const { accounts } = services()
    const session = await signIn(await newAccount(services()))
    const owner = await accounts.findSession(session)
    const hash = accounts.sessionHash(session) ?? assert.fail()
    assert.equal(accounts.sessionHash('x'.repeat(100_000)), undefined)
    const lastUsedAt = clock()
    clock.advance(3_600 * second)
    assert.equal(accounts.useSession(hash, { lastUsedAt, expiresAt: clock() }), false)
    assert.equal(accounts.useSession(hash, { lastUsedAt, expiresAt: clock() + 1 }), true)
    const lastUsed = async () =>
      (await accounts.sessionsOf(owner?.candidateId ?? '')).find(
        ({ sessionId }) => sessionId === owner?.sessionId,
      )?.lastUsedAt
    while ((await lastUsed()) !== clock()) await sleep(5)
  })

  test('no session starts if the password was changed during the check', async () => {
    const store = createSessionStore(services().database)
    const email = await insertAccount(services())
    const owner = await services().accounts.findSession(await signIn(email))
    const session = { hash: 'h', sessionId: 's', browser: '', ...byPassword, createdAt: 0, expiresAt: 1 }
    assert.equal(await store.add(owner?.candidateId ?? '', 'the former hash', session), false)
    assert.equal(await store.find('h', 0), undefined)
  })

  test('a link expires after half an hour', async () => {
    const email = newAddress()
    const { links, mailer } = linksOf(services())
    await links.signUp({ firstName: 'Ana', lastName: 'Silva', email, password }, departure)
    const token = tokenIn(await mailer.next(email))
    clock.advance(linkSeconds * second - 1)
    assert.deepEqual(await links.findConfirmation(token, ''), {
      purpose: 'confirm',
      email,
      continueTo: '/account',
      isOfThisBrowser: false,
    })
    clock.advance(1)
    assert.equal(await links.findConfirmation(token, ''), undefined)
    assert.equal((await links.confirm(token, { ...caller, password })).outcome, 'gone')
  })

  test('only the browser of a sign-up confirms it without the password', async () => {
    const email = newAddress()
    const { links, mailer } = linksOf(services())
    const { browserMark } = departure
    await links.signUp({ firstName: 'Ana', lastName: 'Silva', email, password }, departure)
    const token = tokenIn(await mailer.next(email))
    const nothingTyped = { ...caller, password: '' }
    for (const mark of ['', 'the mark of another', undefined]) {
      assert.equal((await links.findConfirmation(token, mark ?? ''))?.isOfThisBrowser, false)
      assert.equal((await links.confirm(token, nothingTyped, mark)).outcome, 'wrong')
    }
    assert.equal((await links.findConfirmation(token, browserMark))?.isOfThisBrowser, true)
    assert.equal((await links.confirm(token, nothingTyped, browserMark)).outcome, 'signed-in')
    assert.equal((await links.confirm(token, nothingTyped, browserMark)).outcome, 'gone')
    // A link without a browser mark belongs to no browser.
    await links.askToReset(email, departure)
    assert.equal((await links.confirm(tokenIn(await mailer.next(email)), nothingTyped)).outcome, 'gone')
  })

  test("a resent link confirms what was typed in its own browser, never a stranger's input", async () => {
    const email = newAddress()
    const { links, mailer } = linksOf(services())
    const strangers = { continueTo: '/account', browserMark: 'the mark of the stranger' }
    const nothingTyped = { ...caller, password: '' }
    const again = async (from: typeof departure) => {
      await links.sendConfirmationAgain(email, from)
      return tokenIn(await mailer.next(email))
    }
    const typed = { firstName: 'Ana', lastName: 'Silva', email }
    await links.signUp({ ...typed, password: 'what the stranger typed' }, strangers)
    await mailer.next(email)
    // Requested in the owner's browser, in which nothing was typed yet.
    const first = await again(departure)
    const { browserMark } = departure
    assert.equal((await links.confirm(first, nothingTyped, browserMark)).outcome, 'wrong')
    await links.signUp({ ...typed, password }, departure)
    await mailer.next(email)
    const own = await again({ ...departure, continueTo: '/jobs/31/apply' })
    const found = await links.findConfirmation(own, browserMark)
    assert.deepEqual([found?.isOfThisBrowser, found?.continueTo], [true, '/jobs/31/apply'])
    assert.equal((await links.confirm(own, nothingTyped, browserMark)).outcome, 'signed-in')
    const attempt = { ...caller, email, password: 'what the stranger typed' }
    assert.equal((await services().accounts.signIn(attempt)).outcome, 'wrong')
    await signIn(email)
  })

  test('a reset continues to where it was requested', async () => {
    const email = await insertAccount(services())
    const { links, mailer } = linksOf(services())
    await links.askToReset(email, { continueTo: '/jobs/31/apply' })
    const done = await links.reset(tokenIn(await mailer.next(email)), 'quite another one')
    assert.ok(done.outcome === 'reset' && done.continueTo === '/jobs/31/apply')
  })

  test('a link works for its own purpose only', async () => {
    const email = await insertAccount(services())
    const { links, mailer } = linksOf(services())
    await links.askToReset(email, departure)
    const token = tokenIn(await mailer.next(email))
    assert.equal(await links.findConfirmation(token, ''), undefined)
    assert.equal((await links.confirm(token, { ...caller, password })).outcome, 'gone')
    assert.equal((await links.changeEmail(token, { ...caller, password })).outcome, 'gone')
    assert.deepEqual((await links.findReset(token))?.email, email)
    assert.equal((await links.reset(token, 'short', undefined)).outcome, 'invalid')
  })

  test('a link to a former address no longer works', async () => {
    const email = await newAccount(services())
    const next = newAddress()
    const owner = await services().accounts.findSession(await signIn(email))
    assert.ok(owner !== undefined)
    const { links, mailer } = linksOf(services())
    await links.askToReset(email, departure)
    const reset = tokenIn(await mailer.next(email))
    await links.askToChangeEmail(owner, { ...caller, email: next, password })
    await mailer.next(email)
    const change = tokenIn(await mailer.next(next))
    assert.equal((await links.changeEmail(change, { ...caller, password })).outcome, 'signed-in')
    assert.equal((await links.reset(reset, 'quite another one', undefined)).outcome, 'gone')
  })
})
