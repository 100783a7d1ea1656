import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { withDemo } from '../harness/database.ts'
import {
  assertOauthError,
  authorizeEndpoint,
  authorizePath,
  basic,
  type Door,
  demoClient,
  doorInto,
  metadataPath,
  revokeEndpoint,
  tokenEndpoint,
} from '../harness/oauth.ts'
import { createTestServer } from '../harness/server.ts'

const authUrl = 'https://auth.example.com'
const baseUrl = 'https://api.example.com'

withDemo('addresses', (services, settings) => {
  let twoOrigins: FastifyInstance
  let oneOrigin: FastifyInstance
  before(async () => {
    twoOrigins = (
      await createTestServer(services(), settings(), { authUrl: () => authUrl, baseUrl: () => baseUrl })
    ).app
    oneOrigin = (await createTestServer(services(), settings())).app
  })
  after(async () => {
    await twoOrigins.close()
    await oneOrigin.close()
  })

  /** The same server, called by the name of this origin. */
  const by = (url: string): Door => {
    const door = doorInto(twoOrigins)
    return {
      ...door,
      send: (method, path, options = {}) =>
        door.send(method, path, { ...options, headers: { host: new URL(url).host, ...options.headers } }),
    }
  }
  const form = {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: basic(demoClient),
    },
    body: 'grant_type=client_credentials&token=x',
  }
  const sws = { headers: { authorization: 'SWS sws_demo_harbour' } }

  test('AUTH_URL serves OAuth, which is not found under BASE_URL', async () => {
    for (const path of [tokenEndpoint, revokeEndpoint]) {
      assert.equal((await by(authUrl).send('POST', path, form)).status, 200, path)
      const answer = await by(baseUrl).send('POST', path, form)
      assertOauthError(answer, 404, 'invalid_request')
      assert.equal(answer.json().error_description, `This is served at ${authUrl}${path} only.`)
    }
    for (const path of [metadataPath, authorizePath()]) {
      assert.equal((await by(authUrl).send('GET', path)).status, 200, path)
      assert.equal((await by(baseUrl).send('GET', path)).status, 404, path)
    }
    const decision = await by(baseUrl).send('POST', authorizeEndpoint, form)
    assert.equal(decision.status, 404)
    // Host names ignore letter case.
    const shouted = await by(authUrl).send('GET', metadataPath, { headers: { host: 'API.Example.COM' } })
    assert.equal(shouted.status, 404)
  })

  test('BASE_URL serves the API, which is not found under AUTH_URL, for every caller', async () => {
    assert.equal((await by(baseUrl).send('GET', '/v1/advertiser/applications?limit=1', sws)).status, 200)
    const calls: [method: string, path: string][] = [
      ['GET', '/v1/advertiser/applications'],
      ['GET', '/v1/advertiser/applications/resume/1'],
      ['GET', '/advertiser/applications/resume/1'],
      ['POST', '/v1/intake/applications'],
      ['POST', '/v2/applications/prefilled'],
      ['GET', '/v2/resumes/00000000-0000-4000-8000-000000000000'],
    ]
    for (const [method, path] of calls) {
      const answer = await by(authUrl).send(method, path, sws)
      assert.equal(answer.status, 404, path)
      assert.equal(answer.json().detail, `This is served at ${baseUrl}${path} only.`)
      assert.notEqual((await by(baseUrl).send(method, path, sws)).status, 404, path)
    }
  })

  test('people are redirected to the right origin, and shared pages are on both', async () => {
    const signIn = await by(baseUrl).send('GET', '/sign-in?continue=%2Faccount')
    assert.equal(signIn.headers.get('location'), `${authUrl}/sign-in?continue=%2Faccount`)
    const reference = await by(authUrl).send('GET', '/docs/reference')
    assert.equal(reference.headers.get('location'), `${baseUrl}/docs/reference`)
    for (const path of ['/health/live', '/health/ready', '/jobs']) {
      for (const url of [authUrl, baseUrl]) assert.equal((await by(url).send('GET', path)).status, 200, path)
    }
  })

  test('with one origin everything is on it', async () => {
    const door = doorInto(oneOrigin)
    assert.equal((await door.send('POST', tokenEndpoint, form)).status, 200)
    assert.equal((await door.send('GET', '/v1/advertiser/applications?limit=1', sws)).status, 200)
  })

  test('a trailing slash gets an OAuth error with the right address', async () => {
    const html = { accept: 'text/html' }
    for (const path of [tokenEndpoint, revokeEndpoint]) {
      for (const headers of [{}, html, { accept: 'application/xml' }]) {
        const sent = { ...form, headers: { ...form.headers, ...headers } }
        const answer = await by(authUrl).send('POST', `${path}/`, sent)
        assertOauthError(answer, 404, 'invalid_request')
        const description = `Leave out the slash at the end: ${authUrl}${path}`
        assert.equal(answer.json().error_description, description)
        assert.equal(answer.headers.get('cache-control'), 'no-store')
      }
    }
    const page = await by(authUrl).send('GET', authorizePath().replace('?', '/?'))
    assert.equal(page.status, 404)
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
    assert.ok(page.text.includes(`${authUrl}${authorizeEndpoint}`))
    assert.equal(page.headers.get('location'), null)
    const metadata = await by(authUrl).send('GET', `${metadataPath}/`)
    assert.equal(metadata.status, 404)
    assert.ok(metadata.json().detail.endsWith(`${authUrl}${metadataPath}`))
    assert.equal((await by(authUrl).send('POST', `${tokenEndpoint}//`, form)).status, 404)
  })
})
