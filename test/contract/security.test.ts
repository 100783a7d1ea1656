import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formsOf, formTo } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { Browser, demoPassword, localPath, mary, tom } from '../harness/oauth.ts'
import { mailsTo, mailTo } from '../harness/outbox.ts'
import { onOneEngine } from '../harness/service.ts'

const password = 'a few words that fit'
const other = 'some other words that fit'

/** Every test has its own addresses. */
let people = 0
const newAddress = () => `person-${++people}@example.net`

onOneEngine('sign-in and security', (_, { door }) => {
  const browser = () => new Browser(door)

  async function signedIn(email = mary, chosen = demoPassword): Promise<Browser> {
    const visitor = browser()
    await visitor.signIn(email, chosen)
    return visitor
  }

  /** The forms of the page all go to one address; each has a field that names its action. */
  async function perform(
    visitor: Browser,
    action: string,
    fields: Record<string, string> = {},
  ): Promise<Answer> {
    const page = await visitor.get('/account/security')
    const form = formsOf(page.text).find(found =>
      found.fields.some(([name, value]) => name === 'action' && value === action),
    )
    assert.ok(form !== undefined, `no form for ${action}`)
    return visitor.submit(form, { fields })
  }

  test('a new password needs the current one, signs out everywhere else and is confirmed by email', async () => {
    const [here, there] = [await signedIn(tom), await signedIn(tom)]
    const wrong = await perform(here, 'password', { current: other, password })
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /Your current password is wrong/)
    const done = await perform(here, 'password', { current: demoPassword, password })
    assert.equal(done.status, 303)
    assert.match((await here.get(localPath(done))).text, /Password changed/)
    assert.equal((await there.get('/account/security')).status, 303)
    const back = await perform(here, 'password', { current: password, password: demoPassword })
    assert.equal(back.status, 303)
    const notices = await mailsTo(door, tom, 2)
    assert.deepEqual(new Set(notices.map(({ subject }) => subject)), new Set(['Your password was changed']))
  })

  test('a new password that is sent twice, at once or in sequence, is changed once', async () => {
    const rex = 'rex@example.com'
    const here = await signedIn(rex)
    const changes = [
      { current: demoPassword, password: other },
      { current: other, password: demoPassword },
    ]
    const locations: (string | null)[] = []
    const send = async (fields: Record<string, string>) =>
      locations.push((await perform(here, 'password', fields)).headers.get('location'))
    for (const fields of changes) {
      await Promise.all([send(fields), send(fields)])
      await send(fields)
    }
    assert.deepEqual(new Set(locations), new Set(['/account/security?done=password']))
    assert.equal((await mailsTo(door, rex, 2)).length, 2)
  })

  test('a notice is one of ours, whatever the query says', async () => {
    const visitor = await signedIn(tom)
    for (const name of ['__proto__', 'constructor', 'toString', 'nothing']) {
      for (const path of ['/account/security', '/account/resumes']) {
        const page = await visitor.get(`${path}?done=${name}`)
        assert.equal(page.status, 200, `${path} ${name}`)
        assert.doesNotMatch(page.text, /class="notice"|native code/)
      }
    }
  })

  test('one account may request a few new addresses in a minute, and no more', async () => {
    const visitor = await signedIn(tom)
    const statuses = []
    // More than twice as many, in case a minute ends in between.
    for (let attempt = 0; attempt < 12; attempt++) {
      statuses.push((await perform(visitor, 'email', { email: '', password: demoPassword })).status)
    }
    assert.equal(statuses[0], 422)
    assert.ok(statuses.includes(429))
  })

  test('a form for one action is not valid for another', async () => {
    const visitor = await signedIn()
    const page = await visitor.get('/account/security')
    const form = formTo('/account/security', page.text)
    for (const action of ['end-other-sessions', 'constructor', '']) {
      assert.equal((await visitor.submit(form, { fields: { action } })).status, 403, action)
    }
  })

  test('the list shows each browser, and one can be signed out from another', async () => {
    const here = await signedIn()
    const there = browser()
    const form = await there.form('/sign-in')
    const fields = form.fields.map(([name, value]): [string, string] => [
      name,
      { email: mary, password: demoPassword }[name] ?? value,
    ])
    await there.send('POST', '/sign-in', {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
      },
      body: new URLSearchParams(fields).toString(),
    })
    const list = (await here.get('/account/security')).text
    assert.match(list, /Firefox on Windows/)
    assert.match(list, /This browser/)
    // A person cannot end another person's session.
    const stranger = await signedIn('tom@example.com')
    await signedIn('tom@example.com')
    const [, id = ''] = /Firefox on Windows.*?name="session" value="([^"]+)"/s.exec(list) ?? []
    await perform(stranger, 'end-session', { session: id })
    assert.equal((await there.get('/account/security')).status, 200)
    await perform(here, 'end-session', { session: id })
    assert.equal((await there.get('/account/security')).status, 303)
    const third = await signedIn()
    assert.equal((await perform(here, 'end-other-sessions')).status, 303)
    assert.equal((await third.get('/account/security')).status, 303)
    assert.equal((await here.get('/account/security')).status, 200)
  })

  test('a new address is used once its link and the password were, and not before', async () => {
    const visitor = await signedIn()
    const email = newAddress()
    assert.equal((await perform(visitor, 'email', { email, password: other })).status, 422)
    assert.equal((await perform(visitor, 'email', { email: mary, password: demoPassword })).status, 422)
    const asked = await perform(visitor, 'email', { email, password: demoPassword })
    assert.equal(asked.status, 303)
    const { path } = await mailTo(door, email)
    const notices = await mailsTo(door, mary, 1)
    assert.equal(notices[0]?.subject, 'Your email address is about to change')
    const reader = browser()
    const form = await reader.form('/confirm', path)
    await signedIn(mary)
    assert.equal((await reader.submit(form, { fields: { password: other } })).status, 401)
    assert.equal((await reader.submit(form, { fields: { password: demoPassword } })).status, 303)
    assert.match((await reader.get('/account/security?done=email')).text, /Email address changed/)
    await signedIn(email)
    const former = browser()
    assert.equal((await former.submitSignIn(await former.get('/sign-in'), mary, demoPassword)).status, 401)

    // Changed back, for the other tests. A stranger's unconfirmed claim to the address gives way.
    const claim = browser()
    const signUp = await claim.form('/sign-up')
    const typed = { firstName: 'Eve', lastName: 'L', email: mary, password }
    await claim.submit(signUp, { fields: typed })
    await mailsTo(door, mary, 3)
    await perform(reader, 'email', { email: mary, password: demoPassword })
    const back = (await mailsTo(door, mary, 4)).find(({ subject }) => /new email address/.test(subject))
    const again = await reader.form('/confirm', back?.path ?? '')
    assert.equal((await reader.submit(again, { fields: { password: demoPassword } })).status, 303)
    await signedIn(mary)
  })

  test('an address that is taken is not revealed, but its owner gets an email', async () => {
    const visitor = await signedIn()
    const asked = await perform(visitor, 'email', { email: tom, password: demoPassword })
    assert.equal(asked.headers.get('location'), '/account/security?done=email-asked')
    const { subject } = await mailTo(door, tom, 3)
    assert.equal(subject, 'You already have an account')
  })
})
