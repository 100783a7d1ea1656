import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createExpiryStore } from '../../src/operator/upkeep/expiry-store.ts'
import { codeSeconds, codeTries, newCodeSeconds } from '../../src/people/codes/rules.ts'
import type { Mail } from '../../src/people/mail/ports.ts'
import { createAccountRemovalStore } from '../../src/people/own-data/account-removal-store.ts'
import { newUuid } from '../../src/platform/core/ids.ts'
import { hashPassword } from '../../src/platform/core/password.ts'
import { hashSecret } from '../../src/platform/core/secrets.ts'
import { addAccount } from '../harness/account.ts'
import { movableClock } from '../harness/clock.ts'
import { open, withServices } from '../harness/database.ts'
import { formTo } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { joinBoard } from '../harness/memberships.ts'
import { codeByOathtool } from '../harness/oathtool.ts'
import { Browser, doorInto, localPath } from '../harness/oauth.ts'
import { usePostBox } from '../harness/post-box.ts'
import { createTestServer } from '../harness/server.ts'
import { recordStatements, type Statement } from '../harness/sql-recording.ts'

const clock = movableClock()
const password = 'a few words that fit'
const [askPath, codePath] = ['/sign-in/email', '/sign-in/email/code']
const caller = {
  address: 'x',
  browser: undefined,
  userAgent: undefined,
  formerSession: undefined,
  securityMail: () => [],
}

const codeIn = (mail: Mail | undefined) => /\b\d{6}\b/.exec(mail?.text ?? '')?.[0] ?? assert.fail('no code')
const otherThan = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, '0')

