import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../../src/app.ts'
import { raeId, rexId } from '../../src/demo/world.ts'
import { defaultLimits as limits } from '../../src/limits.ts'
import { movableClock } from '../harness/clock.ts'
import { createTestDatabase, open, type TestDatabase } from '../harness/database.ts'
import { type Form, formsOf, formTo, textOf } from '../harness/html-form.ts'
import type { Answer } from '../harness/http.ts'
import { Browser, doorInto, doorOf, localPath, mary, tom } from '../harness/oauth.ts'
import { mailsTo, mailTo } from '../harness/outbox.ts'
import { createTestServer } from '../harness/server.ts'
import { onOneEngine } from '../harness/service.ts'

const rae = 'rae@example.com'
const rex = 'rex@example.com'
const harbour = '/console/10000001'
const southern = '/console/10000002'
const dryDock = '/console/10000003'
const password = 'a few words that fit'
const newcomer = { firstName: 'Ana', lastName: 'Silva', password }

let people = 0
const newAddress = () => `person-${++people}@example.net`

/** The form of the people page that does this, to this person when it names one. */
function formFor(page: Answer, action: string, ...values: string[]): Form {
  const form = formsOf(page.text).find(({ fields }) => {
    const sent = fields.map(([, value]) => value)
    return (
      fields.some(([name, value]) => name === 'action' && value === action) &&
      values.every(each => sent.includes(each))
    )
  })
  assert.ok(form !== undefined, `no form for ${action}: ${page.text}`)
  return form
}

