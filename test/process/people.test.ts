import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { runHere } from './support.ts'

const link = /^https:\/\/auth\.example\/invitations#dli_[\w-]{43}\n$/

describe('the people of an advertiser, from the command line', () => {
  let database: TestDatabase
  let id = ''
  before(async () => {
    database = await createTestDatabase('sqlite', 'empty')
    id = (await runHere(['advertiser', 'add', 'Harbour'], database.settings)).stdout.trim()
  })
  after(() => database.remove())

  const run = (args: string[], settings: Record<string, string> = {}) =>
    runHere(['advertiser', ...args], { ...database.settings, ...settings })
  const people = async () => JSON.parse((await run(['people', id, '--json'])).stdout)

  test('an invitation is a link that is printed once, under the address of the pages', async () => {
    const none = await run(['people', id])
    assert.equal(
      none.stdout,
      `No people yet. Invite an admin with: dossier advertiser invite ${id} <email>\n`,
    )
    const urls = { BASE_URL: 'https://api.example', AUTH_URL: 'https://auth.example' }
    const { code, stdout, stderr } = await run(['invite', id, 'Rae@Example.net'], urls)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, link)
    const [base, local] = [
      await run(['invite', id, 'a@example.net'], { BASE_URL: 'https://api.example' }),
      await run(['invite', id, 'a@example.net'], { PORT: '8123' }),
    ]
    assert.match(base.stdout, /^https:\/\/api\.example\/invitations#/)
    assert.match(local.stdout, /^http:\/\/localhost:8123\/invitations#/)
    const asJson = JSON.parse(
      (await run(['invite', id, 'rex@example.net', '--role', 'recruiter', '--json'])).stdout,
    )
    assert.deepEqual(Object.keys(asJson), ['email', 'role', 'url', 'expiresAt'])
    assert.equal(asJson.role, 'recruiter')
    const listed: { email: string; role: string; since: null }[] = await people()
    assert.deepEqual(listed.map(({ email, role, since }) => [email, role, since]).toSorted(), [
      ['a@example.net', 'admin', null],
      ['rae@example.net', 'admin', null],
      ['rex@example.net', 'recruiter', null],
    ])
  })

  test('a person is removed by address, invited or joined; the last admin only by force', async () => {
    await run(['invite', id, 'open@example.net'])
    const back = await run(['remove-person', id, 'OPEN@example.net'])
    assert.deepEqual([back.code, back.stdout], [0, 'Withdrew the invitation to OPEN@example.net.\n'])
    const nobody = await run(['remove-person', id, 'open@example.net'])
    assert.deepEqual([nobody.code, nobody.stdout], [3, ''])
    assert.match(nobody.stderr, /No member or invitation of advertiser \d+ has the address open@example\.net/)
    const demo = await createTestDatabase('sqlite', 'demo')
    try {
      const remove = (...args: string[]) =>
        runHere(['advertiser', 'remove-person', '10000002', ...args], demo.settings)
      const refused = await remove('rae@example.com')
      assert.equal(refused.code, 1)
      assert.match(refused.stderr, /is the last admin of advertiser 10000002\. Invite another first/)
      assert.equal((await remove('rae@example.com', '--force')).stdout, 'Removed rae@example.com.\n')
      const left = await runHere(['advertiser', 'people', '10000002', '--json'], demo.settings)
      assert.deepEqual(JSON.parse(left.stdout), [])
    } finally {
      await demo.remove()
    }
  })

  test('by email: only with a mail server, and no invitation is left if it rejects the email', async () => {
    const without = await run(['invite', id, 'mail@example.net', '--mail'])
    assert.equal(without.code, 1)
    assert.match(without.stderr, /There is no mail server: set SMTP_URL/)
    const arrived = Promise.withResolvers<string>()
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo({ address }, _session, callback) {
        callback(address.startsWith('refused') ? new Error('no such mailbox') : null)
      },
      async onData(stream, _session, callback) {
        arrived.resolve(await text(stream))
        callback()
      },
    })
    server.listen(0, '127.0.0.1')
    await once(server.server, 'listening')
    const { port } = server.server.address() as { port: number }
    const settings = { SMTP_URL: `smtp://127.0.0.1:${port}` }
    try {
      const sent = await run(['invite', id, 'mail@example.net', '--mail'], settings)
      assert.deepEqual(
        [sent.code, sent.stdout, sent.stderr],
        [0, 'Sent an invitation to mail@example.net.\n', ''],
      )
      assert.match(await arrived.promise, /^Subject: You've been invited to Harbour\r$/m)
      const refused = await run(['invite', id, 'refused@example.net', '--mail'], settings)
      assert.deepEqual([refused.code, refused.stdout], [1, ''])
      assert.match(refused.stderr, /so no one was invited/)
      const listed: { email: string }[] = await people()
      assert.ok(listed.some(({ email }) => email === 'mail@example.net'))
      assert.ok(listed.every(({ email }) => email !== 'refused@example.net'))
    } finally {
      await new Promise<void>(resolve => server.close(() => resolve()))
    }
  })

  test('impossible requests are reported in one line', async () => {
    for (const [args, code, said] of [
      [['invite', id, 'nina@'], 2, /such as name@example\.com/],
      [['invite', '99999999', 'a@example.net'], 3, /There is no advertiser 99999999\./],
      [['people', '99999999'], 3, /There is no advertiser 99999999\./],
    ] as const) {
      const outcome = await run([...args])
      assert.deepEqual([outcome.code, outcome.stdout], [code, ''])
      assert.match(outcome.stderr, said)
    }
  })
})
