import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { before, test } from 'node:test'
import { intakeLeaseSeconds } from '../../src/apply/intake/service.ts'
import { demoFile } from '../harness/documents.ts'
import { harbour } from '../harness/http.ts'
import {
  addBoard,
  applicationOf,
  applicationPart,
  assertRefused,
  demoBoard,
  file,
  harbourId,
  idOf,
  intakePath,
  intakeToken,
  multipart,
  post,
} from '../harness/intake.ts'
import type { Part } from '../harness/multipart.ts'
import { until } from '../harness/polling.ts'
import { dayMs, inDemoWorld, secondMs } from '../oauth/world.ts'
import { listing, listPath } from './reading.ts'
import { watched } from './version2.ts'

const pdf = demoFile('mary-nguyen-resume.pdf')
const letter = demoFile('mary-nguyen-cover-letter.docx')
const application = applicationOf({ jobReference: 'K-1', jobAdId: 32 })
const parts = [
  applicationPart(application),
  file('resume', 'resume.pdf', pdf),
  file('coverLetter', 'letter.docx', letter),
]
const otherJson = (content: string) => [{ name: 'application', content }, ...parts.slice(1)]

inDemoWorld('an Idempotency-Key', world => {
  const door = () => watched(world().door)
  let token: string
  let keys = 0
  const newKey = () => `key-${++keys}`
  before(async () => {
    token = await intakeToken(door())
  })
  const send = (key: string, sent: readonly Part[] = parts) => post(door(), token, sent, key)

  const readSent = (id: number | string, as = token) =>
    door().send('GET', `${intakePath}/${id}`, { headers: { authorization: `Bearer ${as}` } })

  async function applicationsSince(id: number): Promise<number[]> {
    const answer = await door().send('GET', `${listPath}?afterid=${id}`, { headers: harbour })
    return listing(answer).JobApplicationsList.map(({ ID }) => ID)
  }

  test('the same request again gets the identical response, and adds nothing', async () => {
    const key = newKey()
    const first = await send(key)
    const id = idOf(first)
    assert.equal(first.headers.get('idempotent-replayed'), null)
    world().clock.advance(secondMs)
    for (const again of [await send(key), await send(`"${key}"`)]) {
      assert.equal(again.status, 201)
      assert.equal(again.text, first.text)
      assert.equal(again.headers.get('idempotent-replayed'), 'true')
    }
    assert.deepEqual(await applicationsSince(id - 1), [id])
  })

  test('the JSON may be formatted differently, and the files may be in another order', async () => {
    const key = newKey()
    const id = idOf(await send(key))
    const backwards = Object.fromEntries(Object.entries(application).toReversed())
    const rewritten = JSON.stringify(backwards, null, 2).replace('"K-1"', '"\\u004b-1"')
    assert.equal(idOf(await send(key, otherJson(rewritten))), id)
    const [json, ...files] = parts as [Part, ...Part[]]
    assert.equal(idOf(await send(key, [json, ...files.toReversed()])), id)
  })

  const changed: [what: string, parts: Part[]][] = [
    ['a value', otherJson(JSON.stringify({ ...application, jobReference: 'K-2' }))],
    ['one key more', otherJson(JSON.stringify({ ...application, screen: null }))],
    [
      'one byte of a file',
      [...parts.slice(0, 2), file('coverLetter', 'letter.docx', Buffer.from([...letter, 0]))],
    ],
    ['the name of a file', [...parts.slice(0, 2), file('coverLetter', 'Letter.docx', letter)]],
    ['a file less', parts.slice(0, 2)],
    ['a file more', [...parts, file('selectionCriteria', 'criteria.pdf', pdf)]],
    ['the part of a file', [...parts.slice(0, 2), file('selectionCriteria', 'letter.docx', letter)]],
    [
      'files exchanged',
      [
        applicationPart(application),
        file('resume', 'resume.pdf', letter),
        file('coverLetter', 'letter.docx', pdf),
      ],
    ],
  ]
  test('other content is refused, and the response stays with its original request', async () => {
    const key = newKey()
    const id = idOf(await send(key))
    for (const [what, sent] of changed) {
      const answer = await send(key, sent)
      assert.deepEqual([answer.status, answer.json().code], [409, 'idempotency-key-reused'], what)
    }
    assert.equal(idOf(await send(key)), id)
    assert.deepEqual(await applicationsSince(id), [])
  })

  test('a key belongs to its client', async () => {
    const key = newKey()
    const id = idOf(await send(key))
    const others = await intakeToken(door(), await addBoard(world().services, harbourId, 'other-board'))
    const answer = await post(door(), others, parts, key)
    assert.ok(idOf(answer) > id)
    assert.equal(answer.headers.get('idempotent-replayed'), null)
  })

  test('lives for 24 hours', async () => {
    const key = newKey()
    const id = idOf(await send(key))
    world().clock.advance(dayMs - 1)
    token = await intakeToken(door())
    assert.equal(idOf(await send(key)), id)
    world().clock.advance(1)
    const next = idOf(await send(key, parts.slice(0, 1)))
    assert.ok(next > id)
    assert.equal(idOf(await send(key, parts.slice(0, 1))), next)
  })

  test('a failed request may be fixed and sent again with the same key', async () => {
    const key = newKey()
    assert.equal((await send(key, [applicationPart({}), ...parts.slice(1)])).status, 422)
    assert.equal((await send(key, [applicationPart(applicationOf({ advertiserId: 10000003 }))])).status, 403)
    assert.equal((await send(key, [parts[0] as Part, file('resume', 'a.pdf', 'MZ\x90\0')])).status, 422)
    const answer = await send(key)
    assert.deepEqual([idOf(answer) > 0, answer.headers.get('idempotent-replayed')], [true, null])
  })

  test('a damaged form is refused at once, and releases its key', async () => {
    const key = newKey()
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'multipart/form-data; boundary=b',
      'idempotency-key': key,
    }
    const part = 'Content-Disposition: form-data; name="application"'
    for (const body of [`--b\r\n${part}\r\n--b--\r\n`, `--b\r\n${part}`, '--b\r\n\r\n', '']) {
      assertRefused(await door().send('POST', intakePath, { headers, body }), 400, 'bad-request')
    }
    assert.equal((await send(key)).headers.get('idempotent-replayed'), null)
  })

  test('parts may be encoded: only their content counts', async () => {
    const key = newKey()
    const id = idOf(await send(key))
    const encoded = parts.map(({ name, fileName, content }) => {
      const isFile = fileName !== undefined
      const head = `Content-Disposition: form-data; name="${name}"${isFile ? `; filename="${fileName}"` : ''}`
      const text = isFile
        ? Buffer.from(content).toString('base64')
        : String(content).replaceAll(/[^\w]/g, sign => `=${Buffer.from(sign).toString('hex').toUpperCase()}`)
      return `--b\r\n${head}\r\nContent-Transfer-Encoding: ${isFile ? 'base64' : 'quoted-printable'}\r\n\r\n${text}\r\n`
    })
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'multipart/form-data; boundary=b',
      'idempotency-key': key,
    }
    const again = await door().send('POST', intakePath, { headers, body: `${encoded.join('')}--b--\r\n` })
    assert.equal(idOf(again), id)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  })

  /** A request whose last bytes are held back. */
  async function begin(
    key: string,
  ): Promise<{ request: ClientRequest; rest: Buffer; count(): Promise<number> }> {
    const { app, services } = world()
    if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as { port: number }
    const { body, type } = multipart(parts)
    const request = httpRequest({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: intakePath,
      agent: false,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': type,
        'content-length': body.length,
        'idempotency-key': key,
      },
    })
    const held = 20
    request.write(body.subarray(0, -held))
    const count = async () => {
      const rows = await services.database.reader
        .selectFrom('intake_keys')
        .select('key')
        .where('key', '=', key)
        .execute()
      return rows.length
    }
    await until(async () => (await count()) === 1)
    return { request, rest: body.subarray(-held), count }
  }

  test('while a request is in progress, others with its key are asked to wait', async () => {
    const key = newKey()
    const { request, rest } = await begin(key)
    const waiting = await send(key)
    assertRefused(waiting, 409, 'idempotency-key-in-use')
    assert.match(waiting.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    idOf(await send(newKey()))
    const answered = once(request, 'response')
    request.end(rest)
    const [response] = (await answered) as [IncomingMessage]
    assert.equal(response.statusCode, 201)
    const { id } = JSON.parse(Buffer.concat(await response.toArray()).toString())
    assert.equal(idOf(await send(key)), id)
  })

  test('a request that breaks off releases its key', async () => {
    const key = newKey()
    const { request, count } = await begin(key)
    request.on('error', () => {})
    request.destroy()
    await until(async () => (await count()) === 0)
    idOf(await send(key))
  })

  /** As if this node had not renewed its keys for this long. */
  async function leaseLater(key: string): Promise<void> {
    const { database } = world().services
    await database.writer.updateTable('intake_keys').set({ held_until: 0 }).where('key', '=', key).execute()
  }

  test('the key of a node that died is free when its lease has expired, and a late node adds nothing', async () => {
    const { intake } = world().services
    const key = newKey()
    const late = await intake.begin(demoBoard.id, key)
    late.open(application)
    const early = await send(key)
    assertRefused(early, 409, 'idempotency-key-in-use')
    const seconds = Number(early.headers.get('retry-after'))
    assert.ok(seconds >= 1 && seconds <= intakeLeaseSeconds, `Retry-After: ${seconds}`)
    await leaseLater(key)
    const id = idOf(await send(key))
    await assert.rejects(late.finish(), { code: 'idempotency-key-in-use' })
    await late.abandon()
    assert.deepEqual(await applicationsSince(id - 1), [id])
    assert.equal(idOf(await send(key)), id)
  })

  test('a repeated request returns the files as they are now', async () => {
    const key = newKey()
    const first = await send(key)
    const { services } = world()
    await services.applications.recordVerdict(harbourId, idOf(first), 'resume', 'clean')
    await services.applications.recordVerdict(harbourId, idOf(first), 'coverLetter', 'infected')
    const again = await send(key)
    assert.deepEqual(
      again.json().attachments.map(({ type, scan, size }: Record<string, unknown>) => [type, scan, size]),
      [
        ['resume', 'clean', pdf.length],
        ['coverLetter', 'infected', 0],
      ],
    )
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    const read = await readSent(idOf(first))
    assert.deepEqual([read.status, read.json()], [200, again.json()])
  })

  test('erasing an application removes all that was sent with its key, and the key still adds nothing', async () => {
    const key = newKey()
    const id = idOf(await send(key))
    const { services } = world()
    await services.erasure.erase(harbourId, id)
    const rows = await services.database.reader
      .selectFrom('intake_keys')
      .select(['content_hash', 'answer'])
      .where('key', '=', key)
      .execute()
    assert.deepEqual(rows, [{ content_hash: '', answer: String(id) }])
    const sent = await services.database.reader
      .selectFrom('intake_applications')
      .select('key')
      .where('application_id', '=', id)
      .execute()
    assert.deepEqual(sent, [{ key: null }])
    const again = await send(key)
    assert.deepEqual([idOf(again), again.json().attachments], [id, []])
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
  })

  test('a caller who has not sent it, or may no longer act for the advertiser, reads nothing', async () => {
    const { clients } = world().services
    const id = idOf(await send(newKey()))
    const others = await intakeToken(door(), await addBoard(world().services, harbourId, 'curious-board'))
    assertRefused(await readSent(id, others), 404, 'not-found')
    for (const none of [id + 1000, 'none', 1]) assertRefused(await readSent(none), 404, 'not-found')
    await clients.forbid(demoBoard.id, harbourId)
    try {
      assertRefused(await readSent(id), 403, 'advertiser-not-listed')
    } finally {
      await clients.allow(demoBoard.id, harbourId)
    }
    assert.equal((await readSent(id)).status, 200)
  })
})
