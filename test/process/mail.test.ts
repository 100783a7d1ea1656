import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { maryId } from '../../src/demo/world/world.ts'
import { createTestDatabase, open, type TestDatabase } from '../harness/database.ts'
import { formsOf } from '../harness/html-form.ts'
import { type MailServer, startMailServer } from '../harness/mail-server.ts'
import { Browser, demoPassword, doorInto, localPath, mary } from '../harness/oauth.ts'
import { createTestServer } from '../harness/server.ts'
import { runHere } from './support.ts'

describe('emails, from the command line and on the pages of an account', () => {
  let database: TestDatabase
  let server: MailServer
  before(async () => {
    database = await createTestDatabase('sqlite', 'demo')
    server = await startMailServer()
  })
  after(async () => {
    await server.stop()
    await database.remove()
  })

  const run = (args: string[], settings: Record<string, string> = { SMTP_URL: server.url }) =>
    runHere(['mail', ...args], { ...database.settings, ...settings })

  async function queue(...kinds: string[]): Promise<string[]> {
    const services = await open(database.settings)
    const content = JSON.stringify({ candidateId: maryId })
    const rows = kinds.map((kind, at) => ({
      id: `${kind}-${at}`,
      kind,
      content,
      giveUpAt: Date.now() + 60_000,
    }))
    await services.database.writer.deleteFrom('deliveries').execute()
    await services.database.writer
      .insertInto('deliveries')
      .values(
        rows.map(({ giveUpAt, ...row }) => ({
          ...row,
          state: 'dead',
          due_at: 0,
          give_up_at: giveUpAt,
          created_at: 1,
          ended_at: 1,
          fault: '554 spam',
        })),
      )
      .execute()
    await services.close()
    return rows.map(({ id }) => id)
  }

  test('a test email arrives, or the command prints what the server said', async () => {
    const sent = await run(['test', 'Me@mail.example'])
    assert.deepEqual([sent.code, sent.stdout], [0, 'The mail server accepted an email to me@mail.example.\n'])
    assert.match((await server.next()).text, /^Subject: Test email from Dossier\r$/m)
    const refused = await run(['test', 'me@550.example'])
    assert.deepEqual([refused.code, refused.stdout], [1, ''])
    assert.match(refused.stderr, /rejected the email: 550 5\.1\.1 <\[address\]>: user unknown/)
    assert.match((await run(['test', 'me@451.example'])).stderr, /could not be sent: 451 4\.7\.1 Greylisted/)
    assert.equal((await run(['test', 'me'])).code, 2)
    assert.match((await run(['test', 'me@mail.example'], {})).stderr, /set SMTP_URL/)
  })

  test('failed emails are listed, sent again and dropped', async () => {
    const [first = '', second = ''] = await queue('password-changed', 'password-changed')
    const listed = JSON.parse((await run(['list', '--json'])).stdout)
    assert.deepEqual(
      listed.map(({ id, state, fault }: Record<string, string>) => [id, state, fault]),
      [
        [first, 'dead', '554 spam'],
        [second, 'dead', '554 spam'],
      ],
    )
    const again = await run(['retry', first])
    assert.equal(again.stdout, '1 to send again: 1 sent, 0 still waiting, 0 failed.\n')
    assert.match((await server.next()).text, /^Subject: Your password was changed\r$/m)
    assert.equal((await run(['drop', '--dead'])).stdout, 'Dropped 1 email.\n')
    assert.equal((await run(['list'])).stdout, 'No emails are waiting, failed or held.\n')
    assert.match((await run(['list', '--all'])).stdout, /password-changed +sent/)
    for (const args of [
      ['retry', '--dead'],
      ['drop', 'unknown'],
    ])
      assert.equal((await run(args)).code, 3)
    for (const args of [['retry'], ['drop', second, '--dead']]) assert.equal((await run(args)).code, 2)
  })

  test('a person whose address is rejected sees it in the account, and tries again', async () => {
    const settings = { ...database.settings, SMTP_URL: server.url }
    const services = await open(settings)
    const { app } = await createTestServer(services, settings)
    try {
      const visitor = await Browser.signedIn(doorInto(app), mary, demoPassword)
      const pages = async () => [
        (await visitor.get('/account')).text,
        (await visitor.get('/account/security')).text,
      ]
      const told = [
        /Our emails to you are being rejected/,
        /was rejected on.*550 no such &lt;b&gt;/s,
      ] as const
      for (const [index, text] of (await pages()).entries()) assert.doesNotMatch(text, told[index] ?? /./)
      await services.noticeStore.recordRefusal(mary, '550 no such <b>', Date.now())
      const [account = '', security = ''] = await pages()
      assert.match(account, told[0])
      assert.match(security, told[1])
      const form = formsOf(security).find(({ fields }) => fields.some(([, value]) => value === 'mail-again'))
      const done = await visitor.submit(form ?? assert.fail('no form'))
      assert.match((await visitor.get(localPath(done))).text, /send emails to your address again/)
      for (const [index, text] of (await pages()).entries()) assert.doesNotMatch(text, told[index] ?? /./)
    } finally {
      await app.close()
      await services.close()
    }
  })
})
