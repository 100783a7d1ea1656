import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { hashPassword, isPassword } from '../../src/platform/core/password.ts'
import { addAccount } from '../harness/account.ts'
import { createAuthenticator } from '../harness/authenticator.ts'
import { movableClock } from '../harness/clock.ts'
import { withServices } from '../harness/database.ts'
import { codeByOathtool } from '../harness/oathtool.ts'
import { Browser, doorInto } from '../harness/oauth.ts'
import { createTestServer } from '../harness/server.ts'
import { recordStatements, type Statement } from '../harness/sql-recording.ts'

const clock = movableClock()
const password = 'a few words that fit'
const caller = { address: 'x', browser: undefined, userAgent: undefined, formerSession: undefined }

/** How many password hashes are computed from now on, in this process. */
function countHashes() {
  let count = 0
  const hook = createHook({
    init(_id, type) {
      if (/argon2/i.test(type)) count++
    },
  }).enable()
  return { count: () => count, stop: () => void hook.disable() }
}

withServices('an attempt to sign in', { clock }, (services, settings) => {
  let app: FastifyInstance
  let statements: Statement[]
  const emails = new Map<string, string>([['unknown', 'person-0@example.net']])
  const hashes = countHashes()
  before(async () => {
    app = (await createTestServer(services(), settings())).app
    for (const kind of ['password', 'app', 'passkey', 'unconfirmed']) {
      const email = `person-${emails.size}@example.net`
      const { accountStore, accounts, factors } = services()
      const passwordHash = await hashPassword(password)
      const isConfirmed = kind !== 'unconfirmed'
      const candidateId = await addAccount(services(), { email, passwordHash, isConfirmed })
      emails.set(kind, email)
      if (!isConfirmed) continue
      const account = (await accountStore.find(candidateId)) ?? assert.fail()
      const opened = await accounts.startSession(account, caller, ['password'])
      const owner = (await accounts.findSession(opened?.session ?? '')) ?? assert.fail()
      if (kind === 'app') {
        const { secret } = await factors.beginTotp(owner)
        const code = codeByOathtool(secret, clock())
        assert.equal((await factors.addTotp(owner, { secret, code }, [])).outcome, 'added')
      }
      if (kind === 'passkey') {
        assert.ok(factors.canEnrol())
        const origin = 'http://localhost:8080'
        const passkeys = services().passkeys(() => origin)
        const { ticket, options } = passkeys.creation(owner, []) ?? assert.fail()
        const credential = createAuthenticator(origin).create(options)
        const made = await passkeys.checkNew(candidateId, { ticket, credential, name: 'A phone' })
        assert.ok(typeof made === 'object')
        assert.equal((await factors.addPasskey(owner, made, [])).outcome, 'added')
      }
    }
    statements = recordStatements(services().database)
  })
  after(async () => {
    hashes.stop()
    await app.close()
  })

  /** All that a stranger can see of an attempt, and the work that it took. */
  async function attempt(kind: string, typed: string, address: string) {
    const email = emails.get(kind) ?? assert.fail()
    const visitor = new Browser(doorInto(app, address))
    const page = await visitor.get('/sign-in')
    const [hashed, sent] = [hashes.count(), statements.length]
    const { status, headers, text } = await visitor.submitSignIn(page, email, typed)
    const seen = [...headers].filter(([name]) => !['date', 'x-request-id', 'request-id'].includes(name))
    return {
      status,
      headers: JSON.stringify(seen),
      text: text
        .replaceAll(email, '')
        .replace(/(name="(form_token|passkey_ticket)" value|data-options)="[^"]*"/g, '$1'),
      hashes: hashes.count() - hashed,
      statements: statements.slice(sent).map(({ sql }) => sql),
    }
  }

  test('counts what it computes', async () => {
    const before = hashes.count()
    const stored = await hashPassword(password)
    await isPassword(password, stored)
    assert.equal(hashes.count() - before, 2)
  })

  for (const [what, typed] of Object.entries({
    wrong: 'not the password',
    empty: '',
    long: 'x'.repeat(9_000),
  }))
    test(`looks the same and takes the same work, whether there is an account and whatever it has: ${what}`, async () => {
      const all = []
      for (const kind of emails.keys()) all.push(await attempt(kind, typed, `192.0.2.${all.length}`))
      const [unknown, ...others] = all
      assert.deepEqual([unknown?.status, unknown?.hashes], [401, 1])
      for (const [index, other] of others.entries())
        assert.deepEqual(other, unknown, [...emails.keys()][index + 1])
    })

  test('with the right password of an account that is not confirmed looks like a wrong one', async () => {
    const [unknown, unconfirmed] = [
      await attempt('unknown', password, '192.0.2.8'),
      await attempt('unconfirmed', password, '192.0.2.9'),
    ]
    assert.deepEqual(unconfirmed, unknown)
  })

  test('has to wait for the same time, and costs no hash then', async () => {
    // Earlier attempts are forgotten.
    clock.advance(2 * 86_400_000)
    const all = []
    for (const kind of emails.keys()) {
      for (let count = 0; count < 5; count++) await attempt(kind, 'wrong', `192.0.2.${all.length}`)
      all.push(await attempt(kind, 'wrong', `192.0.2.${all.length}`))
    }
    assert.deepEqual([all[0]?.status, all[0]?.hashes], [429, 0])
    for (const each of all) assert.deepEqual(each, all[0])
  })
})