onOneEngine('the people of an advertiser', service => {
  const door = () => doorOf(service())
  const visitor = () => new Browser(door())

  async function signedIn(email: string): Promise<Browser> {
    const browser = visitor()
    await browser.signIn(email)
    return browser
  }

  let admin: Browser
  let recruiter: Browser
  before(async () => {
    admin = await signedIn(rae)
    recruiter = await signedIn(rex)
  })

  const peoplePage = (browser: Browser, path = harbour) => browser.get(`${path}/people`)

  async function invite(email: string, role = 'recruiter', path = harbour): Promise<Answer> {
    const form = formFor(await peoplePage(admin, path), 'invite')
    return admin.submit(form, { fields: { email, role } })
  }

  /** Where the mail leads. */
  async function linkFor(email: string, role = 'recruiter', path = harbour): Promise<string> {
    const done = await invite(email, role, path)
    assert.equal(done.status, 303, done.text)
    assert.match((await admin.get(localPath(done))).text, /The invitation is on its way/)
    return (await mailTo(door(), email)).path
  }

  test('the door leads to the one advertiser, to a choice of several, or says how to get one', async () => {
    const toOne = await recruiter.get('/console')
    assert.deepEqual([toOne.status, localPath(toOne)], [303, `${harbour}/applications`])
    assert.equal(localPath(await recruiter.get(harbour)), `${harbour}/applications`)
    const choice = await admin.get('/console')
    for (const path of [harbour, southern])
      assert.match(choice.text, new RegExp(`href="${path}/applications"`))
    const none = await (await signedIn(mary)).get('/console')
    assert.equal(none.status, 200)
    assert.match(none.text, /You do not work for an advertiser yet/)
    const stranger = visitor()
    const asked = await stranger.get('/console')
    assert.equal(localPath(asked), '/sign-in?continue=%2Fconsole')
    const done = await stranger.submitSignIn(await stranger.get(localPath(asked)), rex)
    assert.equal(localPath(done), '/console')
  })

  test('somebody without an account makes one with the link, and is in', async () => {
    const email = newAddress()
    const link = await linkFor(email, 'admin', southern)
    const person = visitor()
    // Scanners open links before people do.
    for (let count = 0; count < 2; count++) assert.equal((await visitor().get(link)).status, 200)
    const form = formTo('/invitations', (await person.get(link)).text)
    const wrong = await person.submit(form, { fields: { ...newcomer, password: 'short' } })
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /You have not joined yet/)
    assert.match(wrong.text, /value="Silva"/)
    assert.doesNotMatch(wrong.text, /value="short"/)
    const joined = await person.submit(formTo('/invitations', wrong.text), { fields: newcomer })
    assert.deepEqual([joined.status, localPath(joined)], [303, `${southern}/applications`])
    const page = await peoplePage(person, southern)
    assert.match(page.text, /Ana Silva<\/bdi> <span class="quiet">\(you\)/)
    formFor(page, 'invite')
    const again = await visitor().get(link)
    assert.equal(again.status, 404)
    assert.match(again.text, /ask whoever has invited you for a new one/)
    await visitor().signIn(email, password)
  })

  test('somebody with an account signs in, comes back and joins with one press', async () => {
    const link = await linkFor(tom, 'recruiter', southern)
    const person = visitor()
    const page = await person.get(link)
    assert.doesNotMatch(page.text, /name="password"/)
    const [, signIn = ''] = /href="(\/sign-in\?continue=[^"]*)"/.exec(page.text) ?? []
    const done = await person.submitSignIn(await person.get(textOf(signIn)), tom)
    assert.equal(localPath(done), link)
    const joined = await person.submit(formTo('/invitations', (await person.get(link)).text))
    assert.equal(localPath(joined), `${southern}/applications`)
    assert.equal((await peoplePage(person, southern)).status, 200)
    assert.equal((await peoplePage(person)).status, 404)
  })

  test('somebody who is signed in with another address is told so, and comes back after signing out', async () => {
    const email = newAddress()
    const link = await linkFor(email)
    const person = await signedIn(mary)
    const page = await person.get(link)
    assert.match(page.text, /You are signed in with another address/)
    assert.throws(() => formTo('/invitations', page.text))
    const token = new URL(link, 'http://here').searchParams.get('token') ?? ''
    // A form of another page of the same browser, to go around it.
    const prepared = formTo('/invitations', (await person.get(await linkFor(mary))).text)
    const forced = await person.submit(prepared, { fields: { token } })
    assert.match(forced.text, /You are signed in with another address/)
    const out = await person.submit(formTo('/sign-out', page.text))
    assert.equal(localPath(out), link)
    const joined = await person.submit(formTo('/invitations', (await person.get(link)).text), {
      fields: newcomer,
    })
    assert.equal(joined.status, 303)
  })

  test('a link that never was tells nothing, and a form without its token does nothing', async () => {
    const forged = `dli_${'A'.repeat(43)}`
    for (const path of ['/invitations', '/invitations?token=', `/invitations?token=${forged}`]) {
      const page = await visitor().get(path)
      assert.equal(page.status, 404)
      assert.doesNotMatch(page.text, /Harbour|Southern|@/)
    }
    const email = newAddress()
    const link = await linkFor(email)
    const person = visitor()
    const form = formTo('/invitations', (await person.get(link)).text)
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

  test('a recruiter sees who is there, and can change none of it', async () => {
    const page = await peoplePage(recruiter)
    assert.match(page.text, /Rae Lindqvist/)
    assert.match(page.text, /Admins invite and remove people/)
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
      assert.equal((await recruiter.get(path)).status, 403)
      assert.equal((await recruiter.post(path, [])).status, 403)
    }
  })

  test('another advertiser does not exist, and forms are for one alone', async () => {
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

  test('an admin makes another, takes it back and removes; it acts on the next request', async () => {
    const link = await linkFor(newAddress())
    const person = visitor()
    const fields = { ...newcomer, lastName: 'Newton' }
    await person.submit(formTo('/invitations', (await person.get(link)).text), { fields })
    const remove = /\/people\/([0-9a-f-]{36})\/remove" aria-label="Remove: Ana Newton"/
    const [, id = ''] = remove.exec((await peoplePage(admin)).text) ?? []
    const change = async (role: string) => {
      const done = await admin.submit(formFor(await peoplePage(admin), 'role', id, role))
      assert.match((await admin.get(localPath(done))).text, /The role is changed/)
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

  test('the last admin neither leaves nor becomes less; a recruiter may leave', async () => {
    const page = await peoplePage(admin)
    assert.match(page.text, /The last admin/)
    // Offered for everybody else alone.
    assert.throws(() => formFor(page, 'role', raeId))
    const refusals = [
      await admin.submit(formFor(page, 'role', rexId), { fields: { person: raeId, role: 'recruiter' } }),
      await admin.submit(
        formTo(`${harbour}/people/leave`, (await admin.get(`${harbour}/people/leave`)).text),
      ),
      await admin.submit(
        formTo(
          `${harbour}/people/${raeId}/remove`,
          (await admin.get(`${harbour}/people/${raeId}/remove`)).text,
        ),
      ),
    ]
    for (const { status, text } of refusals) {
      assert.equal(status, 409)
      assert.match(text, /Make somebody else an admin first/)
    }
    const link = await linkFor(newAddress())
    const person = visitor()
    await person.submit(formTo('/invitations', (await person.get(link)).text), { fields: newcomer })
    const goodbye = await person.get(`${harbour}/people/leave`)
    const left = await person.submit(formTo(`${harbour}/people/leave`, goodbye.text))
    assert.equal(localPath(left), '/console')
    assert.match((await person.get('/console')).text, /You do not work for an advertiser yet/)
  })

  test('pressed twice, an invitation is one mail; taken back, its link is over', async () => {
    const email = newAddress()
    const form = formFor(await peoplePage(admin), 'invite')
    const answers = await Promise.all([1, 2].map(() => admin.submit(form, { fields: { email } })))
    for (const { status } of answers) assert.equal(status, 303)
    assert.equal((await mailsTo(door(), email, 1)).length, 1)
    const { path } = await mailTo(door(), email)
    const [, id = ''] =
      new RegExp(
        `name="invitation" value="([0-9a-f-]{36})"><button[^>]*aria-label="Take back: ${email}"`,
      ).exec((await peoplePage(admin)).text) ?? []
    const back = await admin.submit(formFor(await peoplePage(admin), 'take-back', id))
    assert.match((await admin.get(localPath(back))).text, /The invitation is taken back/)
    assert.equal((await visitor().get(path)).status, 404)
  })

  test('what cannot be invited is said beside what was typed', async () => {
    for (const [email, text] of [
      ['nobody', /such as name@example\.com/],
      [rex, /works for the advertiser already/],
    ] as const) {
      const answer = await invite(email, 'admin')
      assert.equal(answer.status, 422)
      assert.match(answer.text, text)
      assert.match(answer.text, new RegExp(`value="${email}"`))
      assert.match(answer.text, /<option value="admin" selected>/)
    }
    assert.equal((await invite(newAddress(), 'owner')).status, 400)
  })
})

describe('the people of an advertiser, without mail', () => {
  const clock = movableClock()
  let database: TestDatabase
  let services: Services
  let app: FastifyInstance
  let admin: Browser
  before(async () => {
    database = await createTestDatabase('sqlite', 'demo')
    services = await open(database.settings, clock)
    app = (await createTestServer(services, database.settings)).app
    admin = new Browser(doorInto(app))
    await admin.signIn(rae)
  })
  after(async () => {
    await app.close()
    await services.close()
    await database.remove()
  })

  test('the link is shown once, to be handed over', async () => {
    const page = await admin.get(`${harbour}/people`)
    assert.match(page.text, /This service sends no mail/)
    const done = await admin.submit(formFor(page, 'invite'), { fields: { email: newAddress() } })
    assert.equal(done.status, 200)
    const shown = /value="http:\/\/localhost:8080(\/invitations\?token=dli_[\w-]{43})" readonly/
    const [, link = ''] = shown.exec(done.text) ?? []
    assert.doesNotMatch((await admin.get(`${harbour}/people`)).text, /dli_/)
    const person = new Browser(doorInto(app))
    const form = formTo('/invitations', (await person.get(link)).text)
    assert.equal((await person.submit(form, { fields: newcomer })).status, 303)
  })

  test('an advertiser on hold is listed as such, and opens nothing', async () => {
    await services.advertisers.setStatus(10000001, 'hold')
    const recruiter = new Browser(doorInto(app))
    await recruiter.signIn(rex)
    const list = await recruiter.get('/console')
    assert.equal(list.status, 200)
    assert.match(list.text, /Harbour Coffee Roasters.*On hold/s)
    assert.doesNotMatch(list.text, /href="\/console\/10000001/)
    for (const path of [harbour, `${harbour}/people`]) {
      const answer = await recruiter.get(path)
      assert.equal(answer.status, 403)
      assert.match(answer.text, /This advertiser is on hold at present/)
    }
    await services.advertisers.setStatus(10000001, 'active')
    assert.equal((await recruiter.get(`${harbour}/people`)).status, 200)
  })

  test('an advertiser invites so often in an hour, and not more', async () => {
    clock.advance(3_600_000)
    const form = formFor(await admin.get(`${harbour}/people`), 'invite')
    const statusOf = async () => (await admin.submit(form, { fields: { email: 'nobody' } })).status
    for (let count = 0; count < limits.invitationsPerHour; count++) assert.equal(await statusOf(), 422)
    assert.equal(await statusOf(), 429)
    const elsewhere = formFor(await admin.get(`${southern}/people`), 'invite')
    assert.equal((await admin.submit(elsewhere, { fields: { email: 'nobody' } })).status, 422)
    clock.advance(3_600_000)
    assert.equal(await statusOf(), 422)
  })
})
