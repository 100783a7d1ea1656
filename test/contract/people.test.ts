import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raeId, rexId } from '../../src/demo/world/world.ts'
import { formsOf, formTo } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { Browser, demoPassword, localPath, mary, tom } from '../harness/oauth.ts'
import { mailsTo, mailTo } from '../harness/outbox.ts'
import { onOneEngine } from '../harness/service.ts'
import { formFor, newAddress, newcomer } from './people-form.ts'

const rae = 'rae@example.com'
const rex = 'rex@example.com'
const harbour = '/console/10000001'
const southern = '/console/10000002'
const dryDock = '/console/10000003'

onOneEngine('the people of an advertiser', (_, { door, signedIn }) => {
  const visitor = () => new Browser(door)

  const admin = signedIn(rae)
  const recruiter = signedIn(rex)

  const peoplePage = (browser: Browser, path = harbour) => browser.get(`${path}/people`)

  async function invite(email: string, role = 'recruiter', path = harbour): Promise<Answer> {
    const form = formFor(await peoplePage(admin, path), 'invite')
    return admin.submit(form, { fields: { email, role } })
  }

  /** Where the email leads. */
  async function linkFor(email: string, role = 'recruiter', path = harbour): Promise<string> {
    const done = await invite(email, role, path)
    assert.equal(done.status, 303, done.text)
    assert.match((await admin.get(localPath(done))).text, /Invitation sent\./)
    return (await mailTo(door, email)).path
  }

  test('the console leads to the one advertiser, to a choice of several, or says how to get one', async () => {
    const toOne = await recruiter.get('/console')
    assert.deepEqual([toOne.status, localPath(toOne)], [303, harbour])
    assert.match((await recruiter.get(harbour)).text, /<h1>Overview<\/h1>/)
    const choice = await admin.get('/console')
    for (const path of [harbour, southern]) assert.match(choice.text, new RegExp(`href="${path}"`))
    const none = await (await Browser.signedIn(door, mary)).get('/console')
    assert.equal(none.status, 200)
    assert.match(none.text, /You need an invitation/)
    const stranger = visitor()
    const asked = await stranger.get('/console')
    assert.equal(localPath(asked), '/sign-in?continue=%2Fconsole')
    const done = await stranger.submitSignIn(await stranger.get(localPath(asked)), rex)
    assert.equal(localPath(done), '/console')
  })

  test('no notice appears for an unknown action', async () => {
    const usual = await admin.get(`${harbour}/people`)
    for (const done of ['__proto__', 'constructor', 'toString', 'x']) {
      const answer = await admin.get(`${harbour}/people?done=${done}`)
      assert.equal(answer.status, 200, done)
      assert.equal(
        answer.text.match(/role="status"/g)?.length,
        usual.text.match(/role="status"/g)?.length,
        done,
      )
      assert.doesNotMatch(answer.text, /native code/)
    }
  })

  test('a person without an account creates one with the link and joins', async () => {
    const email = newAddress()
    const link = await linkFor(email, 'admin', southern)
    const person = visitor()
    // Scanners open links before people do.
    for (let count = 0; count < 2; count++) assert.equal((await visitor().get(link)).status, 200)
    const form = await person.form('/invitations', link)
    const wrong = await person.submit(form, { fields: { ...newcomer, password: 'short' } })
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /You haven’t joined yet/)
    assert.match(wrong.text, /value="Silva"/)
    assert.doesNotMatch(wrong.text, /value="short"/)
    const joined = await person.submit(formTo('/invitations', wrong.text), { fields: newcomer })
    assert.deepEqual([joined.status, localPath(joined)], [303, `${southern}/applications`])
    const page = await peoplePage(person, southern)
    assert.match(page.text, /Ana Silva<\/bdi> <span class="quiet">\(you\)/)
    formFor(page, 'invite')
    const again = await visitor().get(link)
    assert.equal(again.status, 404)
    assert.match(again.text, /ask the person who invited you/)
    await visitor().signIn(email, newcomer.password)
  })

  test('with two simultaneous presses on Join, both end in the console, signed in', async () => {
    const link = await linkFor(newAddress(), 'recruiter', southern)
    const opened = visitor()
    const page = await opened.get(link)
    // Each as if the response to the other had never arrived.
    const people = [visitor(), visitor()]
    for (const { cookies } of people) for (const [name, value] of opened.cookies) cookies.set(name, value)
    const form = formTo('/invitations', page.text)
    const answers = await Promise.all(people.map(person => person.submit(form, { fields: newcomer })))
    for (const { status, text } of answers) assert.equal(status, 303, text)
    assert.ok(answers.map(localPath).includes(`${southern}/applications`))
    for (const person of people) {
      assert.equal((await peoplePage(person, southern)).status, 200)
      // Once more, from the previous page: the cookie is another by now.
      const again = await person.submit(form, { fields: newcomer })
      assert.deepEqual([again.status, localPath(again)], [303, `${southern}/applications`])
    }
    // A used invitation lets no one in without the chosen password.
    const stranger = visitor()
    const others = await stranger.form('/invitations', await linkFor(newAddress()))
    const used = Object.fromEntries(form.fields.filter(([name]) => name !== 'form_token'))
    const refused = await stranger.submit(others, {
      fields: { ...used, ...newcomer, password: 'another password that fits' },
    })
    assert.equal(refused.status, 404)
    assert.match(refused.text, /Already joined\?/)
    assert.equal(stranger.session, undefined)
  })

  test('a person with an account joins with the password, or with one press when signed in', async () => {
    const link = await linkFor(tom, 'recruiter', southern)
    const stranger = visitor()
    const form = await stranger.form('/invitations', link)
    const wrong = await stranger.submit(form, { fields: { password: 'not the password' } })
    assert.equal(wrong.status, 401)
    assert.match(wrong.text, /Wrong password/)
    assert.equal(stranger.session, undefined)
    const joined = await stranger.submit(formTo('/invitations', wrong.text), {
      fields: { password: demoPassword },
    })
    assert.deepEqual([joined.status, localPath(joined)], [303, `${southern}/applications`])
    assert.equal((await peoplePage(stranger, southern)).status, 200)
    assert.equal((await peoplePage(stranger)).status, 404)

    const next = await linkFor(tom, 'recruiter', harbour)
    const page = await stranger.get(next)
    assert.doesNotMatch(page.text, /name="password"/)
    // Pressed twice.
    const press = () => stranger.submit(formTo('/invitations', page.text))
    for (const answer of await Promise.all([press(), press()])) {
      assert.equal(localPath(answer), `${harbour}/applications`)
    }
  })

  test('a person signed in with another address reads so, and can join only with the invited address', async () => {
    const email = newAddress()
    const link = await linkFor(email)
    const person = await Browser.signedIn(door, mary)
    const page = await person.get(link)
    assert.match(page.text, /You’re signed in as <strong><bdi>mary@example\.com/)
    // A press on another page of the same browser, to bypass it.
    const prepared = await person.form('/invitations', await linkFor(mary))
    const forced = await person.submit(prepared, { fields: { token: link.split('#')[1] ?? '' } })
    assert.equal(forced.status, 200)
    assert.match(forced.text, /You’re signed in as <strong><bdi>mary@example\.com/)
    const joined = await person.submit(formTo('/invitations', forced.text), { fields: newcomer })
    assert.deepEqual([joined.status, localPath(joined)], [303, `${harbour}/applications`])
    assert.match((await person.get('/account/security')).text, new RegExp(email))
  })

  test('an unknown link reveals nothing, and a form without its token does nothing', async () => {
    const forged = `dli_${'A'.repeat(43)}`
    for (const path of ['/invitations#', `/invitations#${forged}`]) {
      const page = await visitor().get(path)
      assert.equal(page.status, 404)
      assert.doesNotMatch(page.text, /Harbour|Southern|@/)
    }
    const email = newAddress()
    const link = await linkFor(email)
    const person = visitor()
    const form = await person.form('/invitations', link)
    const stolen = {
      ...form,
      fields: form.fields.map(([name, value]): [string, string] => [
        name,
        name === 'form_token' ? 'x' : value,
      ]),
    }
    assert.equal((await person.submit(stolen, { fields: newcomer })).status, 403)
    assert.equal((await visitor().submit(form, { fields: newcomer })).status, 403)
    const other = await person.submit(form, { fields: { ...newcomer, token: forged } })
    assert.equal(other.status, 404)
    assert.equal((await person.get(link)).status, 200)
  })

  test('a recruiter sees the members, and cannot change them', async () => {
    const page = await peoplePage(recruiter)
    assert.match(page.text, /Rae Lindqvist/)
    assert.match(page.text, /Only admins can invite people/)
    assert.deepEqual(
      formsOf(page.text).map(({ action }) => action),
      ['/sign-out'],
    )
    const forms = formsOf((await peoplePage(admin)).text).filter(
      ({ action }) => action === `${harbour}/people`,
    )
    assert.ok(forms.length > 0)
    for (const form of forms) assert.equal((await recruiter.submit(form)).status, 403)
    for (const path of [`${harbour}/people/${raeId}/remove`, `${harbour}/people/${rexId}/remove`]) {
      const refused = await recruiter.get(path)
      assert.equal(refused.status, 403)
      // They are left where they are: the header is that of the advertiser.
      assert.match(refused.text, /<title>Admins only, Harbour Coffee Roasters · Dossier</)
      assert.match(
        refused.text,
        new RegExp(`<main.*href="${harbour}/applications".*href="${harbour}/people"`, 's'),
      )
      assert.equal((await recruiter.post(path, [])).status, 403)
    }
  })

  test('another advertiser is not found, and forms are for one alone', async () => {
    const pages = ['', '/people', '/people/leave', `/people/${raeId}/remove`]
    for (const page of pages) {
      assert.equal((await recruiter.get(`${southern}${page}`)).status, 404)
      assert.equal((await admin.get(`${dryDock}${page}`)).status, 404)
      assert.equal((await admin.get(`/console/99999999${page}`)).status, 404)
    }
    const form = formFor(await peoplePage(admin), 'role', rexId)
    assert.equal((await admin.submit({ ...form, action: `${southern}/people` })).status, 403)
    // Rex does not work for Southern, where Rae is an admin, too.
    assert.equal((await admin.get(`${southern}/people/${rexId}/remove`)).status, 404)
  })

  test('an admin promotes another, demotes and removes; it takes effect on the next request', async () => {
    const link = await linkFor(newAddress())
    const person = visitor()
    const fields = { ...newcomer, lastName: 'Newton' }
    await person.submit(await person.form('/invitations', link), { fields })
    const remove = /\/people\/([0-9a-f-]{36})\/remove" aria-label="Remove: Ana Newton"/
    const [, id = ''] = remove.exec((await peoplePage(admin)).text) ?? []
    const change = async (role: string) => {
      const done = await admin.submit(formFor(await peoplePage(admin), 'role', id, role))
      assert.match((await admin.get(localPath(done))).text, /Role changed/)
    }
    const mayRule = async () => (await person.get(`${harbour}/people/${rexId}/remove`)).status
    await change('admin')
    assert.equal(await mayRule(), 200)
    await change('recruiter')
    assert.equal(await mayRule(), 403)
    const asked = await admin.get(`${harbour}/people/${id}/remove`)
    assert.match(asked.text, /Remove Ana Newton\?/)
    const removed = await admin.submit(formTo(`${harbour}/people/${id}/remove`, asked.text))
    assert.equal(localPath(removed), `${harbour}/people?done=removed`)
    assert.equal((await peoplePage(person)).status, 404)
    assert.equal((await person.get('/account')).status, 200)
    const twice = await admin.submit(formTo(`${harbour}/people/${id}/remove`, asked.text))
    assert.equal(twice.status, 409)
  })

  test('the last admin can neither leave nor change role; a recruiter may leave', async () => {
    const page = await peoplePage(admin)
    assert.match(page.text, /Only admin/)
    // Offered for all other members.
    assert.throws(() => formFor(page, 'role', raeId))
    const refusals = [
      await admin.submit(formFor(page, 'role', rexId), { fields: { person: raeId, role: 'recruiter' } }),
      await admin.submit(await admin.form(`${harbour}/people/leave`)),
      await admin.submit(await admin.form(`${harbour}/people/${raeId}/remove`)),
    ]
    for (const { status, text } of refusals) {
      assert.equal(status, 409)
      assert.match(text, /Make another person an admin first/)
    }
    const link = await linkFor(newAddress())
    const person = visitor()
    await person.submit(await person.form('/invitations', link), { fields: newcomer })
    const goodbye = await person.get(`${harbour}/people/leave`)
    const left = await person.submit(formTo(`${harbour}/people/leave`, goodbye.text))
    assert.equal(localPath(left), '/console')
    assert.match((await person.get('/console')).text, /You need an invitation/)
  })

  test('pressed twice, an invitation is one email; withdrawn, its link has expired', async () => {
    const email = newAddress()
    const form = formFor(await peoplePage(admin), 'invite')
    const answers = await Promise.all([1, 2].map(() => admin.submit(form, { fields: { email } })))
    for (const { status } of answers) assert.equal(status, 303)
    assert.equal((await mailsTo(door, email, 1)).length, 1)
    // Reopened with the back button, and sent for another person.
    const other = newAddress()
    assert.equal((await admin.submit(form, { fields: { email: other } })).status, 303)
    assert.equal((await mailsTo(door, other, 1)).length, 1)
    const { path } = await mailTo(door, email)
    const [, id = ''] =
      new RegExp(`name="invitation" value="([0-9a-f-]{36})"><button[^>]*aria-label="Revoke: ${email}"`).exec(
        (await peoplePage(admin)).text,
      ) ?? []
    const back = await admin.submit(formFor(await peoplePage(admin), 'take-back', id))
    assert.match((await admin.get(localPath(back))).text, /Invitation revoked/)
    assert.equal((await visitor().get(path)).status, 404)
  })

  test('an address that cannot be invited is reported beside what was typed', async () => {
    for (const [email, text] of [
      ['nobody', /such as name@example\.com/],
      [rex, /already a member/],
    ] as const) {
      const form = formFor(await peoplePage(admin), 'invite')
      const press = () => admin.submit(form, { fields: { email, role: 'admin' } })
      for (const answer of await Promise.all([press(), press()])) {
        assert.equal(answer.status, 422)
        assert.match(answer.text, text)
        assert.match(answer.text, new RegExp(`value="${email}"`))
        assert.match(answer.text, /<option value="admin" selected>/)
      }
    }
    assert.equal((await invite(newAddress(), 'owner')).status, 400)
  })
})
