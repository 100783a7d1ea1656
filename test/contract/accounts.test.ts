import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formsOf, formTo } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { Browser, demoPassword, localPath, mary } from '../harness/oauth.ts'
import { mailsTo, mailTo } from '../harness/outbox.ts'
import { onOneEngine } from '../harness/service.ts'

const password = 'a few words that fit'
const other = 'some other words that fit'

/** Every test has its own people. */
let people = 0
const newAddress = () => `person-${++people}@example.net`

const wordsOf = (answer: Answer, email: string) =>
  answer.text.replaceAll(email, '').replace(/name="form_token" value="[^"]*"/g, '')

onOneEngine(
  'signing up',
  { env: { RATE_LIMIT_ACCOUNT_FORMS_PER_ADDRESS_PER_MINUTE: '1000' } },
  (_, { door }) => {
    const browser = () => new Browser(door)

    async function signUp(email: string, chosen = password, changes: Record<string, string> = {}) {
      const visitor = browser()
      const form = await visitor.form('/sign-up')
      const fields = { firstName: 'Ana', lastName: 'Silva', email, password: chosen, ...changes }
      return visitor.submit(form, { fields })
    }

    async function openLink(path: string, visitor = browser()) {
      const page = await visitor.get(path)
      assert.equal(page.status, 200, page.text)
      return { visitor, form: formTo('/confirm', page.text) }
    }

    test('needs a link and the password, and signs in', async () => {
      const email = newAddress()
      const answer = await signUp(` ${email.toUpperCase()} `)
      assert.equal(answer.status, 200)
      assert.match(answer.text, /Check your email/)
      const mail = await mailTo(door, email)
      assert.equal(mail.subject, 'Confirm your email address')
      // A scanner that opens the link, even twice, does nothing.
      await openLink(mail.path)
      const { visitor, form } = await openLink(mail.path)
      const wrong = await visitor.submit(form, { fields: { password: other } })
      assert.equal(wrong.status, 401)
      const done = await visitor.submit(form, { fields: { password } })
      assert.equal(done.status, 303)
      assert.equal(done.headers.get('location'), '/account')
      assert.match((await visitor.get('/account/security')).text, new RegExp(email))
      await browser().signIn(email, password)
      // Once only.
      assert.equal((await browser().get(mail.path)).status, 404)
      const late = browser()
      const stale = await late.form('/sign-up')
      assert.equal((await late.submit({ ...stale, action: '/confirm' })).status, 403)
    })

    test('is not complete before the address is confirmed, and the sign-in page says so', async () => {
      const email = newAddress()
      await signUp(email)
      await mailTo(door, email)
      const visitor = browser()
      const right = await visitor.submitSignIn(await visitor.get('/sign-in'), email, password)
      assert.equal(right.status, 401)
      assert.equal(visitor.session, undefined)
      assert.match(right.text, /been confirmed yet/)
      assert.match(right.text, /href="\/confirm\/again"/)
      const again = await visitor.form('/confirm/again')
      const answers = await Promise.all(
        [email, mary, newAddress()].map(async address => {
          const answer = await visitor.submit(again, { fields: { email: address } })
          return [answer.status, wordsOf(answer, address)]
        }),
      )
      assert.equal(new Set(answers.map(answer => JSON.stringify(answer))).size, 1)
      assert.equal((await visitor.submit(again, { fields: { email: 'nobody' } })).status, 422)
      const { path } = await mailTo(door, email, 2)
      const link = await openLink(path)
      assert.equal((await link.visitor.submit(link.form, { fields: { password } })).status, 303)
    })

    test('gives the same response whether or not the address has an account', async () => {
      const email = newAddress()
      const fresh = await signUp(email)
      const known = await signUp(mary)
      assert.equal(known.status, fresh.status)
      assert.equal(wordsOf(known, mary), wordsOf(fresh, email))
      const { subject, path } = await mailTo(door, mary)
      assert.equal(subject, 'You already have an account')
      // For people who have forgotten that they have one.
      assert.match((await browser().get(path)).text, /Choose a new password/)
      // And nothing has changed.
      await browser().signIn(mary, demoPassword)
    })

    test('with another password does not reveal by signing in whether the address had an account', async () => {
      const fresh = newAddress()
      for (const email of [mary, fresh]) await signUp(email, other)
      await mailTo(door, fresh)
      // All free attempts: the waits after them do not reveal it either, as the tests of the service show.
      const outcomes = []
      for (const email of [mary, fresh]) {
        const visitor = browser()
        const page = await visitor.get('/sign-in')
        const answers = []
        for (let attempt = 0; attempt < 5; attempt++) {
          const answer = await visitor.submitSignIn(page, email, other)
          answers.push([answer.status, wordsOf(answer, email)])
        }
        outcomes.push(answers)
      }
      assert.deepEqual(outcomes[0], outcomes[1])
    })

    test("again and again for another person's address leaves that person the reset", async () => {
      const email = newAddress()
      for (let attempt = 0; attempt < 6; attempt++) await signUp(email, other)
      await mailsTo(door, email, 5)
      const visitor = browser()
      const form = await visitor.form('/forgotten')
      await visitor.submit(form, { fields: { email } })
      const { subject } = await mailTo(door, email, 6)
      assert.equal(subject, 'Choose a new password')
    })

    test("with another person's address does not leave a way in", async () => {
      const victim = newAddress()
      const attackersPassword = 'what the attacker typed'
      await signUp(victim, attackersPassword)
      const first = await mailTo(door, victim)
      await signUp(victim, password)
      const second = await mailTo(door, victim, 2)

      // The victim opens the wrong email: the link asks for the attacker's password.
      const wrong = await openLink(first.path)
      assert.equal((await wrong.visitor.submit(wrong.form, { fields: { password } })).status, 401)
      const right = await openLink(second.path)
      assert.equal((await right.visitor.submit(right.form, { fields: { password } })).status, 303)
      // The attacker's password does not work, and the other link has expired.
      const attacker = browser()
      const refused = await attacker.submitSignIn(await attacker.get('/sign-in'), victim, attackersPassword)
      assert.equal(refused.status, 401)
      assert.equal((await browser().get(first.path)).status, 404)
      await browser().signIn(victim, password)
    })

    test('a reset by the owner of the address ends what a stranger has begun', async () => {
      const victim = newAddress()
      await signUp(victim, 'what the attacker typed')
      const begun = await mailTo(door, victim)
      const visitor = browser()
      await visitor.submit(await visitor.form('/forgotten'), {
        fields: { email: victim },
      })
      const { path } = await mailTo(door, victim, 2)
      await visitor.submit(await visitor.form('/reset', path), { fields: { password } })
      await browser().signIn(victim, password)
      assert.equal((await browser().get(begun.path)).status, 404)
    })

    test('names each fault at its field', async () => {
      const answer = await signUp('no address', 'short', { firstName: ' ', lastName: 'x'.repeat(201) })
      assert.equal(answer.status, 422)
      for (const field of ['firstName', 'lastName', 'email', 'password']) {
        assert.match(answer.text, new RegExp(`<a href="#${field}">`), field)
        assert.match(
          answer.text,
          new RegExp(`id="${field}"[^>]*aria-invalid="true"[^>]*aria-describedby="[^"]*${field}-fault`),
          field,
        )
      }
      assert.doesNotMatch(answer.text, /value="short"/)
      const email = newAddress().replace('@', '.long@')
      assert.match((await signUp(email, email)).text, /must not be your email address/)
    })

    test('sends five emails to one address in an hour, and no more', async () => {
      const email = newAddress()
      for (let i = 0; i < 7; i++) assert.equal((await signUp(email)).status, 200)
      const next = newAddress()
      await signUp(next)
      // The count decides, in whichever order they are written; by this time they are.
      await mailTo(door, next)
      assert.equal((await mailsTo(door, email, 5)).length, 5)
    })
  },
)

