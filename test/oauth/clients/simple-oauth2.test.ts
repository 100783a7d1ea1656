import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuthorizationCode, ClientCredentials, type ModuleOptions } from 'simple-oauth2'
import { demoClient, doorOf, isAlive, newPkce } from '../../harness/oauth.ts'
import { assertCollects, assertPrefills, forLibrary, redirectUri, scope } from './site.ts'

forLibrary('simple-oauth2', site => {
  const settings = (options: ModuleOptions['options'] = {}): ModuleOptions => ({
    client: { id: demoClient.id, secret: demoClient.secret },
    auth: {
      tokenHost: site().service.baseUrl,
      tokenPath: '/api/iam/oauth2/token',
      authorizePath: '/api/iam/oauth2/authorize',
      revokePath: '/api/iam/oauth2/revoke',
    },
    options,
  })

  const ways: [name: string, options: ModuleOptions['options']][] = [
    ['Basic, encoded as RFC 6749 wants it', { credentialsEncodingMode: 'strict' }],
    ['Basic as it is', { credentialsEncodingMode: 'loose' }],
    ['in the body', { authorizationMethod: 'body' }],
  ]
  for (const [name, options] of ways) {
    for (const withPkce of [true, false]) {
      test(`${name}, ${withPkce ? 'with' : 'without'} PKCE`, async () => {
        const client = new AuthorizationCode(settings(options))
        const { parameters, verifier } = newPkce()
        const state = 'a state + with "everything" in it'
        const asked = { redirect_uri: redirectUri, scope, state, ...(withPkce ? parameters : {}) }
        const callback = await site().visit(client.authorizeURL(asked))
        assert.equal(callback.searchParams.get('state'), state)
        const code = callback.searchParams.get('code') ?? ''
        const fields = { code, redirect_uri: redirectUri, ...(withPkce ? { code_verifier: verifier } : {}) }
        const token = await client.getToken(fields)
        assert.equal(token.expired(), false)
        const value = String(token.token['access_token'])
        await assertPrefills(site().service, value)
        await token.revoke('access_token')
        assert.equal(await isAlive(doorOf(site().service), value), false)
      })
    }
  }

  test('an error of the token endpoint is understood', async () => {
    const client = new AuthorizationCode(settings())
    await assert.rejects(client.getToken({ code: 'unknown', redirect_uri: redirectUri }), error => {
      const { data } = error as unknown as { data: { payload: { error: string } } }
      assert.equal(data.payload.error, 'invalid_grant')
      return true
    })
  })

  test('client_credentials', async () => {
    const { client, auth } = settings()
    const { authorizePath: _, ...endpoints } = auth
    const library = new ClientCredentials({ client, auth: endpoints })
    const { token } = await library.getToken({})
    assert.equal(token['token_type'], 'bearer')
    const agents = await library.getToken({ scope: 'r_applications', advertiser_id: '10000001' })
    await assertCollects(site().service, String(agents.token['access_token']))
  })
})
