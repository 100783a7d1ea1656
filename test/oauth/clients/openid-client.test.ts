import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import * as library from 'openid-client'
import { demoClient, doorOf, isAlive } from '../../harness/oauth.ts'
import { assertCollects, assertPrefills, forLibrary, redirectUri, scope } from './site.ts'

forLibrary('openid-client', site => {
  const methods = {
    client_secret_basic: library.ClientSecretBasic(demoClient.secret),
    client_secret_post: library.ClientSecretPost(demoClient.secret),
  }
  let configs: Record<string, library.Configuration>

  before(async () => {
    const discover = (method: library.ClientAuth) =>
      library.discovery(new URL(site().service.baseUrl), demoClient.id, undefined, method, {
        algorithm: 'oauth2',
        execute: [library.allowInsecureRequests],
      })
    const found = Object.entries(methods).map(async ([name, method]) => [name, await discover(method)])
    configs = Object.fromEntries(await Promise.all(found))
  })

  const configOf = (method = 'client_secret_basic') => configs[method] as library.Configuration

  for (const method of Object.keys(methods)) {
    for (const withPkce of [true, false]) {
      test(`${method}, ${withPkce ? 'with' : 'without'} PKCE`, async () => {
        const config = configOf(method)
        const state = library.randomState()
        const verifier = library.randomPKCECodeVerifier()
        const pkce = {
          code_challenge: await library.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }
        const parameters = { redirect_uri: redirectUri, scope, state, ...(withPkce ? pkce : {}) }
        const callback = await site().visit(library.buildAuthorizationUrl(config, parameters))
        const tokens = await library.authorizationCodeGrant(config, callback, {
          expectedState: state,
          ...(withPkce ? { pkceCodeVerifier: verifier } : {}),
        })
        assert.equal(tokens.expires_in, 1200)
        await assertPrefills(site().service, tokens.access_token)
        const { baseUrl } = site().service
        const fetched = await library.fetchProtectedResource(
          config,
          tokens.access_token,
          new URL(`${baseUrl}/v2/applications/prefilled`),
          'POST',
          JSON.stringify({ advertiserId: '10000001', applicationFormUrl: 'https://ats.example.com/apply' }),
          new Headers({ 'content-type': 'application/json' }),
        )
        assert.equal(fetched.status, 200)
        await library.tokenRevocation(config, tokens.access_token)
        assert.equal(await isAlive(doorOf(site().service), tokens.access_token), false)
      })
    }
  }

  test('it checks iss: a response in the name of another server is refused', async () => {
    const config = configOf()
    const asked = library.buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope, state: 's' })
    for (const iss of ['https://evil.example', undefined]) {
      const callback = await site().visit(asked)
      if (iss === undefined) callback.searchParams.delete('iss')
      else callback.searchParams.set('iss', iss)
      await assert.rejects(
        library.authorizationCodeGrant(config, callback, { expectedState: 's' }),
        error => {
          assert.match(String((error as Error).cause), /"iss"/)
          return true
        },
      )
    }
  })

  test('a refusal arrives as access_denied', async () => {
    const config = configOf()
    const asked = library.buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope, state: 's' })
    const callback = await site().visit(asked, 'decline')
    await assert.rejects(library.authorizationCodeGrant(config, callback, { expectedState: 's' }), error => {
      assert.ok(error instanceof library.AuthorizationResponseError)
      assert.equal(error.error, 'access_denied')
      return true
    })
  })

  test('an error of the token endpoint is understood', async () => {
    const config = configOf()
    const asked = library.buildAuthorizationUrl(config, { redirect_uri: redirectUri, scope, state: 's' })
    const callback = await site().visit(asked)
    await library.authorizationCodeGrant(config, callback, { expectedState: 's' })
    await assert.rejects(library.authorizationCodeGrant(config, callback, { expectedState: 's' }), error => {
      assert.ok(error instanceof library.ResponseBodyError)
      assert.equal(error.error, 'invalid_grant')
      return true
    })
  })

  test('client_credentials', async () => {
    const tokens = await library.clientCredentialsGrant(configOf())
    assert.equal(tokens.token_type, 'bearer')
    const agents = await library.clientCredentialsGrant(configOf(), {
      scope: 'r_applications',
      advertiser_id: '10000001',
    })
    assert.equal(agents.expires_in, 1200)
    await assertCollects(site().service, agents.access_token)
  })
})
