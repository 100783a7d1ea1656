import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type MailServer, startMailServer } from '../../../test/harness/mail-server.ts'
import { createSmtpMailer } from './smtp-adapter.ts'

describe('a mail server that fails', () => {
  let server: MailServer
  before(async () => {
    server = await startMailServer()
  })
  after(() => server.stop())

  const mailer = (url: string, ms = 2000) =>
    createSmtpMailer({ url, from: 'jobs@quay.example', host: 'quay.example', connectMs: ms, answerMs: ms })
  const mailTo = (to: string) => ({ id: 'delivery-1', to, subject: 's', text: 't', html: '<p>t' })
  const send = (to: string, url = server.url, ms?: number) => mailer(url, ms).send(mailTo(to))

  test('an unknown mailbox is refused, in words without the address', async () => {
    const refused = await send('mary.jones@550.example')
    assert.deepEqual(refused, { outcome: 'refused', words: '550 5.1.1 <[address]>: user unknown' })
    assert.doesNotMatch(JSON.stringify(await send('mary.jones@refused.example')), /mary|refused\.example/)
  })

  test('a rejected content is dead, in words without its links', async () => {
    const dead = await send('mary@554.example')
    assert.deepEqual(dead, { outcome: 'dead', words: '554 5.6.0 Looks like spam: [link]' })
  })

  test('a policy against the sender says nothing against the address', async () => {
    assert.equal((await send('mary@557.example')).outcome, 'dead')
  })

  test('a sender that the server rejects together with the recipient is for the operator to fix', async () => {
    for (const domain of ['517', '518', 'relay']) {
      const result = await send(`mary@${domain}.example`)
      assert.ok(result.outcome === 'retry' && !result.isUnavailable, JSON.stringify(result))
    }
  })

  test('temporary answers and a full mailbox are retried, and other mailboxes do not wait', async () => {
    for (const domain of ['451', '452', '552']) {
      const result = await send(`mary@${domain}.example`)
      assert.ok(result.outcome === 'retry' && !result.isUnavailable, domain)
    }
  })

  test('a server that cuts the connection after the email, hangs or is gone is unavailable', async () => {
    const gone = createServer().listen(0, '127.0.0.1')
    await once(gone, 'listening')
    const { port } = gone.address() as { port: number }
    gone.close()
    await once(gone, 'close')
    for (const result of [
      await send('mary@cut.example'),
      await send('mary@hang.example', server.url, 1000),
      await send('mary@mail.example', `smtp://127.0.0.1:${port}`),
    ]) {
      assert.ok(result.outcome === 'retry' && result.isUnavailable, JSON.stringify(result))
    }
    // It has read both to the end: they may arrive, and so every attempt has the same Message-ID.
    const unanswered = server.everything.filter(({ to }) => /@(cut|hang)/.test(to[0] ?? ''))
    assert.equal(unanswered.length, 2)
    for (const { text } of unanswered) assert.match(text, /^Message-ID: <delivery-1@quay\.example>\r$/m)
  })

  test('a server that never greets is unavailable, to a check as to an email', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const url = `smtp://127.0.0.1:${port}`
    const result = await send('mary@mail.example', url, 100)
    assert.ok(result.outcome === 'retry' && result.isUnavailable)
    await assert.rejects(mailer(url, 100).check())
    silent.close()
  })

  test('a wrong password is for the operator to fix: emails wait for it', async () => {
    const url = server.url.replace('//', '//jobs:wrong-password@')
    const result = await send('mary@mail.example', url)
    assert.ok(result.outcome === 'retry' && result.isUnavailable, JSON.stringify(result))
    assert.doesNotMatch(result.words, /wrong-password/)
    await assert.rejects(mailer(url).check())
  })

  test('both forms arrive, with the headers of a notification', async () => {
    const headers = { 'List-Unsubscribe': '<https://quay.example/stop>' }
    assert.deepEqual(await mailer(server.url).send({ ...mailTo('mary@mail.example'), headers }), {
      outcome: 'sent',
    })
    const { text } = await server.next()
    assert.match(text, /^List-Unsubscribe: <https:\/\/quay\.example\/stop>\r$/m)
    assert.match(text, /^Auto-Submitted: auto-generated\r$/m)
    assert.match(text, /multipart\/alternative.*text\/plain.*text\/html/s)
  })

  test('a subject that looks encoded is shown as it is', async () => {
    const subject = `Application sent: =?utf-8?B?${Buffer.from('Your password').toString('base64')}?= für Bäcker 🥐`
    await mailer(server.url).send({ ...mailTo('mary@mail.example'), subject })
    const { text } = await server.next()
    const [, header = ''] = /^Subject: ((?:.*\r\n )*.*)\r$/m.exec(text) ?? []
    const words = header.split(/\s+/).map(word => /^=\?UTF-8\?B\?([^?]*)\?=$/.exec(word)?.[1])
    assert.equal(words.map(word => Buffer.from(word ?? '!', 'base64')).join(''), subject)
  })

  test('a hostile subject stays one header', async () => {
    const subject = 'Baker\r\nBcc: all@example.net\r\n\r\n<script>'
    await mailer(server.url).send({ ...mailTo('mary@mail.example'), subject })
    const { text, to } = await server.next()
    assert.doesNotMatch(text, /^Bcc:/m)
    assert.deepEqual(to, ['mary@mail.example'])
  })
})