withServices('signing in with a code from an email', { clock }, (services, settings) => {
  let app: FastifyInstance
  let box: ReturnType<typeof usePostBox>
  let statements: Statement[]
  let people = 0
  let networks = 0
  const browser = () => new Browser(doorInto(app, `198.51.${Math.floor(++networks / 250)}.${networks % 250}`))

  before(async () => {
    // The demo has a mailbox without a mail server.
    app = (await createTestServer(services(), settings(), { isDemo: true })).app
    box = usePostBox(services())
    statements = recordStatements(services().database)
  })
  after(() => app.close())

  const newAddress = () => `person-${++people}@example.net`

  async function insertAccount(isConfirmed = true) {
    const email = newAddress()
    const passwordHash = await hashPassword(password)
    return { candidateId: await addAccount(services(), { email, passwordHash, isConfirmed }), email }
  }

  const makeOperator = (candidateId: string) => joinBoard(services().database, candidateId, 'viewer')

  async function addApp(candidateId: string) {
    const { accountStore, accounts, factors } = services()
    const account = (await accountStore.find(candidateId)) ?? assert.fail()
    const opened = await accounts.startSession(account, caller, ['password'])
    const owner = (await accounts.findSession(opened?.session ?? '')) ?? assert.fail()
    const { secret } = await factors.beginTotp(owner)
    const code = codeByOathtool(secret, clock())
    assert.equal((await factors.addTotp(owner, { secret, code }, [])).outcome, 'added')
    await box.sent()
    return secret
  }

  /** Presses the button on the sign-in page. */
  async function ask(visitor: Browser, email: string, path = '/sign-in') {
    const form = await visitor.form('/sign-in', path)
    return codePageOf(visitor, await visitor.submit({ ...form, action: askPath }, { fields: { email } }))
  }

  /** A code that was sent has its own page. */
  const codePageOf = (visitor: Browser, answer: Answer) =>
    answer.status === 303 ? visitor.get(localPath(answer)) : answer

  const enter = (visitor: Browser, page: Answer, code: string) =>
    visitor.submit(formTo(codePath, page.text), { fields: { code } })

  /** A browser with the page for the code, and the code. */
  async function asked(email: string, visitor = browser()) {
    const page = await ask(visitor, email)
    assert.equal(page.status, 200, page.text)
    const mails = await box.sent()
    return { visitor, page, mails, code: codeIn(mails[0]) }
  }

  test('works once, without the password, and continues where the person was going', async () => {
    const { email, candidateId } = await insertAccount()
    const visitor = browser()
    const page = await ask(visitor, ` ${email.toUpperCase()} `, '/sign-in?continue=/account/resumes')
    assert.match(page.text, /inputmode="numeric" autocomplete="one-time-code"/)
    const [mail] = await box.sent()
    assert.equal(mail?.to, email)
    const code = codeIn(mail)
    assert.ok(!mail?.subject.includes(code))
    // As it is typed, pasted, or entered with an input method.
    const wide = [...code].map(digit => String.fromCodePoint(0xff10 + Number(digit))).join('')
    const done = await enter(visitor, page, ` ${wide.slice(0, 3)}\u00a0${wide.slice(3)} `)
    assert.deepEqual([done.status, done.headers.get('location')], [303, '/account/resumes'])
    assert.match((await visitor.get('/account/security')).text, /With emailed code/)
    // Changes of the account take the password: see decision 112.
    assert.match((await visitor.get('/account/confirm')).text, /name="proof_password"/)
    const [session] = await services().accounts.sessionsOf(candidateId)
    assert.deepEqual([session?.factors, session?.isByCode, session?.provedAt], [['code'], true, 0])
    // A double click is signed in; another browser with the same cookie for forms is not.
    assert.equal((await enter(visitor, page, code)).headers.get('location'), '/account/resumes')
    visitor.cookies.delete('dossier-session')
    const again = await enter(visitor, page, code)
    assert.equal(again.status, 401)
    assert.match(again.text, /already been used/)
  })

  test('stores neither the code nor the secret of the browser', async () => {
    const { email } = await insertAccount()
    const { code, page } = await asked(email)
    const rows = await services().database.reader.selectFrom('email_codes').selectAll().execute()
    const ticket = formTo(codePath, page.text).fields.find(([name]) => name === 'ticket')?.[1] ?? ''
    assert.ok(ticket.length > 40)
    assert.ok(!JSON.stringify(rows).includes(ticket))
    for (const { mac, challenge } of rows) assert.ok(mac !== code && challenge !== ticket)
  })

  test('looks the same and takes the same work for every address', async () => {
    const addresses = {
      nobody: newAddress(),
      candidate: (await insertAccount()).email,
      unconfirmed: (await insertAccount(false)).email,
      operator: '',
      withApp: '',
    }
    const [worker, careful] = [await insertAccount(), await insertAccount()]
    await makeOperator(worker.candidateId)
    await addApp(careful.candidateId)
    Object.assign(addresses, { operator: worker.email, withApp: careful.email })
    const seen: Record<string, unknown> = {}
    const subjects: Record<string, string[]> = {}
    for (const [kind, email] of Object.entries(addresses)) {
      const visitor = browser()
      const from = statements.length
      const page = await ask(visitor, email)
      subjects[kind] = (await box.sent()).map(({ subject }) => subject)
      const wrong = await enter(visitor, page, '000000')
      const plain = ({ status, text, headers }: Answer) => [
        status,
        text.replaceAll(email, '').replace(/name="(form_token|ticket|passkey_ticket)" value="[^"]*"/g, ''),
        headers.get('retry-after'),
        headers.get('set-cookie')?.replace(/=[^;]*/, ''),
      ]
      // How often the queue is looked at is a matter of time.
      const work = statements
        .slice(from)
        .map(({ sql }) => sql)
        .filter(sql => !sql.startsWith('update "deliveries" set "due_at"'))
      seen[kind] = { page: plain(page), wrong: plain(wrong), work: work.toSorted() }
    }
    for (const [kind, each] of Object.entries(seen)) assert.deepEqual(each, seen['nobody'], kind)
    assert.deepEqual(subjects, {
      nobody: [],
      candidate: ['Your code to sign in'],
      unconfirmed: [],
      operator: ['How to sign in'],
      withApp: ['Your code to sign in'],
    })
  })

  test('is worthless in another browser, for another challenge and for another purpose', async () => {
    const { email } = await insertAccount()
    const own = await asked(email)
    const stranger = await asked(email)
    assert.equal((await enter(stranger.visitor, stranger.page, own.code)).status, 401)
    // The page of the owner, sent from the stranger's browser: its token is not the stranger's.
    const form = formTo(codePath, own.page.text)
    const token = formTo(codePath, stranger.page.text).fields.find(([name]) => name === 'form_token')?.[1]
    const stolen = { ...form, fields: form.fields.filter(([name]) => name !== 'form_token') }
    stolen.fields.push(['form_token', token ?? ''])
    const refused = await stranger.visitor.submit(stolen, { fields: { code: own.code } })
    assert.equal(refused.status, 401)
    assert.equal(stranger.visitor.session, undefined)
    // All guesses of the stranger, and yet the owner's code works.
    for (let by = 1; by <= codeTries + 1; by++)
      await enter(stranger.visitor, stranger.page, otherThan(stranger.code, by))
    assert.equal((await enter(own.visitor, own.page, own.code)).status, 303)
    assert.equal((await enter(stranger.visitor, stranger.page, stranger.code)).status, 401)
    const other = await asked(email)
    await services()
      .database.writer.updateTable('email_codes')
      .set({ purpose: 'draft' })
      .where('email', '=', email)
      .execute()
    assert.equal((await enter(other.visitor, other.page, other.code)).status, 401)
  })

  test('allows five tries, ten minutes, and a new code after a pause', async () => {
    const { email } = await insertAccount()
    const { visitor, page, code } = await asked(email)
    // What is not a code is not a try.
    assert.match((await enter(visitor, page, '12345')).text, /six digits/)
    for (const left of ['4 tries', '3 tries', '2 tries', 'one try'])
      assert.match((await enter(visitor, page, otherThan(code))).text, new RegExp(`You have ${left} left`))
    assert.match((await enter(visitor, page, otherThan(code))).text, /Too many wrong codes/)
    const last = await enter(visitor, page, code)
    assert.match(last.text, /Too many wrong codes/)
    const early = await visitor.submit(formTo(askPath, last.text))
    assert.deepEqual([early.status, early.headers.get('retry-after')], [429, String(newCodeSeconds)])
    clock.advance(newCodeSeconds * 1000)
    const fresh = await codePageOf(visitor, await visitor.submit(formTo(askPath, early.text)))
    const newer = codeIn((await box.sent())[0])
    clock.advance(codeSeconds * 1000)
    assert.match((await enter(visitor, fresh, newer)).text, /expired/)
    assert.ok((await createExpiryStore(services().database).removeEmailCodes(clock(), 100)) > 0)
    assert.equal((await enter(visitor, fresh, newer)).status, 401)
  })

  test('sends no more emails than allowed, and still to a browser that the account knows', async () => {
    const { email } = await insertAccount()
    const known = browser()
    await known.signIn(email, password)
    await known.submit(await known.form('/sign-out', '/account'))
    await box.sent()
    let sent = 0
    for (let count = 0; count < 12; count++) {
      const page = await ask(browser(), email)
      assert.equal(page.status, 200)
      sent += (await box.sent()).length
    }
    assert.ok(sent >= 3 && sent < 12, `${sent} emails`)
    const { visitor, page, code } = await asked(email, known)
    assert.equal((await enter(visitor, page, code)).status, 303)
  })

  test('gives strangers a guess in 10,000 per day, and locks no browser out that the account knows', async () => {
    const { email } = await insertAccount()
    const known = browser()
    await known.signIn(email, password)
    await known.submit(await known.form('/sign-out', '/account'))
    await box.sent()
    const codes = services().emailCodes(services().mailer()) ?? assert.fail()
    let sent = 0
    for (let hour = 0; hour < 24; hour++) {
      for (let count = 0; count < 6; count++)
        await codes.ask('sign-in', email, { secret: `day ${hour} ${count}`, browser: undefined })
      sent += (await box.sent()).length
      clock.advance(3_600_000)
    }
    assert.equal((sent * codeTries) / 1_000_000, 1 / 10_000)
    const { visitor, page, code } = await asked(email, known)
    assert.equal((await enter(visitor, page, code)).status, 303)
  })

  test('has a page that can be reloaded, and reached by going back', async () => {
    const { email } = await insertAccount()
    const visitor = browser()
    const form = await visitor.form('/sign-in', '/sign-in?continue=/account/resumes')
    const sent = await visitor.submit({ ...form, action: askPath }, { fields: { email } })
    const path = localPath(sent)
    assert.ok(!path.includes(email.split('@')[0] ?? ''), path)
    const [page, again] = [await visitor.get(path), await visitor.get(path)]
    assert.deepEqual([again.status, again.text], [200, page.text])
    assert.ok(page.text.includes(email))
    const mails = await box.sent()
    assert.equal(mails.length, 1)
    // Without the cookie of the browser that asked, the address shows nothing.
    const stranger = await browser().get(path)
    assert.deepEqual([localPath(stranger), stranger.text], ['/sign-in?continue=%2Faccount%2Fresumes', ''])
    assert.equal((await enter(visitor, again, codeIn(mails[0]))).status, 303)
    assert.equal(localPath(await visitor.get(path)), '/account/resumes')
  })

  test('ends the session that the browser had, on record', async () => {
    const [worker, { email }] = [await insertAccount(), await insertAccount()]
    await makeOperator(worker.candidateId)
    const visitor = browser()
    const form = await visitor.form('/sign-in')
    await visitor.signIn(worker.email, password)
    await box.sent()
    const sent = await visitor.submit({ ...form, action: askPath }, { fields: { email } })
    const page = await codePageOf(visitor, sent)
    assert.equal((await enter(visitor, page, codeIn((await box.sent())[0]))).status, 303)
    assert.deepEqual(await services().accounts.sessionsOf(worker.candidateId), [])
    const acts = services().database.reader.selectFrom('audit_entries').select('action')
    assert.deepEqual((await acts.orderBy('number', 'desc').limit(1).execute())[0]?.action, 'session.end')
  })

  test('comes from an old page: the address stays; from another website: nothing does', async () => {
    const { email } = await insertAccount()
    const visitor = browser()
    const page = await visitor.get('/sign-in?continue=/account/resumes')
    const form = formTo('/sign-in', page.text)
    visitor.cookies.clear()
    const own = { 'sec-fetch-site': 'same-origin' }
    const sent = { ...form, action: askPath }
    const stale = await visitor.submit(sent, { fields: { email }, headers: own })
    assert.equal(stale.status, 403)
    assert.match(stale.text, /open for too long/)
    assert.equal(new Map(formTo('/sign-in', stale.text).fields).get('email'), email)
    const retried = await visitor.submit({ ...formTo('/sign-in', stale.text), action: askPath })
    assert.equal(retried.status, 303)
    assert.equal((await box.sent()).length, 1)
    const headers = { 'sec-fetch-site': 'cross-site' }
    const foreign = await browser().submit(sent, { fields: { email }, headers })
    assert.equal(foreign.status, 403)
    assert.ok(!foreign.text.includes(email))
    assert.equal((await box.sent()).length, 0)
  })

  test('does not replace the second factor', async () => {
    const { email, candidateId } = await insertAccount()
    const secret = await addApp(candidateId)
    const { visitor, page, code } = await asked(email)
    const step = await enter(visitor, page, code)
    assert.match(step.text, /The code from our email is right/)
    assert.equal(visitor.session, undefined)
    clock.advance(60_000)
    const done = await visitor.submit(formTo('/sign-in/code', step.text), {
      fields: { code: codeByOathtool(secret, clock()) },
    })
    assert.equal(done.status, 303)
    const sessions = await services().accounts.sessionsOf(candidateId)
    assert.ok(sessions.some(({ factors, isByCode }) => factors.join() === 'code,totp' && isByCode))
  })

  test('never leads to a workplace, not even one that the person gets later', async () => {
    const { email, candidateId } = await insertAccount()
    const early = await asked(email)
    const late = await asked(email)
    await enter(early.visitor, early.page, early.code)
    assert.equal((await early.visitor.get('/account/security')).status, 200)
    await makeOperator(candidateId)
    assert.match(localPath(await early.visitor.get('/account/security')), /^\/sign-in/)
    assert.match(localPath(await early.visitor.get('/operator')), /^\/sign-in/)
    assert.equal((await enter(late.visitor, late.page, late.code)).status, 401)
  })

  test('asks for the password before an invitation is accepted', async () => {
    const { email, candidateId } = await insertAccount()
    const { visitor, page, code } = await asked(email)
    await enter(visitor, page, code)
    const { operators } = services()
    const invited = await operators.invite(email, 'viewer', 'http://localhost:8080')
    assert.ok(invited.outcome === 'link')
    const join = await visitor.get(new URL(invited.url).pathname + new URL(invited.url).hash)
    const accepted = await visitor.submit(formTo('/operator/join/accept', join.text))
    const confirm = await visitor.get(localPath(accepted))
    assert.match(confirm.text, /name="proof_password"/)
    assert.equal(await operators.find(candidateId), undefined)
  })

  test('asks for the password before an invitation to a company is accepted', async () => {
    const { invitations, advertisers } = services()
    const { id: harbourId } = await advertisers.add('Harbour')
    const { email, candidateId } = await insertAccount()
    const { visitor, page, code } = await asked(email)
    await enter(visitor, page, code)
    const mail = { mailer: undefined, authUrl: () => 'http://localhost:8080' }
    const invited = await invitations(mail).invite(harbourId, email, 'recruiter')
    assert.ok(invited.outcome === 'link')
    const opened = await visitor.get('/invitations')
    const token = new URL(invited.url).hash.slice(1)
    const join = await visitor.submit(formTo('/invitations', opened.text), { fields: { token } })
    const form = formTo('/invitations', join.text)
    assert.match(join.text, /name="password"/)
    // As the form for a session of one's own, which has no password.
    const fields = form.fields.filter(([name]) => name !== 'password')
    const members = () => services().memberStore.list(harbourId)
    const isMember = async () => (await members()).some(each => each.candidateId === candidateId)
    assert.equal((await visitor.submit({ ...form, fields })).status, 200)
    assert.equal(await isMember(), false)
    assert.equal((await visitor.submit(form, { fields: { password } })).status, 303)
    assert.equal(await isMember(), true)
  })

  test('lets a person with two-step sign-in sign in again to accept an invitation', async () => {
    const { invitations, advertisers } = services()
    const { email, candidateId } = await insertAccount()
    const secret = await addApp(candidateId)
    const { visitor, page, code } = await asked(email)
    const step = await enter(visitor, page, code)
    clock.advance(60_000)
    const fields = { code: codeByOathtool(secret, clock()) }
    await visitor.submit(formTo('/sign-in/code', step.text), { fields })
    assert.equal(localPath(await visitor.get('/sign-in')), '/account')
    const mail = { mailer: undefined, authUrl: () => 'http://localhost:8080' }
    const { id } = await advertisers.add('Quay')
    const invited = await invitations(mail).invite(id, email, 'recruiter')
    const token = invited.outcome === 'link' ? new URL(invited.url).hash.slice(1) : ''
    const opened = await visitor.get('/invitations')
    const join = await visitor.submit(formTo('/invitations', opened.text), { fields: { token } })
    const told = await visitor.submit(formTo('/invitations', join.text), { fields: { password } })
    assert.match(told.text, /Sign in on the sign-in page first/)
    assert.equal((await visitor.get('/sign-in')).status, 200)
  })

  test('ends with an undo link, the removal of a factor and the deletion of the account', async () => {
    const { factors, undo, accountStore, accountLinks, mailer, database } = services()
    const links = accountLinks(mailer())
    const ways: Record<string, (candidateId: string) => Promise<() => Promise<unknown>>> = {
      'an undo link': async candidateId => {
        const at = clock()
        const change = { change_id: 'change', candidate_id: candidateId, kind: 'password' } as const
        const email = (await accountStore.find(candidateId))?.email ?? ''
        const rest = { email, changed_at: at, expires_at: at + 1_000_000 }
        const rows = ['change', hashSecret('undo')].map(hash => ({ hash, ...change, ...rest }))
        await database.writer.insertInto('undo_links').values(rows).execute()
        return async () => assert.equal((await undo(links).undo('undo', `${password}.`)).outcome, 'undone')
      },
      'the removal of an app': async candidateId => {
        await addApp(candidateId)
        return async () => assert.ok(await factors.removeTotp({ candidateId, sessionId: newUuid() }, []))
      },
      'a reset of the factors': async candidateId => {
        await addApp(candidateId)
        return async () => assert.ok(await factors.reset(candidateId, 'request 7'))
      },
      'the deletion of the account': async candidateId => {
        const { passwordHash = '' } = (await accountStore.find(candidateId)) ?? {}
        const store = createAccountRemovalStore(database)
        const at = { now: clock(), eraseAt: clock(), mails: [] }
        return async () =>
          assert.equal((await store.remove(candidateId, passwordHash, at)).outcome, 'removed')
      },
    }
    for (const [way, prepare] of Object.entries(ways)) {
      const { email, candidateId } = await insertAccount()
      const end = await prepare(candidateId)
      const { visitor, page, code } = await asked(email)
      await end()
      const waiting = database.reader.selectFrom('email_codes').select('tries').where('email', '=', email)
      assert.deepEqual(await waiting.execute(), [], way)
      const late = await enter(visitor, page, code)
      assert.match(late.text, /has expired, or it isn’t for this browser/, way)
      await box.sent()
    }
  })

  test('ends with whatever ends the sessions', async () => {
    const { email, candidateId } = await insertAccount()
    const { accounts, links } = { ...services(), links: services().accountLinks(services().mailer()) }
    const open = async () => {
      const account = (await services().accountStore.find(candidateId)) ?? assert.fail()
      const session = await accounts.startSession(account, caller, ['password'])
      return (await accounts.findSession(session?.session ?? '')) ?? assert.fail()
    }
    const ways: Record<string, () => Promise<unknown>> = {
      'signing out everywhere else': async () =>
        accounts.endOtherSessions(candidateId, (await open()).sessionId),
      'a new password': async () =>
        accounts.changePassword(await open(), { ...caller, current: password, password: `${password}!` }),
      'a reset': async () => {
        await links.askToReset(email, { continueTo: '/account' })
        const token = /#(\S+)/.exec((await box.sent())[0]?.text ?? '')?.[1] ?? ''
        return links.reset(token, `${password}?`)
      },
      'a second factor': () => addApp(candidateId),
    }
    for (const [way, end] of Object.entries(ways)) {
      clock.advance(3_600_000)
      const { visitor, page, code } = await asked(email)
      await end()
      assert.equal((await enter(visitor, page, code)).status, 401, way)
      await box.sent()
    }
  })

  test('typed twice at once signs in once, and five tries are five on two nodes', async () => {
    const second = await open(settings(), clock)
    try {
      // Either node may send an email.
      const otherBox = usePostBox(second)
      const nodes = [services(), second].map(node => node.emailCodes(node.mailer()) ?? assert.fail())
      const { email } = await insertAccount()
      const begin = async (secret: string) => {
        await nodes[0]?.ask('sign-in', email, { secret, browser: undefined })
        return codeIn([...(await box.sent()), ...(await otherBox.sent())][0])
      }
      const code = await begin('a secret')
      const twice = await Promise.all(
        [0, 1, 0, 1].map(node => nodes[node]?.redeem('sign-in', 'a secret', code)),
      )
      assert.deepEqual(twice.map(result => result?.outcome).toSorted(), ['right', 'used', 'used', 'used'])
      const other = await begin('another secret')
      const guesses = Array.from({ length: 30 }, (_, by) => otherThan(other, by + 1))
      const results = await Promise.all(
        guesses.map((guess, index) => nodes[index % 2]?.redeem('sign-in', 'another secret', guess)),
      )
      assert.ok(results.every(result => result?.outcome === 'wrong' || result?.outcome === 'too-many'))
      const { tries } = await services()
        .database.reader.selectFrom('email_codes')
        .select('tries')
        .where('email', '=', email)
        .where('used_at', 'is', null)
        .executeTakeFirstOrThrow()
      assert.equal(tries, codeTries)
      assert.equal((await nodes[1]?.redeem('sign-in', 'another secret', other))?.outcome, 'too-many')
    } finally {
      await second.close()
    }
  })

  test('is hidden where it is switched off', async () => {
    const off = { ...settings(), EMAIL_CODE_SIGN_IN: 'off' }
    const node = await open(off, clock)
    const { app: other } = await createTestServer(node, off, { isDemo: true })
    try {
      const visitor = new Browser(doorInto(other))
      const page = await visitor.get('/sign-in')
      assert.doesNotMatch(page.text, /Email me a code/)
      const unknown = await visitor.post('/no-such-page', [])
      for (const path of [askPath, codePath])
        for (const answer of [await visitor.get(path), await visitor.post(path, [])])
          assert.equal(answer.status, unknown.status)
    } finally {
      await other.close()
      await node.close()
    }
  })
})
