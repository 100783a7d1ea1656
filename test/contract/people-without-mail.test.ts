import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { invitationsPerHour } from '../../src/assembly/console-pages.ts'
import { movableClock } from '../harness/clock.ts'
import { createTestDatabase, open, type TestDatabase } from '../harness/database.ts'
import { Browser, doorInto } from '../harness/oauth.ts'
import { createTestServer } from '../harness/server.ts'
import type { Services } from '../harness/services.ts'
import { formFor, newAddress, newcomer } from './people-form.ts'

const rae = 'rae@example.com'
const rex = 'rex@example.com'
const harbour = '/console/10000001'
const southern = '/console/10000002'

describe('the people of an advertiser, without email', () => {
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
    assert.match(page.text, /This service doesn’t send email/)
    const done = await admin.submit(formFor(page, 'invite'), { fields: { email: newAddress() } })
    assert.equal(done.status, 200)
    const shown = /value="http:\/\/localhost:8080(\/invitations#dli_[\w-]{43})" readonly/
    const [, link = ''] = shown.exec(done.text) ?? []
    assert.doesNotMatch((await admin.get(`${harbour}/people`)).text, /dli_/)
    const person = new Browser(doorInto(app))
    const form = await person.form('/invitations', link)
    assert.equal((await person.submit(form, { fields: newcomer })).status, 303)
  })

  test('an advertiser on hold is listed as such, and opens nothing', async () => {
    await services.advertisers.setStatus(10000001, 'hold')
    const recruiter = await Browser.signedIn(doorInto(app), rex)
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
    await services.advertisers.setStatus(10000001, 'active')
    assert.equal((await recruiter.get(`${harbour}/people`)).status, 200)
  })

  test("an advertiser's invitations per hour are limited", async () => {
    /** An hour and a minute later, when the last hour is empty and the proof of the session is no longer fresh. */
    const newForm = async () => {
      clock.advance(3_660_000)
      admin = new Browser(doorInto(app))
      await admin.signIn(rae)
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
