import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { call } from '../harness/http.ts'
import { applicationOf, applicationPart, demoBoard, intakePath, multipart } from '../harness/intake.ts'
import { doorOf, mary, requestToken, tokenOf } from '../harness/oauth.ts'
import { onOneEngine } from '../harness/service.ts'
import { openForm, roasterAd, sendForm, sentId, signedIn } from './apply-form.ts'
import { problem } from './reading.ts'

onOneEngine('the body of a request', service => {
  let token: string
  before(async () => {
    const grant = { grant_type: 'client_credentials', scope: 'w_applications' }
    token = tokenOf(await requestToken(doorOf(service()), grant, { client: demoBoard }))
  })
  const { body, type } = multipart([applicationPart(applicationOf({ jobAdId: 32 }))])

  /** Sends the head, and the body only when the server asks for it; returns everything received, in order. */
  async function expecting(path: string, headers: Record<string, string>, sent: Buffer | string) {
    const events: string[] = []
    const request = httpRequest(service().baseUrl + path, {
      method: 'POST',
      agent: false,
      headers: {
        'content-length': Buffer.byteLength(sent),
        connection: 'keep-alive',
        expect: '100-continue',
        ...headers,
      },
    })
    request.on('continue', () => {
      events.push('100')
      request.end(sent)
    })
    request.flushHeaders()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    await response.toArray()
    request.destroy()
    return { events: [...events, String(response.statusCode)], headers: response.headers }
  }
  const bearer = () => ({ authorization: `Bearer ${token}`, 'content-type': type })

  test('is requested once the sender is known', async () => {
    const { events, headers } = await expecting(intakePath, bearer(), body)
    assert.deepEqual(events, ['100', '201'])
    assert.notEqual(headers.connection, 'close')
    const form = 'grant_type=client_credentials&scope=w_applications'
    const basic = `Basic ${Buffer.from(`${demoBoard.id}:${demoBoard.secret}`).toString('base64')}`
    const asForm = { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' }
    assert.deepEqual((await expecting('/api/iam/oauth2/token', asForm, form)).events, ['100', '200'])
  })

  test('is not requested if the response is known without it', async () => {
    const json = { ...bearer(), 'content-type': 'application/json' }
    const refused: [status: string, path: string, headers: Record<string, string>][] = [
      ['401', intakePath, { ...bearer(), authorization: 'Bearer nobody' }],
      ['401', '/v2/applications/prefilled', { ...json, authorization: 'Bearer nobody' }],
      ['415', intakePath, json],
      ['400', intakePath, { ...bearer(), 'idempotency-key': 'not one' }],
      ['404', '/v1/nothing', bearer()],
    ]
    for (const [status, path, headers] of refused) {
      const answer = await expecting(path, headers, body)
      assert.deepEqual(answer.events, [status], path)
      // The body may follow all the same, or not.
      assert.equal(answer.headers.connection, 'close', path)
    }
  })

  test('is received completely before a connection is closed, so that no refusal is lost', async () => {
    const whole = { ...bearer(), connection: 'close', 'content-length': String(4 * 1024 * 1024) }
    const refused: [status: number, headers: Record<string, string>][] = [
      [401, { ...whole, authorization: 'Bearer nobody' }],
      [400, whole],
      [415, { ...whole, 'content-type': 'application/json' }],
    ]
    for (const [status, headers] of refused) {
      const request = httpRequest(service().baseUrl + intakePath, { method: 'POST', agent: false, headers })
      const answered = once(request, 'response') as Promise<[IncomingMessage]>
      for (let sent = 0; sent < 64; sent++) {
        request.write(`--${'x'.repeat(65_534)}`)
        await setTimeout(2)
      }
      request.end()
      const [response] = await answered
      await response.toArray()
      assert.equal(response.statusCode, status)
    }
  })

  test('may not contain NUL in a field of a page, which changes nothing', async () => {
    const browser = await signedIn(service(), mary)
    const about = '/account/profile/about'
    const profile = await browser.form(about)
    const answer = await browser.submit(profile, { fields: { firstName: 'Ma\0ry' } })
    assert.equal(answer.status, 400)
    assert.match(answer.text, /A field contains a NUL character/)
    assert.deepEqual(
      (await browser.form(about)).fields.filter(([name]) => name === 'firstName'),
      profile.fields.filter(([name]) => name === 'firstName'),
    )
    const form = await openForm(browser, roasterAd)
    const application = await sendForm(service(), browser, form, { fields: { lastName: '\0' } })
    assert.equal(application.status, 400)
    sentId(await sendForm(service(), browser, form))
  })

  test('is taken unchanged, and never compressed', async () => {
    const headers = { ...bearer(), 'content-encoding': 'gzip' }
    const packed = await call(service(), intakePath, { method: 'POST', headers, body: gzipSync(body) })
    problem(service(), packed, 415, 'unsupported-media-type')
    const token = await call(service(), '/api/iam/oauth2/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' },
      body: gzipSync('grant_type=client_credentials'),
    })
    assert.equal(token.status, 415)
    const plain = { ...bearer(), 'content-encoding': 'identity' }
    const { status } = await call(service(), intakePath, { method: 'POST', headers: plain, body })
    assert.equal(status, 201)
  })
})
