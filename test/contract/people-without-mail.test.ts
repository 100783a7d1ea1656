import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invitationsPerHour } from '../../src/assembly/console-pages.ts'
import { Browser } from '../harness/oauth.ts'
import { inDemoWorld } from '../oauth/world.ts'
import { formFor, newAddress, newcomer } from './people-form.ts'

const rae = 'rae@example.com'
const rex = 'rex@example.com'
const harbour = '/console/10000001'
const southern = '/console/10000002'

inDemoWorld('the people of an advertiser, without email', { on: ['sqlite'] }, (world, { door, signedIn }) => {
  let admin = signedIn(rae)

  test('the link is shown once, to be handed over', async () => {
    const page = await admin.get(`${harbour}/people`)
    assert.match(page.text, /This service doesn’t send email/)
    const done = await admin.submit(formFor(page, 'invite'), { fields: { email: newAddress() } })
    assert.equal(done.status, 200)
    const shown = /value="http:\/\/localhost:8080(\/invitations#dli_[\w-]{43})" readonly/
    const [, link = ''] = shown.exec(done.text) ?? []
    assert.doesNotMatch((await admin.get(`${harbour}/people`)).text, /dli_/)
    const person = new Browser(door)
    const form = await person.form('/invitations', link)
    assert.equal((await person.submit(form, { fields: newcomer })).status, 303)
  })

  test('an advertiser on hold is listed as such, and opens nothing', async () => {
    await world().services.advertisers.setStatus(10000001, 'hold')
    const recruiter = await Browser.signedIn(door, rex)
    const list = await recruiter.get('/console')
    assert.equal(list.status, 200)
    assert.match(list.text, /Harbour Coffee Roasters.*On hold/s)
    assert.doesNotMatch(list.text, /href="\/console\/10000001/)
    for (const path of [harbour, `${harbour}/people`]) {
      const answer = await recruiter.get(path)
      assert.equal(answer.status, 403)
      assert.match(answer.text, /This account is on hold/)
      assert.match(answer.text, /<main.*href="\/console">/s)
    }
    await world().services.advertisers.setStatus(10000001, 'active')
    assert.equal((await recruiter.get(`${harbour}/people`)).status, 200)
  })

  test("an advertiser's invitations per hour are limited", async () => {
    /** An hour and a minute later, when the last hour is empty and the proof of the session is no longer fresh. */
    const newForm = async () => {
      world().clock.advance(3_660_000)
      admin = await Browser.signedIn(door, rae)
      return formFor(await admin.get(`${harbour}/people`), 'invite')
    }
    let form = await newForm()
    const statusOf = async () => (await admin.submit(form, { fields: { email: 'nobody' } })).status
    for (let count = 0; count < invitationsPerHour; count++) assert.equal(await statusOf(), 422)
    assert.equal(await statusOf(), 429)
    const elsewhere = formFor(await admin.get(`${southern}/people`), 'invite')
    assert.equal((await admin.submit(elsewhere, { fields: { email: 'nobody' } })).status, 422)
    form = await newForm()
    assert.equal(await statusOf(), 422)
  })
})
