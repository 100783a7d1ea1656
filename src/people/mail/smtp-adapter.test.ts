import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/harness/database.ts'
import { formTo } from '../../../test/harness/html-form.ts'
import { type MailServer, startMailServer } from '../../../test/harness/mail-server.ts'
import { Browser, doorInto } from '../../../test/harness/oauth.ts'
import { until } from '../../../test/harness/polling.ts'
import { createTestServer } from '../../../test/harness/server.ts'
import { openServices, type Services } from '../../../test/harness/services.ts'
import { createLog } from '../../logging.ts'
import { readConfig } from '../../settings.ts'
import { createSmtpMailer } from './smtp-adapter.ts'

function decodeQuotedPrintable(body: string): string {
  const code = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))
  return body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, code)
}

describe('emails by SMTP', () => {
  let mailServer: MailServer
  let database: TestDatabase
  before(async () => {
    mailServer = await startMailServer()
    database = await createTestDatabase('sqlite', 'empty')
  })
  after(async () => {
    await database.remove()
    await mailServer.stop()
  })

  async function serving(
    settings: Record<string, string>,
    body: (browser: Browser, services: Services) => Promise<void>,
  ): Promise<string> {
    let logged = ''
    const write = (line: string) => {
      logged += line
    }
    const all = { ...database.settings, ...settings }
    const services = await openServices(readConfig(all), createLog({ level: 'info', format: 'json', write }))
    await services.schema.migrate()
    const { app } = await createTestServer(services, all)
    try {
      await body(new Browser(doorInto(app)), services)
    } finally {
      await app.close()
      // Waits for emails that are still being sent.
      await services.close()
    }
    return logged
  }

  async function signUp(browser: Browser, email: string) {
    const form = formTo('/sign-up', (await browser.get('/sign-up')).text)
    const fields = { firstName: 'Ana', lastName: 'Silva', email, password: 'a few words that fit' }
    return browser.submit(form, { fields })
  }

  test('a sign-up is confirmed by the email that arrives at the mail server', async () => {
    const settings = { SMTP_URL: mailServer.url, MAIL_FROM: 'Jobs <no-reply@jobs.example>' }
    await serving(settings, async browser => {
      assert.equal((await signUp(browser, 'ana@mail.example')).status, 200)
      const mail = await mailServer.next()
      assert.deepEqual([mail.from, mail.to], ['no-reply@jobs.example', ['ana@mail.example']])
      assert.match(mail.text, /^From: Jobs <no-reply@jobs\.example>\r$/m)
      assert.match(mail.text, /^Subject: Confirm your email address\r$/m)
      assert.match(mail.text, /^Auto-Submitted: auto-generated\r$/m)
      // On its own line, so that mail programs make all of it clickable.
      const link = /^http:\/\/localhost:8080(\/confirm#dli_[\w-]{43})\r$/m
      const [, path = ''] = link.exec(decodeQuotedPrintable(mail.text)) ?? []
      assert.notEqual(path, '', mail.text)
      assert.equal((await browser.get(path)).status, 303)
      assert.equal((await browser.get('/account/security')).status, 200)
    })
  })

  test('without MAIL_FROM the sender is derived from the host', async () => {
    await serving({ SMTP_URL: mailServer.url }, async browser => {
      await signUp(browser, 'ben@mail.example')
      const { from, text } = await mailServer.next()
      assert.equal(from, 'no-reply@localhost')
      assert.match(text, /^From: Dossier <no-reply@localhost>\r$/m)
    })
  })

  test('the sender has the name of the board, whatever characters it contains', async () => {
    const settings = {
      SMTP_URL: mailServer.url,
      MAIL_FROM: 'mail@quay.example',
      BOARD_NAME: 'Quay, "Jobs" <b>',
    }
    await serving(settings, async browser => {
      await signUp(browser, 'eve@mail.example')
      const { from, text } = await mailServer.next()
      assert.equal(from, 'mail@quay.example')
      assert.match(text, /^From: "Quay, \\"Jobs\\" <b>" <mail@quay\.example>\r$/m)
    })
  })

  const notLogged = /refused\.example|mail\.example|dli_|their-password/

  test('an email rejected for its recipient does not change the response and is logged without address and link', async () => {
    const logged = await serving({ SMTP_URL: mailServer.url }, async (browser, { database: { reader } }) => {
      const answer = await signUp(browser, 'nobody@refused.example')
      assert.equal(answer.status, 200)
      assert.match(answer.text, /Check your email/)
      const failed = reader.selectFrom('deliveries').select('id').where('fault', 'is not', null)
      await until(async () => (await failed.executeTakeFirst()) !== undefined)
    })
    assert.match(logged, /a delivery failed/)
    assert.doesNotMatch(logged, notLogged)
  })

  test('while the mail server is unavailable, no response says that an email was sent, whether or not there is an account', async () => {
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const { port } = closed.address() as { port: number }
    closed.close()
    // Ana is confirmed, Ben is not, and Cleo is new.
    const emails = ['ana@mail.example', 'ben@mail.example', 'cleo@mail.example']
    const url = `smtp://somebody:their-password@127.0.0.1:${port}`
    const logged = await serving({ SMTP_URL: url }, async (browser, { database }) => {
      const rows = () => database.reader.selectFrom('candidates').selectAll().execute()
      const before = await rows()
      assert.ok(emails.slice(0, 2).every(known => before.some(({ email }) => email === known)))
      for (const path of ['/sign-up', '/forgotten', '/confirm/again']) {
        const pages = new Set<string>()
        for (const email of emails) {
          const form = formTo(path, (await browser.get(`${path}?continue=/jobs/31/apply`)).text)
          const typed = { firstName: 'Ana', lastName: 'Silva', email, password: 'a few words that fit' }
          const answer = await browser.submit(form, { fields: typed })
          assert.equal(answer.status, 503, path)
          assert.match(answer.text, /send email right now/)
          // The person tries again on the same page.
          const again = new Map(formTo(path, answer.text).fields)
          assert.deepEqual([again.get('email'), again.get('continue')], [email, '/jobs/31/apply'])
          pages.add(answer.text.replaceAll(email, ''))
        }
        assert.equal(pages.size, 1, path)
      }
      assert.deepEqual(await rows(), before)
    })
    assert.match(logged, /the mail server is unavailable/)
    assert.doesNotMatch(logged, notLogged)
  })

  test('without a mail server, everything that needs email is switched off and says so', async () => {
    await serving({}, async (browser, services) => {
      const page = await browser.get('/sign-in')
      assert.doesNotMatch(page.text, /href="\/(sign-up|forgotten)"/)
      assert.match(page.text, /set up to send email/)
      for (const path of ['/sign-up', '/forgotten', '/confirm', '/reset']) {
        const answer = await browser.get(path)
        assert.equal(answer.status, 200, path)
        assert.match(answer.text, /change your email address here/)
        const form = formTo('/sign-in', page.text)
        assert.equal((await browser.submit({ ...form, action: path })).status, 503, path)
      }
      assert.equal((await browser.get('/demo/outbox')).status, 404)
      assert.equal(services.accountLinks(services.mailer()).isOn, false)
    })
  })

  test('an address cannot smuggle in another one', async () => {
    const { send } = createSmtpMailer({
      url: mailServer.url,
      from: 'a@b.example',
      host: 'b.example',
      connectMs: 1000,
      answerMs: 1000,
    })
    const to = 'x@mail.example>, <y@mail.example'
    const { outcome } = await send({ id: 'i', to, subject: 's', text: 't', html: '<p>t' })
    const arrived = outcome === 'sent' ? await mailServer.next() : undefined
    assert.ok(arrived === undefined || arrived.to.length === 1, JSON.stringify(arrived))
  })
})
