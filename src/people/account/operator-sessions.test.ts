import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { open, withServices } from '../../../test/harness/database.ts'
import { hashPassword } from '../../platform/core/password.ts'
import type { SignInCaller } from './service.ts'

const clock = movableClock()
const password = 'a few words that fit'
const minute = 60_000
const caller: SignInCaller = {
  address: '192.0.2.1',
  browser: undefined,
  userAgent: undefined,
  formerSession: undefined,
  securityMail: () => [],
}

withServices('the session of an operator', { clock }, (services, settings) => {
  const makeOperator = (id: string) =>
    services()
      .database.writer.insertInto('operators')
      .values({ candidate_id: id, role: 'viewer', created_at: clock() })
      .execute()

  async function signIn(email: string): Promise<string> {
    const account = { first_name: 'Ana', last_name: 'Silva', profile: '{}', created_at: 0 }
    await services()
      .database.writer.insertInto('candidates')
      .values({
        id: email,
        email,
        email_confirmed_at: 0,
        ...account,
        password_hash: await hashPassword(password),
      })
      .onConflict(conflict => conflict.doNothing())
      .execute()
    const signedIn = await services().accounts.signIn({ ...caller, email, password })
    assert.ok(signedIn.outcome === 'signed-in')
    return signedIn.session
  }

  /** Whether it is there after this many minutes; a use is written before the next one. */
  async function isThereAfter(session: string, minutes: number): Promise<boolean> {
    clock.advance(minutes * minute)
    const found = await services().accounts.findSession(session)
    await services().background.whenIdle()
    return found !== undefined
  }

  const newOperator = async (email: string) => {
    await signIn(email)
    await makeOperator(email)
    return signIn(email)
  }

  test('ends after an hour without use', async () => {
    const session = await newOperator('idle@example.org')
    assert.equal(await isThereAfter(session, 59), true)
    assert.equal(await isThereAfter(session, 59), true)
    const [listed] = await services().accounts.sessionsOf('idle@example.org')
    assert.ok(listed)
    assert.equal(await isThereAfter(session, 60), false)
    const { useSession, sessionHash } = services().accounts
    const { expires_at: expiresAt } = await services()
      .database.reader.selectFrom('sessions')
      .select('expires_at')
      .where('hash', '=', sessionHash(session) ?? '')
      .executeTakeFirstOrThrow()
    // As the authorization endpoint reads it.
    assert.equal(useSession('-', { lastUsedAt: clock(), expiresAt }), false)
  })

  test('ends after twelve hours, however it was used', async () => {
    const session = await newOperator('busy@example.org')
    for (let half = 1; half < 24; half++) assert.equal(await isThereAfter(session, 30), true)
    assert.equal(await isThereAfter(session, 30), false)
  })

  test('lasts no longer than any session may', async t => {
    const email = 'short@example.org'
    await newOperator(email)
    const short = await open({ ...settings(), SESSION_SECONDS: '1800' }, clock)
    t.after(short.close)
    const signedIn = await short.accounts.signIn({ ...caller, email, password })
    assert.ok(signedIn.outcome === 'signed-in')
    const found: boolean[] = []
    for (let each = 0; each < 2; each++) {
      clock.advance(20 * minute)
      found.push((await short.accounts.findSession(signedIn.session)) !== undefined)
      await short.background.whenIdle()
    }
    assert.deepEqual(found, [true, false])
  })

  test('ends by these rules also if it was opened before', async () => {
    const session = await signIn('later@example.org')
    assert.equal(await isThereAfter(session, 90), true)
    assert.equal(await isThereAfter(session, 90), true)
    await makeOperator('later@example.org')
    assert.equal(await isThereAfter(session, 90), false)
  })
})
