import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SignInCaller } from '../../src/people/account/service.ts'
import type { Mail } from '../../src/people/mail/ports.ts'
import { hashPassword } from '../../src/platform/core/password.ts'
import { hashSecret } from '../../src/platform/core/secrets.ts'
import { movableClock } from '../harness/clock.ts'
import { createTestDatabase, engines, open, type TestDatabase } from '../harness/database.ts'
import { some } from '../harness/effort.ts'
import { codeByOathtool } from '../harness/oathtool.ts'
import { usePostBox } from '../harness/post-box.ts'
import type { Services } from '../harness/services.ts'
import { makeCopy, waysOn } from './copies.ts'

const clock = movableClock()
const oldPassword = 'a few words that fit'
const newPassword = 'quite another one'
const caller: SignInCaller = {
  address: '192.0.2.1',
  browser: undefined,
  userAgent: undefined,
  formerSession: undefined,
  securityMail: () => [],
}
const tokenIn = ({ text }: Mail) => /#(\S+)/.exec(text)?.[1] ?? assert.fail()

async function opened({ settings }: TestDatabase): Promise<Services> {
  clock.advance(60_000)
  const services = await open(settings, clock)
  await services.restoreDetection.begin()
  return services
}

async function addAccount({ database: { writer } }: Services, name: string): Promise<void> {
  const rest = { first_name: name, last_name: 'Silva', profile: '{}', created_at: clock() }
  const account = { id: name, email: `${name}@example.org`, email_confirmed_at: clock(), ...rest }
  await writer
    .insertInto('candidates')
    .values({ ...account, password_hash: await hashPassword(oldPassword) })
    .execute()
}

const ownerOf = (candidateId: string) => ({ candidateId, sessionId: '-' })

async function addApp(services: Services, candidateId: string, email = `${candidateId}@example.org`) {
  const { factors, accounts } = services
  const signedIn = await signIn(services, email)
  const session = signedIn.outcome === 'signed-in' ? signedIn.session : assert.fail()
  const owner = (await accounts.findSession(session)) ?? assert.fail()
  const { secret } = await factors.beginTotp(owner)
  const added = await factors.addTotp(owner, { secret, code: codeByOathtool(secret, clock()) }, [])
  assert.ok(added.outcome === 'added' && added.codes !== undefined)
  clock.advance(60_000)
  return { secret, codes: added.codes }
}

const signIn = async ({ accounts }: Services, email: string, password = oldPassword) =>
  accounts.signIn({ ...caller, email, password })

async function finish(services: Services, email: string, code: string): Promise<string> {
  const half = await signIn(services, email)
  assert.ok(half.outcome === 'second-step', half.outcome)
  return (await services.accounts.finishSignIn({ ...caller, ticket: half.ticket, code })).outcome
}

/** By the link that is mailed to the address; undefined if none is. */
async function resetBy(services: Services, email: string): Promise<string | undefined> {
  const box = usePostBox(services)
  const links = services.accountLinks(services.mailer())
  await links.askToReset(email, { continueTo: '/account' })
  await services.background.whenIdle()
  const [mail] = box.mails.splice(0)
  if (mail === undefined) return undefined
  assert.equal((await links.reset(tokenIn(mail), newPassword)).outcome, 'reset')
  await services.background.whenIdle()
  return mail.to
}

async function changeAddress(services: Services, name: string, email: string): Promise<void> {
  clock.advance(1000)
  const box = usePostBox(services)
  const links = services.accountLinks(services.mailer())
  const signedIn = await signIn(services, `${name}@example.org`)
  const session = signedIn.outcome === 'signed-in' ? signedIn.session : assert.fail()
  const owner = (await services.accounts.findSession(session)) ?? assert.fail()
  await links.askToChangeEmail(owner, { ...caller, email, password: oldPassword })
  await services.background.whenIdle()
  const mail = box.mails.find(({ to }) => to === email) ?? assert.fail()
  const changed = await links.changeEmail(tokenIn(mail), { ...caller, password: oldPassword })
  assert.equal(changed.outcome, 'signed-in')
  await services.background.whenIdle()
}

