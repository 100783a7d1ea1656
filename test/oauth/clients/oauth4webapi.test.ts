import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import * as library from 'oauth4webapi'
import { demoClient, doorOf, isAlive } from '../../harness/oauth.ts'
import { assertPrefills, forLibrary, redirectUri, scope } from './site.ts'

const client: library.Client = { client_id: demoClient.id }
const insecure = { [library.allowInsecureRequests]: true }

forLibrary('oauth4webapi', site => {
  let server: library.AuthorizationServer

  before(async () => {
    const issuer = new URL(site().service.baseUrl)
    const response = await library.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
    server = await library.processDiscoveryResponse(issuer, response)
  })

  function authorizeUrl(parameters: Record<string, string>): URL {
    const url = new URL(server.authorization_endpoint ?? '')
    const own = { client_id: client.client_id, response_type: 'code', redirect_uri: redirectUri, scope }
    for (const [name, value] of Object.entries({ ...own, ...parameters })) url.searchParams.set(name, value)
    return url
  }

  const redeem = async (
    callback: URLSearchParams,
    verifier: string | typeof library.nopkce,
    method: library.ClientAuth = library.ClientSecretBasic(demoClient.secret),
  ) => {
    const response = await library.authorizationCodeGrantRequest(
      server,
      client,
      method,
      callback,
      redirectUri,
      verifier,
      insecure,
    )
    return library.processAuthorizationCodeResponse(server, client, response)
  }

  const methods: [string, library.ClientAuth][] = [
    ['client_secret_basic', library.ClientSecretBasic(demoClient.secret)],
    ['client_secret_post', library.ClientSecretPost(demoClient.secret)],
  ]
  for (const [name, method] of methods) {
    for (const withPkce of [true, false]) {
      test(`${name}, ${withPkce ? 'with' : 'without'} PKCE`, async () => {
        const state = library.generateRandomState()
        const verifier = library.generateRandomCodeVerifier()
        const pkce = {
          code_challenge: await library.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }
        const callback = await site().visit(authorizeUrl({ state, ...(withPkce ? pkce : {}) }))
        const parameters = library.validateAuthResponse(server, client, callback, state)
        const tokens = await redeem(parameters, withPkce ? verifier : library.nopkce, method)
        assert.equal(tokens.token_type, 'bearer')
        assert.equal(tokens.expires_in, 1200)
        await assertPrefills(site().service, tokens.access_token)
        const revoked = await library.revocationRequest(server, client, method, tokens.access_token, insecure)
        await library.processRevocationResponse(revoked)
        assert.equal(await isAlive(doorOf(site().service), tokens.access_token), false)
      })
    }
  }

  test('it checks iss and state', async () => {
    const callback = await site().visit(authorizeUrl({ state: 's' }))
    assert.throws(() => library.validateAuthResponse(server, client, callback, 'other'), /state/)
    callback.searchParams.set('iss', 'https://evil.example')
    assert.throws(() => library.validateAuthResponse(server, client, callback, 's'), /iss/)
  })

  test('a refusal and a used code are understood', async () => {
    const declined = await site().visit(authorizeUrl({ state: 's' }), 'decline')
    assert.throws(
      () => library.validateAuthResponse(server, client, declined, 's'),
      error => error instanceof library.AuthorizationResponseError && error.error === 'access_denied',
    )
    const callback = await site().visit(authorizeUrl({ state: 's' }))
    const parameters = library.validateAuthResponse(server, client, callback, 's')
    await redeem(parameters, library.nopkce)
    await assert.rejects(
      redeem(parameters, library.nopkce),
      error => error instanceof library.ResponseBodyError && error.error === 'invalid_grant',
    )
  })

  test('a wrong secret gets a challenge that the library can read', async () => {
    const callback = await site().visit(authorizeUrl({ state: 's' }))
    const parameters = library.validateAuthResponse(server, client, callback, 's')
    await assert.rejects(
      redeem(parameters, library.nopkce, library.ClientSecretBasic('wrong')),
      error => error instanceof library.WWWAuthenticateChallengeError && error.status === 401,
    )
  })
})
