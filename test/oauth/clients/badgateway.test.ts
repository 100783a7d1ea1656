import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateCodeVerifier, OAuth2Client } from '@badgateway/oauth2-client'
import { demoClient, doorOf, isAlive } from '../../harness/oauth.ts'
import { assertPrefills, forLibrary, redirectUri, scope } from './site.ts'

const ways = ['client_secret_basic', 'client_secret_basic_interop', 'client_secret_post'] as const

forLibrary('@badgateway/oauth2-client', site => {
  const clientWith = (authenticationMethod?: (typeof ways)[number]) =>
    new OAuth2Client({
      // Everything else is discovered.
      server: site().service.baseUrl,
      clientId: demoClient.id,
      clientSecret: demoClient.secret,
      ...(authenticationMethod === undefined ? {} : { authenticationMethod }),
    })

  for (const way of [undefined, ...ways]) {
    for (const withPkce of [true, false]) {
      test(`${way ?? 'by default'}, ${withPkce ? 'with' : 'without'} PKCE`, async () => {
        const client = clientWith(way)
        const pkce = withPkce ? { codeVerifier: await generateCodeVerifier() } : {}
        const state = 'state-1'
        const asked = await client.authorizationCode.getAuthorizeUri({
          redirectUri,
          state,
          scope: [scope],
          ...pkce,
        })
        const callback = await site().visit(asked)
        const token = await client.authorizationCode.getTokenFromCodeRedirect(callback, {
          redirectUri,
          state,
          ...pkce,
        })
        assert.ok((token.expiresAt ?? 0) > Date.now())
        await assertPrefills(site().service, token.accessToken)
        await client.revoke(token)
        assert.equal(await isAlive(doorOf(site().service), token.accessToken), false)
      })
    }
  }

  test('a refusal and an error of the token endpoint are understood', async () => {
    const client = clientWith()
    const state = 'state-1'
    const asked = await client.authorizationCode.getAuthorizeUri({ redirectUri, state, scope: [scope] })
    const declined = await site().visit(asked, 'decline')
    await assert.rejects(
      client.authorizationCode.getTokenFromCodeRedirect(declined, { redirectUri, state }),
      error => (error as { oauth2Code?: string }).oauth2Code === 'access_denied',
    )
    await assert.rejects(
      client.authorizationCode.getToken({ code: 'unknown', redirectUri }),
      error => (error as { oauth2Code?: string }).oauth2Code === 'invalid_grant',
    )
  })

  test('client_credentials', async () => {
    const token = await clientWith().clientCredentials()
    assert.match(token.accessToken, /^dat_/)
  })
})