for (const engine of some(1, engines)) {
  describe(`how people sign in after a restore [${engine}]`, () => {
    const [way = 'dump'] = waysOn(engine)

    /** The database as it was before `change`, restored after it. */
    async function restored<T>(
      t: { after(body: () => Promise<void>): void },
      prepare: (services: Services) => Promise<T>,
      change: (services: Services, prepared: T) => Promise<void>,
    ): Promise<{ services: Services; prepared: T }> {
      const database = await createTestDatabase(engine, 'empty')
      t.after(database.remove)
      const first = await open(database.settings, clock)
      await first.schema.migrate()
      await first.restoreDetection.begin()
      const prepared = await prepare(first)
      await first.close()
      const copy = await makeCopy(database, way, 'before', false)
      const second = await opened(database)
      await change(second, prepared)
      await second.close()
      await copy.restore()
      const services = await opened(database)
      t.after(() => services.close())
      return { services, prepared }
    }

    test('removed factors and used or replaced recovery codes stay away, and those added since are named', async t => {
      const people = ['ana', 'ben', 'cleo', 'dora', 'eve', 'finn']
      const { services, prepared } = await restored(
        t,
        async first => {
          for (const name of people) await addAccount(first, name)
          const passkey = { name: 'A phone', rp_id: 'example.org', public_key: '-', counter: 0 }
          await first.database.writer
            .insertInto('passkeys')
            .values({
              id: 'lost phone',
              candidate_id: 'dora',
              ...passkey,
              transports: '',
              created_at: clock(),
              last_used_at: clock(),
            })
            .execute()
          const [ana, ben, cleo] = [
            await addApp(first, 'ana'),
            await addApp(first, 'ben'),
            await addApp(first, 'cleo'),
          ]
          return { ana, ben, cleo }
        },
        async (second, { ben, cleo }) => {
          assert.equal(await second.factors.removeTotp(ownerOf('ana'), []), true)
          assert.equal(await finish(second, 'ben@example.org', ben.codes[0] ?? ''), 'signed-in')
          assert.equal((await second.factors.renewCodes('cleo', []))?.length, 10)
          assert.equal(await second.factors.removePasskey(ownerOf('dora'), 'lost phone', []), true)
          assert.equal(cleo.codes.length, 10)
          await addApp(second, 'eve')
          // Added and removed again: nothing is missing.
          await addApp(second, 'finn')
          assert.equal(await second.factors.removeTotp(ownerOf('finn'), []), true)
        },
      )
      const left = await Promise.all(people.map(name => services.factors.find(name)))
      assert.deepEqual(
        left.map(({ totp, passkeys, codesLeft }) => [totp !== undefined, passkeys.length, codesLeft]),
        [
          [false, 0, 0],
          [true, 0, 9],
          [true, 0, 0],
          [false, 0, 0],
          [false, 0, 0],
          [false, 0, 0],
        ],
      )
      const { ben } = prepared
      assert.equal(await finish(services, 'ben@example.org', ben.codes[0] ?? ''), 'wrong')
      assert.equal(await finish(services, 'ben@example.org', ben.codes[1] ?? ''), 'signed-in')
      const named = async () =>
        (await services.restoreDetection.checklist()).accountsWithoutFactor.map(({ email }) => email)
      assert.deepEqual(await named(), ['eve@example.org'])
      await addApp(services, 'eve')
      assert.deepEqual(await named(), [])
    })

    test('a changed password stays changed: the old one is refused, and a mailed link sets another', async t => {
      const { services } = await restored(
        t,
        async first => {
          for (const name of ['ana', 'ben']) await addAccount(first, name)
        },
        async second => {
          assert.equal(await resetBy(second, 'ana@example.org'), 'ana@example.org')
        },
      )
      for (const password of [oldPassword, newPassword])
        assert.equal((await signIn(services, 'ana@example.org', password)).outcome, 'wrong')
      assert.equal((await signIn(services, 'ben@example.org')).outcome, 'signed-in')
      assert.equal(await services.wasRestored(), true)
      assert.equal(await resetBy(services, 'ana@example.org'), 'ana@example.org')
      assert.equal((await signIn(services, 'ana@example.org', newPassword)).outcome, 'signed-in')
      // Replaying it in a database that has moved on changes nothing.
      await services.restoreDetection.reconcile(1)
      assert.equal((await signIn(services, 'ana@example.org', newPassword)).outcome, 'signed-in')
      clock.advance(61 * 86_400_000)
      assert.equal(await services.wasRestored(), false)
    })

    test('what the owner has undone stays undone', async t => {
      const { services } = await restored(
        t,
        async first => {
          await addAccount(first, 'ana')
          await changeAddress(first, 'ana', 'thief@example.net')
          await addApp(first, 'ana', 'thief@example.net')
        },
        async second => {
          const change = { change_id: 'change', candidate_id: 'ana', kind: 'email' } as const
          const rest = { email: 'ana@example.org', changed_at: 0, expires_at: clock() + 1000 }
          const rows = ['change', hashSecret('undo')].map(hash => ({ hash, ...change, ...rest }))
          await second.database.writer.insertInto('undo_links').values(rows).execute()
          const undo = second.undo(second.accountLinks(second.mailer()))
          assert.equal((await undo.undo('undo', newPassword)).outcome, 'undone')
        },
      )
      assert.deepEqual(await services.database.reader.selectFrom('undo_links').selectAll().execute(), [])
      assert.equal((await services.factors.find('ana')).totp, undefined)
      assert.equal(await resetBy(services, 'thief@example.net'), undefined)
      for (const email of ['thief@example.net', 'ana@example.org'])
        assert.equal((await signIn(services, email)).outcome, 'wrong')
      assert.equal(await resetBy(services, 'ana@example.org'), 'ana@example.org')
      assert.equal((await signIn(services, 'ana@example.org', newPassword)).outcome, 'signed-in')
    })

    test('a changed address stays changed: links go to the new one alone, which no note names', async t => {
      const { services } = await restored(
        t,
        async first => {
          await addAccount(first, 'ana')
        },
        async second => {
          await changeAddress(second, 'ana', 'ana.between@example.net')
          const { writer } = second.database
          // Signs in by the name of the account in `changeAddress`.
          await writer
            .updateTable('candidates')
            .set({ email: 'ana@example.org' })
            .where('id', '=', 'ana')
            .execute()
          await changeAddress(second, 'ana', 'ana.now@example.net')
          for await (const part of second.restoreDetection.tombstones.read())
            assert.doesNotMatch(JSON.stringify(part), /example/)
        },
      )
      for (const former of ['ana@example.org', 'ana.between@example.net']) {
        assert.equal(await resetBy(services, former), undefined)
        assert.equal((await signIn(services, former)).outcome, 'wrong')
      }
      const box = usePostBox(services)
      const links = services.accountLinks(services.mailer())
      const stranger = { firstName: 'A', lastName: 'B', email: 'ana@example.org', password: newPassword }
      await links.signUp(stranger, { continueTo: '/account' })
      await services.background.whenIdle()
      assert.deepEqual(
        box.mails.map(({ subject }) => subject),
        ['Confirm your email address'],
      )
      // The password was not changed.
      assert.equal((await signIn(services, 'ana.now@example.net')).outcome, 'signed-in')
      assert.equal(await resetBy(services, 'ana.now@example.net'), 'ana.now@example.net')
      assert.equal((await services.accountStore.find('ana'))?.email, 'ana.now@example.net')
      await services.restoreDetection.reconcile(1)
      assert.equal((await services.accountStore.find('ana'))?.email, 'ana.now@example.net')
    })

    test('the owner gets the account back by signing up, and a claim to the new address takes it from no one', async t => {
      const names = ['ana', 'ben', 'cleo']
      const { services } = await restored(
        t,
        async first => {
          for (const name of names) await addAccount(first, name)
          // A stranger had claimed Ben's new address, and confirmed nothing.
          await addAccount(first, 'stranger')
          await first.database.writer
            .updateTable('candidates')
            .set({ email: 'ben.now@example.net', email_confirmed_at: null })
            .where('id', '=', 'stranger')
            .execute()
        },
        async second => {
          for (const name of names) await changeAddress(second, name, `${name}.now@example.net`)
        },
      )
      const box = usePostBox(services)
      const links = services.accountLinks(services.mailer())
      const ana = { firstName: 'A', lastName: 'B', email: 'ana.now@example.net', password: newPassword }
      await links.signUp(ana, { continueTo: '/account' })
      await services.background.whenIdle()
      assert.deepEqual(
        box.mails.map(({ to, subject }) => [to, subject]),
        [['ana.now@example.net', 'You already have an account']],
      )
      assert.equal((await signIn(services, 'ana.now@example.net')).outcome, 'signed-in')
      assert.equal((await signIn(services, 'ben.now@example.net')).outcome, 'signed-in')
      // An operator who erases a person finds the account as well.
      const cleo = await services.board.findPerson('cleo.now@example.net')
      assert.equal(cleo.account?.candidateId, 'cleo')
    })
  })
}
