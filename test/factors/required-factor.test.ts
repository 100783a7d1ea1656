import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { harbourId, raeId } from '../../src/demo/world/world.ts'
import { withServicesOn } from '../harness/database.ts'
import { formsOf, formTo } from '../harness/html-form.ts'
import { codeByOathtool } from '../harness/oathtool.ts'
import { Browser, doorInto, mary } from '../harness/oauth.ts'
import { createTestServer } from '../harness/server.ts'

const console = `/console/${harbourId}`
const people = `${console}/people`

withServicesOn(
  'sqlite',
  'a company that requires a second factor',
  { content: 'demo' },
  (services, settings) => {
    let app: FastifyInstance
    before(async () => {
      app = (await createTestServer(services(), settings())).app
    })
    after(() => app.close())

    async function browserOf(email: string) {
      return Browser.signedIn(doorInto(app), email)
    }
    const factorForm = (page: string) =>
      formsOf(page).find(({ fields }) =>
        fields.some(([name, value]) => name === 'action' && value === 'second-factor'),
      )
    const isRequired = async () =>
      (
        await services()
          .database.reader.selectFrom('advertisers')
          .select('requires_factor')
          .where('id', '=', harbourId)
          .executeTakeFirstOrThrow()
      ).requires_factor === 1

    test('is set by an admin who has one; its people are led to enrol, and may leave', async () => {
      const { accounts, factors, database, advertisers, clock } = services()
      const rae = await browserOf('rae@example.com')
      const before = await rae.get(people)
      assert.match(before.text, /set it up for yourself first/)
      assert.equal(factorForm(before.text), undefined)
      const forged = await rae.post(people, [
        ['action', 'second-factor'],
        ['required', 'yes'],
        ['form_token', 'x'],
      ])
      assert.equal(forged.status, 403)

      const session = await accounts.findSession(rae.session ?? '')
      assert.ok(session)
      const { secret } = await factors.beginTotp(session)
      const code = codeByOathtool(secret, clock())
      assert.equal((await factors.addTotp(session, { secret, code }, [])).outcome, 'added')
      const page = await rae.get(people)
      assert.match(page.text, />On</)
      assert.match(page.text, />Off</)
      const form = factorForm(page.text)
      assert.ok(form)
      const set = await rae.submit(form)
      assert.equal(set.status, 303, set.text)
      assert.equal(await isRequired(), true)
      const recorded = await database.reader
        .selectFrom('audit_entries')
        .select(['before', 'after'])
        .where('action', '=', 'company.second-factor')
        .execute()
      assert.equal(recorded.length, 1)
      assert.equal((await rae.get(console)).status, 200, 'the admin is not locked out')

      const rex = await browserOf('rex@example.com')
      for (const path of [console, people, `${console}/applications`]) {
        const sent = await rex.get(path)
        assert.equal(sent.status, 303, path)
        assert.equal(
          sent.headers.get('location'),
          `/account/security/two-step?needed&continue=${encodeURIComponent(path)}`,
        )
      }
      assert.equal((await rex.post(people, [['action', 'invite']])).status, 303)
      assert.equal((await rex.get(`${people}/leave`)).status, 200)
      assert.match((await rex.get('/account/security/two-step?needed')).text, /To continue, add a passkey/)
      const stranger = await browserOf(mary)
      assert.equal((await stranger.get(console)).status, 404)

      const stop = factorForm((await rae.get(people)).text)
      assert.ok(stop)
      assert.equal((await rae.submit(stop)).status, 303)
      assert.equal((await rex.get(console)).status, 200)
      await advertisers.setRequiresFactor(harbourId, true)
      assert.equal((await rex.get(console)).status, 303)
      await assert.rejects(advertisers.setRequiresFactor(99, true), { code: 'not-found' })
    })

    test('keeps the list of people from its only admin without one, who cannot leave', async () => {
      await services().factors.reset(raeId, 'test')
      await services().advertisers.setRequiresFactor(harbourId, true)
      const rae = await browserOf('rae@example.com')
      const { text } = await rae.get(`${people}/leave`)
      const refused = await rae.submit(formTo(`${people}/leave`, text))
      assert.equal(refused.status, 409)
      assert.match(refused.text, /Make another person an admin first/)
      assert.doesNotMatch(refused.text, /rex@example\.com/)
    })

    test('a wrong code leaves the secret of the app as it is; an address cannot choose it', async () => {
      const tom = await browserOf('tom@example.com')
      const path = '/account/security/two-step/app'
      const secretIn = (page: string) => /<code>([A-Z2-7 ]+)<\/code>/.exec(page)?.[1]
      const first = await tom.get(path)
      const form = formTo(path, first.text)
      const wrong = await tom.submit(form, { fields: { code: 'abc' } })
      assert.equal(wrong.status, 422)
      assert.match(wrong.text, /<a href="#code">This code is wrong/)
      assert.doesNotMatch(wrong.text, /abc/)
      assert.equal(secretIn(wrong.text), secretIn(first.text))
      const [, sealed = ''] = form.fields.find(([name]) => name === 'secret') ?? []
      const other = await tom.get(`${path}?secret=${encodeURIComponent(sealed)}`)
      assert.notEqual(secretIn(other.text) ?? '', secretIn(first.text))
      assert.ok(secretIn(other.text))
      const foreign = await tom.submit(form, { fields: { code: '123456', secret: 'x' } })
      assert.match(foreign.text, /Here is a new picture/)
    })

    test('a passkey keeps the name that was typed when it is rejected; an address cannot choose one', async () => {
      const tom = await browserOf('tom@example.com')
      const path = '/account/security/two-step/passkey'
      const nameIn = (page: string) => /name="name" value="([^"]*)"/.exec(page)?.[1]
      const lured = await tom.get(`${path}?name=Call+0900`)
      assert.match(nameIn(lured.text) ?? '', /^(?!Call)./)
      const rejected = await tom.submit(formTo(path, lured.text), { fields: { name: 'Blue key' } })
      assert.equal(rejected.status, 422)
      assert.match(rejected.text, /We couldn’t read what your device answered/)
      assert.equal(nameIn(rejected.text), 'Blue key')
    })

    test('leads its people back to the page they wanted, and to no other site', async () => {
      const { advertisers, clock } = services()
      await advertisers.setRequiresFactor(harbourId, true)
      const rex = await browserOf('rex@example.com')
      const wanted = `${console}/applications?status=new`
      const list = await rex.get((await rex.get(wanted)).headers.get('location') ?? '')
      const [, link = ''] = /href="([^"]*two-step\/app[^"]*)"/.exec(list.text) ?? []
      const page = await rex.get(link)
      const [, secret = ''] = /<code>([A-Z2-7 ]+)<\/code>/.exec(page.text) ?? []
      const code = codeByOathtool(secret.replaceAll(' ', ''), clock())
      const codes = await rex.submit(formTo('/account/security/two-step/app', page.text), {
        fields: { code },
      })
      assert.match(codes.text, /Save your recovery codes/)
      const [, next] = /<a class="button" href="([^"]*)"/.exec(codes.text) ?? []
      assert.equal(next, wanted)
      assert.equal((await rex.get(wanted)).status, 200)

      const lured = await rex.get('/account/security/two-step?needed&continue=https://example.org/')
      assert.match(lured.text, /href="\/account\/security\/two-step\/passkey"/)
    })
  },
)