onOneEngine('a forgotten password', (_, { door }) => {
  const browser = () => new Browser(door)

  async function forget(email: string): Promise<Answer> {
    const visitor = browser()
    const form = await visitor.form('/forgotten')
    return visitor.submit(form, { fields: { email } })
  }

  test('gets the same response for every address, and only accounts get an email', async () => {
    const nobody = newAddress()
    const unknown = await forget(nobody)
    const known = await forget(mary)
    assert.equal(unknown.status, known.status)
    assert.equal(wordsOf(unknown, nobody), wordsOf(known, mary))
    await mailTo(door, mary)
    assert.equal((await mailsTo(door, nobody, 0)).length, 0)
  })

  test('is replaced once, and every session ends', async () => {
    const thief = browser()
    await thief.signIn(mary)
    const before = (await mailsTo(door, mary, 0, '/reset')).length
    await forget(mary)
    const first = await mailTo(door, mary, before + 1, '/reset')
    await forget(mary)
    const second = await mailTo(door, mary, before + 2, '/reset')
    const visitor = browser()
    const form = await visitor.form('/reset', second.path)
    const weak = await visitor.submit(form, { fields: { password: 'short' } })
    assert.equal(weak.status, 422)
    const done = await visitor.submit(form, { fields: { password } })
    assert.equal(done.status, 303)
    assert.match((await visitor.get(localPath(done))).text, /Your new password is set/)
    assert.equal((await visitor.submit(form, { fields: { password: other } })).status, 404)
    assert.equal((await browser().get(first.path)).status, 404)
    assert.equal((await thief.get('/account/security')).status, 303)
    const late = browser()
    assert.equal((await late.submitSignIn(await late.get('/sign-in'), mary, demoPassword)).status, 401)
    await visitor.signIn(mary, password)
  })

  test('twenty people with the same link at once: one of them replaces it', async () => {
    const before = (await mailsTo(door, mary, 0, '/reset')).length
    await forget(mary)
    const { path } = await mailTo(door, mary, before + 1, '/reset')
    const visitors = Array.from({ length: 20 }, browser)
    const forms = await Promise.all(visitors.map(visitor => visitor.form('/reset', path)))
    const answers = await Promise.all(
      visitors.map((visitor, i) =>
        visitor.submit(forms[i] as never, { fields: { password: `${password} ${i}` } }),
      ),
    )
    const winners = answers.flatMap(({ status }, i) => (status === 303 ? [i] : []))
    assert.equal(winners.length, 1)
    assert.ok(answers.every(({ status }) => status === 303 || status === 404))
    await visitors[winners[0] as number]?.signIn(mary, `${password} ${winners[0]}`)
  })

  test('that a thief has changed is undone from the email, which opens no session', async () => {
    const thief = browser()
    await thief.signIn('tom@example.com')
    const before = (await mailsTo(door, 'tom@example.com', 0, '/undo')).length
    const page = await thief.get('/account/security')
    const change = { action: 'password', current: demoPassword, password: other }
    const form = formsOf(page.text).find(({ fields }) => fields.some(([name]) => name === 'current'))
    assert.ok(form)
    assert.equal((await thief.submit(form, { fields: change })).status, 303)
    const mail = await mailTo(door, 'tom@example.com', before + 1, '/undo')
    // Without a script, the page asks for the link.
    const plain = await browser().send('GET', '/undo')
    assert.match(plain.text, /Link from the email/)
    const visitor = browser()
    const opened = await visitor.get(mail.path)
    assert.match(opened.text, /The password was changed for the account of/)
    assert.equal((await thief.get('/account/security')).status, 200, 'nothing has changed')
    const undo = formTo('/undo', opened.text)
    assert.equal((await visitor.submit(undo, { fields: { password: 'short' } })).status, 422)
    const done = await visitor.submit(undo, { fields: { password } })
    assert.equal(localPath(done), '/sign-in?password-set')
    assert.equal(visitor.session, undefined)
    assert.equal((await thief.get('/account/security')).status, 303)
    const again = await visitor.submit(undo, { fields: { password: other } })
    assert.equal(again.status, 404)
    assert.match(again.text, /There’s nothing to undo/)
    assert.match(again.text, /href="\/forgotten"/)
    await visitor.signIn('tom@example.com', password)
  })
})
