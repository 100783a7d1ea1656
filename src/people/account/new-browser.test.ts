import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createAuthenticator } from '../../../test/harness/authenticator.ts'
import { movableClock } from '../../../test/harness/clock.ts'
import { withServices } from '../../../test/harness/database.ts'
import { times } from '../../../test/harness/effort.ts'
import { codeByOathtool } from '../../../test/harness/oathtool.ts'
import { usePostBox } from '../../../test/harness/post-box.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import type { Mail } from '../mail/ports.ts'
import type { AccountLinks } from './links-service.ts'
import type { SignInCaller } from './service.ts'

const clock = movableClock(Date.parse('2026-11-16T10:15:00Z'))
const password = 'a few words that fit'
const origin = 'https://jobs.example.com'
const tokenIn = ({ text }: Mail) => /#(\S+)/.exec(text)?.[1] ?? assert.fail()
const subject = 'New sign-in to your account'

withServices('the email about a new browser', { clock }, services => {
  let links: AccountLinks
  let box: ReturnType<typeof usePostBox>
  let people = 0
  before(() => {
    box = usePostBox(services())
    links = services().accountLinks(services().mailer())
    services().stopWaking()
  })

  const sent = () => box.sent()
  const subjects = async () => (await sent()).map(mail => mail.subject)
  const from = (browser?: string): SignInCaller => ({
    address: `192.0.2.${people}`,
    browser,
    formerSession: undefined,
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    securityMail: links.securityMail,
  })
  const signIn = (email: string, browser?: string) =>
    services().accounts.signIn({ ...from(browser), email, password })

  /** Has signed up and confirmed the address in a browser, which is known from then on. */
  async function person() {
    const email = `new-browser-${++people}@example.net`
    const departure = { continueTo: '/account', browserMark: 'mark' }
    await links.signUp({ firstName: 'Ana', lastName: 'Silva', email, password }, departure)
    const done = await links.confirm(tokenIn(await box.next(email)), { ...from(), password }, 'mark')
    assert.ok(done.outcome === 'signed-in')
    const owner = await services().accounts.findSession(done.session)
    return { email, browser: done.browser, owner: owner ?? assert.fail() }
  }

  async function addApp(owner: SessionOwner) {
    const { secret } = await services().factors.beginTotp(owner)
    const typed = { secret, code: codeByOathtool(secret, clock()) }
    const added = await services().factors.addTotp(owner, typed, [])
    assert.ok(added.outcome === 'added')
    clock.advance(30_000)
    return { secret, codes: added.codes ?? [] }
  }
  async function ticketOf(email: string, browser?: string): Promise<string> {
    const half = await signIn(email, browser)
    assert.ok(half.outcome === 'second-step')
    return half.ticket
  }

  test('is sent once for each browser of an account, and not for the first of all', async () => {
    const { email, browser } = await person()
    assert.deepEqual(await sent(), [])
    assert.equal((await signIn(email, browser)).outcome, 'signed-in')
    assert.deepEqual(await sent(), [])
    assert.equal((await signIn(email)).outcome, 'signed-in')
    const [mail, ...others] = await sent()
    assert.deepEqual(others, [])
    assert.deepEqual([mail?.to, mail?.subject], [email, subject])
    for (const text of [mail?.text ?? '', mail?.html ?? '']) {
      assert.match(text, /from a new browser: Firefox on Linux, 16 November 2026 at 8:15 pm AEST\./)
      assert.match(text, /change your password immediately, which signs out every other browser/)
      assert.match(text, /https:\/\/auth\.example\/account\/security/)
      assert.doesNotMatch(text, /192\.0\.2/)
    }
    // Known to one account, new to another.
    const next = await person()
    for (const _ of [1, 2]) assert.equal((await signIn(next.email, browser)).outcome, 'signed-in')
    assert.deepEqual(await subjects(), [subject])
    // Also while the owner is signed out everywhere.
    await services().accounts.endOtherSessions(next.owner.candidateId, '')
    assert.equal((await signIn(next.email)).outcome, 'signed-in')
    assert.deepEqual(await subjects(), [subject])
  })

  test('is not sent for a wrong password, nor before the second step, which may be an app, a code or a passkey', async () => {
    const { email, owner, browser } = await person()
    await services().accounts.signIn({ ...from(), email, password: 'wrong' })
    const { secret, codes } = await addApp(owner)
    const { accounts, factors } = services()
    const ticket = await ticketOf(email)
    assert.equal((await accounts.finishSignIn({ ...from(), ticket, code: '000000' })).outcome, 'wrong')
    assert.deepEqual(await sent(), [])
    const code = codeByOathtool(secret, clock())
    assert.equal((await accounts.finishSignIn({ ...from(), ticket, code })).outcome, 'signed-in')
    assert.deepEqual(await subjects(), [subject])
    const [recovery = ''] = codes
    const byCode = await accounts.finishSignIn({ ...from(), ticket, code: recovery })
    assert.equal(byCode.outcome, 'signed-in')
    assert.deepEqual((await subjects()).toSorted(), ['A recovery code was used', subject].toSorted())

    const passkeys = services().passkeys(() => origin)
    const device = createAuthenticator(origin)
    const creation = passkeys.creation(owner, []) ?? assert.fail()
    const made = await passkeys.checkNew(owner.candidateId, {
      ticket: creation.ticket,
      credential: device.create(creation.options),
      name: 'A phone',
    })
    assert.ok(typeof made === 'object')
    await factors.addPasskey(owner, made, [])
    const asked = async (purpose: 'sign-in' | 'second-step') => {
      const found = { ...(await factors.find(owner.candidateId)), ...owner }
      const request = passkeys.request(purpose, purpose === 'sign-in' ? undefined : found) ?? assert.fail()
      const answer = { ticket: request.ticket, credential: device.get(request.options) }
      const checked = await passkeys.check(
        ...([purpose, answer, ...(purpose === 'sign-in' ? [] : [owner.candidateId])] as const),
      )
      assert.ok(typeof checked === 'object', String(checked))
      return checked
    }
    for (const [known, expected] of [
      [undefined, [subject]],
      [browser, []],
    ] as const) {
      assert.ok(await accounts.signInByPasskey(from(known), await asked('sign-in')))
      assert.deepEqual(await subjects(), expected)
      const second = { ...from(known), ticket: await ticketOf(email, known) }
      assert.equal((await accounts.finishByPasskey(second, await asked('second-step'))).outcome, 'signed-in')
      assert.deepEqual(await subjects(), expected)
    }
  })

  test('is not sent to the browser that has chosen a new password by a link', async () => {
    const { email } = await person()
    await links.askToReset(email, { continueTo: '/account' })
    const reset = await links.reset(tokenIn(await box.next(email)), password)
    assert.ok(reset.outcome === 'reset')
    assert.equal((await signIn(email, reset.browser)).outcome, 'signed-in')
    assert.deepEqual(await subjects(), ['Your password was changed'])
  })

  test('is sent once for many sign-ins at once from one new browser, and five times an hour for many browsers', async () => {
    const { owner } = await person()
    const account = (await services().accountStore.find(owner.candidateId)) ?? assert.fail()
    const open = (browser?: string) => services().accounts.startSession(account, from(browser), ['password'])
    const opened = await Promise.all(Array.from({ length: times(20, 50) }, () => open('shared')))
    assert.ok(opened.every(each => each !== undefined))
    assert.deepEqual(await subjects(), [subject])
    for (let count = 0; count < 7; count++) await open()
    assert.equal((await sent()).length, 4)
    // Which does not use up the notices about what is done after such a sign-in.
    await services().mailer()?.queue(links.passwordChangedMail(owner.candidateId))
    assert.equal((await box.next()).subject, 'Your password was changed')
  })

  test('is not queued if no session was opened', async () => {
    const { owner } = await person()
    const account = (await services().accountStore.find(owner.candidateId)) ?? assert.fail()
    const stale = { ...account, passwordHash: 'the former hash' }
    assert.equal(await services().accounts.startSession(stale, from('x'), ['password']), undefined)
    assert.deepEqual(await sent(), [])
    assert.ok(await services().accounts.startSession(account, from('x'), ['password']))
    assert.deepEqual(await subjects(), [subject])
  })
})
