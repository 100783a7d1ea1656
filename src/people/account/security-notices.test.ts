import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { codeByOathtool } from '../../../test/harness/oathtool.ts'
import { usePostBox } from '../../../test/harness/post-box.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import type { Mail } from '../mail/ports.ts'
import type { SecurityNotice } from './account-mail.ts'
import type { AccountLinks } from './links-service.ts'
import type { SignInCaller } from './service.ts'

const clock = movableClock()
const password = 'a few words that fit'
const hour = 3_600_000
const tokenIn = ({ text }: Mail) => /#(\S+)/.exec(text)?.[1] ?? assert.fail()
const digestSubject = 'More changes to your account'

withServices('security notices', { clock }, services => {
  let links: AccountLinks
  let box: ReturnType<typeof usePostBox>
  let people = 0
  before(() => {
    box = usePostBox(services())
    links = services().accountLinks(services().mailer())
    services().stopWaking()
  })
  // Each test begins with an hour.
  beforeEach(() => clock.set((Math.floor(clock() / hour) + 2) * hour))

  const sent = () => box.sent()
  const subjects = async () => (await sent()).map(({ subject }) => subject).toSorted()
  const from = (): SignInCaller => ({
    address: `192.0.2.${people}`,
    browser: 'known',
    formerSession: undefined,
    userAgent: undefined,
    securityMail: links.securityMail,
  })

  async function person() {
    const email = `notices-${++people}@example.net`
    await links.signUp(
      { firstName: 'Ana', lastName: 'Silva', email, password },
      { continueTo: '/account', browserMark: 'mark' },
    )
    const done = await links.confirm(tokenIn(await box.next(email)), { ...from(), password }, 'mark')
    assert.ok(done.outcome === 'signed-in')
    const owner = (await services().accounts.findSession(done.session)) ?? assert.fail()
    await sent()
    return { email, owner }
  }
  const notify = async ({ candidateId }: SessionOwner, ...what: SecurityNotice[]) => {
    for (const each of what)
      await services()
        .mailer()
        ?.queue(links.securityMail(candidateId, each, 'Firefox'))
  }

  async function addApp(owner: SessionOwner) {
    const { secret } = await services().factors.beginTotp(owner)
    const typed = { secret, code: codeByOathtool(secret, clock()) }
    const added = await services().factors.addTotp(owner, typed, [])
    assert.ok(added.outcome === 'added')
    clock.advance(30_000)
    return { secret, codes: added.codes ?? [] }
  }

  test('beyond five in an hour are gathered into one email at its end', async () => {
    const { owner, email } = await person()
    await notify(owner, ...Array<SecurityNotice>(5).fill('app-removed'))
    assert.equal((await sent()).length, 5)
    clock.advance(60_000)
    await notify(owner, 'passkey-added', 'app-added', 'app-added', 'recovery-used')
    await notify(owner, ...Array<SecurityNotice>(30).fill('passkey-removed'))
    assert.deepEqual(await sent(), [])
    clock.advance(hour)
    const [digest, ...others] = await sent()
    assert.deepEqual(others, [])
    assert.deepEqual([digest?.to, digest?.subject], [email, digestSubject])
    for (const text of [digest?.text ?? '', digest?.html ?? '']) {
      assert.match(text, /A passkey was added[^:]*: \d+ \w+ 2026/)
      assert.match(text, /An authenticator app was added[^:]*: 2 times, the last on \d+ /)
      assert.match(text, /A passkey was removed[^:]*: 30 times/)
      assert.match(text, /A recovery code was used/)
    }
    // The next hour begins again.
    await notify(owner, 'app-removed')
    assert.deepEqual(await subjects(), ['An authenticator app was removed'])
  })

  test('reach the address that the account had then, and wait for a mail server that is unavailable', async () => {
    const { owner, email } = await person()
    await notify(owner, ...Array<SecurityNotice>(6).fill('app-removed'))
    await sent()
    await services()
      .database.writer.updateTable('candidates')
      .set({ email: `stranger-${email}` })
      .where('id', '=', owner.candidateId)
      .execute()
    clock.advance(hour)
    const down = { outcome: 'retry', words: 'away', isUnavailable: true } as const
    box.results.push(down)
    await sent()
    // For seven days, as long as a change can be undone; no pause is longer than a day.
    for (let day = 1; day <= 6; day++) {
      box.results.push(down)
      clock.advance(24 * hour)
      await sent()
    }
    box.results.splice(0)
    clock.advance(24 * hour)
    const mails = await sent()
    assert.deepEqual(
      mails.map(({ to, subject }) => [to, subject]),
      [[email, digestSubject]],
    )
  })

  test('are limited also while the clock is set back', async () => {
    const { owner } = await person()
    clock.advance(hour)
    await notify(owner, ...Array<SecurityNotice>(5).fill('app-removed'))
    assert.equal((await sent()).length, 5)
    clock.advance(-hour)
    await notify(owner, 'passkey-added')
    assert.deepEqual(await sent(), [])
    clock.advance(2 * hour)
    assert.deepEqual(await subjects(), [digestSubject])
  })

  test('a notice that comes when its digest is under way goes into a further one', async () => {
    const { owner } = await person()
    await notify(owner, ...Array<SecurityNotice>(6).fill('app-removed'))
    await sent()
    clock.advance(hour)
    assert.deepEqual(await subjects(), [digestSubject])
    clock.advance(-hour)
    await notify(owner, 'passkey-added', 'passkey-removed')
    assert.deepEqual(await sent(), [])
    clock.advance(hour)
    const [digest, ...others] = await sent()
    assert.deepEqual(others, [])
    for (const what of ['added', 'removed']) assert.ok(digest?.text.includes(`A passkey was ${what}`))
  })

  test('tell the owner of new recovery codes, a password set by a link and a changed address', async () => {
    const { owner, email } = await person()
    await addApp(owner)
    const mails = links.securityMail(owner.candidateId, 'codes-renewed')
    assert.equal((await services().factors.renewCodes(owner.candidateId, mails))?.length, 10)
    assert.deepEqual(await subjects(), ['Your recovery codes were replaced'])
    await links.askToReset(email, { continueTo: '/account' })
    const [reset = assert.fail()] = await sent()
    assert.equal((await links.reset(tokenIn(reset), 'quite another one')).outcome, 'reset')
    assert.deepEqual(await subjects(), ['Your password was changed'])

    const next = `new-${email}`
    const typed = { ...from(), password: 'quite another one' }
    await links.askToChangeEmail(owner, { ...typed, email: next })
    const link = (await sent()).find(({ to }) => to === next) ?? assert.fail()
    assert.equal((await links.changeEmail(tokenIn(link), typed)).outcome, 'second-step')
    const changed = await sent()
    assert.deepEqual(
      changed.map(({ to, subject }) => [to, subject]),
      [[email, 'Your email address was changed']],
    )
  })

  test('a forgotten password causes the same work with and without an account', async () => {
    const { email } = await person()
    const { database } = services()
    const links = () => services().accountLinks(services().mailer())
    const rows = async (table: 'account_links' | 'sent_forms') =>
      (await database.reader.selectFrom(table).select('expires_at').execute()).length
    const work = async (address: string, ask: 'askToReset' | 'sendConfirmationAgain') => {
      // The newest of the list.
      clock.advance(1000)
      const done: string[] = []
      const transport = {
        check: async () => {},
        async send() {
          done.push('mail')
          return { outcome: 'sent' as const }
        },
        rehearse: async () => void done.push('mail'),
      }
      services().useOutlet({ transport, authUrl: () => 'https://auth.example' })
      const before = (await rows('account_links')) + (await rows('sent_forms'))
      await links()[ask](address, { continueTo: '/account' })
      await services().background.whenIdle()
      const added = (await rows('account_links')) + (await rows('sent_forms')) - before
      const listed = await services().deliveries.list(['waiting', 'sent', 'dead', 'held'], 1)
      return { done, added, listed: listed.map(({ id, createdAt, dueAt, endedAt, ...rest }) => rest) }
    }
    try {
      const known = await work(email, 'askToReset')
      assert.deepEqual([known.done, known.added], [['mail'], 1])
      assert.deepEqual(await work('no-account@example.net', 'askToReset'), known)
      for (const address of [email, 'no-account@example.net']) {
        const again = await work(address, 'sendConfirmationAgain')
        assert.deepEqual([again.done, again.added], [['mail'], 1])
      }
    } finally {
      services().useOutlet({ transport: box.transport, authUrl: () => 'https://auth.example' })
    }
  })

  test('tell the owner of every fifth wrong code after the right password', async () => {
    const { owner, email } = await person()
    const { secret } = await addApp(owner)
    const { accounts } = services()
    const enter = async (code: string) => {
      // The waits between guesses.
      clock.advance(1000_000)
      const half = await accounts.signIn({ ...from(), email, password })
      assert.ok(half.outcome === 'second-step')
      return (await accounts.finishSignIn({ ...from(), ticket: half.ticket, code })).outcome
    }
    for (let wrong = 1; wrong <= 4; wrong++) assert.equal(await enter('000000'), 'wrong')
    // A wrong password is no wrong code.
    await accounts.signIn({ ...from(), email, password: 'wrong' })
    assert.deepEqual(await subjects(), [])
    assert.equal(await enter('000000'), 'wrong')
    assert.deepEqual(await subjects(), ['Wrong codes were entered for your account'])
    clock.advance(1000_000)
    assert.equal(await enter(codeByOathtool(secret, clock() + 1000_000)), 'signed-in')
    for (let wrong = 1; wrong <= 4; wrong++) assert.equal(await enter('000000'), 'wrong')
    assert.deepEqual(await subjects(), [])
  })
})
