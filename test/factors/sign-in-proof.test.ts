import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { harbourId } from '../../src/demo/world/world.ts'
import { movableClock } from '../harness/clock.ts'
import { withServicesOn } from '../harness/database.ts'
import { type Form, formsOf, formTo } from '../harness/html-form.ts'
import { codeByOathtool } from '../harness/oathtool.ts'
import { Browser, demoPassword, doorInto, localPath } from '../harness/oauth.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { createTestServer } from '../harness/server.ts'

const clock = movableClock(Date.parse('2026-11-14T00:00:00Z'))
const sixteenMinutes = 16 * 60_000
const headers = { 'sec-fetch-site': 'same-origin' }
const twoStep = '/account/security/two-step'
const security = '/account/security'

for (const engine of oneEngine)
  withServicesOn(
    engine,
    'what changes how one signs in',
    { clock, content: 'demo' },
    (services, settings) => {
      let app: FastifyInstance
      before(async () => {
        app = (await createTestServer(services(), settings(), { isDemo: true })).app
      })
      after(() => app.close())

      const ownerOf = async (browser: Browser) => {
        const owner = await services().accounts.findSession(browser.session ?? '')
        assert.ok(owner)
        return owner
      }
      async function withApp(email: string) {
        const browser = await Browser.signedIn(doorInto(app), email)
        const { factors } = services()
        const owner = await ownerOf(browser)
        const { secret } = await factors.beginTotp(owner)
        const added = await factors.addTotp(owner, { secret, code: codeByOathtool(secret, clock()) }, [])
        const codes = (added.outcome === 'added' && added.codes) || []
        /** Each code is new: no code is accepted twice. */
        const code = () => {
          clock.advance(30_000)
          return codeByOathtool(secret, clock())
        }
        return { browser, owner, code, codes }
      }
      const formWith = (page: string, action: string): Form => {
        const form = formsOf(page).find(({ fields }) =>
          fields.some(([name, value]) => name === 'action' && value === action),
        )
        assert.ok(form, action)
        return form
      }
      const press = async (browser: Browser, path: string, action: string) =>
        browser.submit(formWith((await browser.get(path)).text, action), { headers })

      test('asks for the password and a code; either alone is not enough, nor is a recovery code', async () => {
        const { browser, owner, code, codes } = await withApp('rex@example.com')
        clock.advance(sixteenMinutes)
        const asked = await press(browser, twoStep, 'renew-codes')
        assert.equal(asked.status, 401)
        for (const fields of [
          { proof_password: demoPassword },
          { proof_password: '', proof_code: code() },
          { proof_password: demoPassword, proof_code: codes[0] ?? '' },
          { proof_password: demoPassword, proof_code: '000000' },
        ]) {
          const refused = await browser.submit(formTo(twoStep, asked.text), { fields, headers })
          assert.equal(refused.status, 401, JSON.stringify(fields))
          clock.advance(sixteenMinutes)
        }
        assert.equal((await services().factors.find(owner.candidateId)).codesLeft, 10)
        const fields = { proof_password: demoPassword, proof_code: code() }
        const done = await browser.submit(formTo(twoStep, asked.text), { fields, headers })
        assert.match(done.text, /These are your new recovery codes/)
        assert.equal((await press(browser, twoStep, 'renew-codes')).status, 200, 'for some minutes')

        clock.advance(sixteenMinutes)
        const other = await browser.get(`/console/${harbourId}/access/new-credential`)
        assert.ok([200, 403].includes(other.status))
        const adding = await browser.get(`${twoStep}/passkey`)
        assert.equal(
          localPath(adding),
          `/account/confirm?continue=${encodeURIComponent(`${twoStep}/passkey`)}&for=sign-in`,
        )
        const page = await browser.get(localPath(adding))
        const weak = await browser.submit(formTo('/account/confirm', page.text), {
          fields: { proof_password: demoPassword },
          headers,
        })
        assert.equal(weak.status, 401)
        const proof = { proof_password: demoPassword, proof_code: code() }
        const led = await browser.submit(formTo('/account/confirm', page.text), { fields: proof, headers })
        assert.equal(localPath(led), `${twoStep}/passkey`)
        assert.equal((await browser.get(`${twoStep}/passkey`)).status, 200)
      })

      // A request is authenticated by its header, and its body may take as long as the limit allows.
      test('a session that has ended meanwhile adds no factor', async () => {
        const browser = await Browser.signedIn(doorInto(app), 'rae@example.com')
        const owner = await ownerOf(browser)
        const { factors, accounts } = services()
        const { secret } = await factors.beginTotp(owner)
        await accounts.endOtherSessions(owner.candidateId, '-')
        const late = factors.addTotp(owner, { secret, code: codeByOathtool(secret, clock()) }, [])
        await assert.rejects(late, { code: 'form-expired' })
        const passkey = {
          id: 'k',
          name: 'A phone',
          rpId: 'localhost',
          publicKey: '-',
          counter: 0,
          transports: [],
        }
        const challenge = { hash: 'late', expiresAt: clock() + 60_000 }
        await assert.rejects(factors.addPasskey(owner, { passkey, challenge }, []), { code: 'form-expired' })
        assert.equal(await factors.hasSecondFactor(owner.candidateId), false)
      })

      test('tells the owner of five wrong codes with the right password', async () => {
        const { browser, owner } = await withApp('nora@example.com')
        clock.advance(sixteenMinutes)
        const asked = await press(browser, twoStep, 'renew-codes')
        for (let guess = 0; guess < 5; guess++) {
          const fields = { proof_password: demoPassword, proof_code: '000000' }
          const refused = await browser.submit(formTo(twoStep, asked.text), { fields, headers })
          assert.equal(refused.status, 401)
          clock.advance(60_000)
        }
        const mails = await services()
          .database.reader.selectFrom('deliveries')
          .select('content')
          .where('kind', '=', 'security')
          .execute()
        const own = mails
          .map(({ content }) => JSON.parse(content))
          .filter(each => each.candidateId === owner.candidateId)
        assert.deepEqual(
          own.map(({ what }) => what),
          ['wrong-codes'],
        )
      })

      test('slows down guesses of codes, which the right password does not forgive', async () => {
        const { browser } = await withApp('tom@example.com')
        clock.advance(sixteenMinutes)
        const asked = await press(browser, twoStep, 'renew-codes')
        const statuses = []
        for (let guess = 0; guess < 12; guess++) {
          const fields = { proof_password: demoPassword, proof_code: '000000' }
          statuses.push((await browser.submit(formTo(twoStep, asked.text), { fields, headers })).status)
        }
        assert.equal(statuses.at(-1), 429, String(statuses))
      })

      test('a change of password or address and the deletion take a factor beside the password in their form', async () => {
        const { browser, owner, code } = await withApp('mary@example.com')
        const open = (await browser.get(security)).text
        const form = formWith(open, 'password')
        const deletion = await browser.form('/account/data/delete')
        clock.advance(sixteenMinutes)
        const typed = { current: demoPassword, password: 'quite another password', email: 'a@example.net' }
        const asked = await browser.post(security, [['action', 'email'], ...Object.entries(typed)], headers)
        assert.equal(asked.status, 401, 'a change of address')
        for (const each of [form, deletion]) {
          const sent =
            each === deletion ? { fields: { password: demoPassword }, ticked: ['yes'] } : { fields: typed }
          const refused = await browser.submit(each, { ...sent, headers })
          assert.equal(refused.status, 401)
          assert.match(refused.text, /Code from your authenticator app/)
          assert.ok(await services().accounts.findSession(browser.session ?? ''))
        }
        const closed = (await browser.get(security)).text
        assert.doesNotMatch(closed, /name="current"/)
        assert.doesNotMatch((await browser.get('/account/data/delete')).text, /name="sure"/)
        const [, href = ''] = /href="(\/account\/confirm[^"]*)"/.exec(closed) ?? []
        const page = await browser.get(href.replaceAll('&amp;', '&'))
        assert.doesNotMatch(page.text, /name="proof_password"/, 'the form asks for it')
        const fields = { proof_code: code() }
        assert.equal(
          localPath(await browser.submit(formTo('/account/confirm', page.text), { fields, headers })),
          security,
        )
        const again = formWith((await browser.get(security)).text, 'password')
        const wrong = await browser.submit(again, { fields: { ...typed, current: 'no' }, headers })
        assert.equal(wrong.status, 422)
        const changed = await browser.submit(again, { fields: typed, headers })
        assert.equal(changed.status, 303, changed.text)
        assert.equal(services().factors.enrolmentOf(await ownerOf(browser)), undefined)
        assert.ok(await services().factors.hasSecondFactor(owner.candidateId))
      })

      test('a lost device is removed with a recovery code and the password, which open nothing else', async () => {
        const { browser, owner, codes } = await withApp('omar@example.com')
        clock.advance(sixteenMinutes)
        const asked = await press(browser, twoStep, 'remove-app')
        assert.equal(asked.status, 401)
        assert.match(asked.text, /or a recovery code/)
        const alone = await browser.submit(formTo(twoStep, asked.text), {
          fields: { proof_password: '', proof_code: codes[0] ?? '' },
          headers,
        })
        assert.equal(alone.status, 401)
        const fields = { proof_password: demoPassword, proof_code: codes[1] ?? '' }
        // Proves for the removal, without carrying it out.
        const confirm = await browser.get(`/account/confirm?continue=${twoStep}&for=removal`)
        const led = await browser.submit(formTo('/account/confirm', confirm.text), { fields, headers })
        assert.equal(localPath(led), twoStep)
        for (const [path, action] of [
          [twoStep, 'renew-codes'],
          [security, 'password'],
        ] as const) {
          const page = (await browser.get(path)).text
          if (path === twoStep) assert.equal((await press(browser, path, action)).status, 401, action)
          else assert.doesNotMatch(page, /name="current"/)
        }
        assert.equal((await press(browser, twoStep, 'remove-app')).status, 303)
        assert.equal(await services().factors.hasSecondFactor(owner.candidateId), false)
      })

      test('the session at hand counts as opened with a password after the last factor, and is led to enrol', async () => {
        const { browser, owner } = await withApp('rae@example.com')
        await services().advertisers.setRequiresFactor(harbourId, true)
        const page = `/console/${harbourId}/applications`
        assert.equal((await browser.get(page)).status, 200)
        assert.equal((await press(browser, twoStep, 'remove-app')).status, 303)
        assert.deepEqual((await ownerOf(browser)).factors, ['password'])
        assert.match(localPath(await browser.get(page)), /two-step\?needed/)
        assert.equal(await services().factors.hasSecondFactor(owner.candidateId), false)
      })
    },
  )
