import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Strategy, type StrategyOptions } from 'passport-oauth2'
import { demoClient } from '../../harness/oauth.ts'
import { assertPrefills, forLibrary, redirectUri, scope } from './site.ts'

/** What passport does with a strategy, without the web server around it. */
type Outcome =
  | { redirect: string }
  | { user: { token: string; expiresIn: number } }
  | { failure: unknown }
  | { error: Error }

function authenticate(strategy: Strategy, request: object): Promise<Outcome> {
  return new Promise(resolve => {
    const acting = Object.create(strategy)
    acting.redirect = (redirect: string) => resolve({ redirect })
    acting.success = (user: { token: string; expiresIn: number }) => resolve({ user })
    acting.fail = (failure: unknown) => resolve({ failure })
    acting.error = (error: Error) => resolve({ error })
    acting.authenticate(request, {})
  })
}

forLibrary('passport-oauth2', site => {
  const strategyWith = (options: Partial<StrategyOptions>, secret: string = demoClient.secret) => {
    const { baseUrl } = site().service
    return new Strategy(
      {
        authorizationURL: `${baseUrl}/api/iam/oauth2/authorize`,
        tokenURL: `${baseUrl}/api/iam/oauth2/token`,
        clientID: demoClient.id,
        clientSecret: secret,
        callbackURL: redirectUri,
        scope,
        ...options,
      } as StrategyOptions,
      (
        token: string,
        _refreshToken: string,
        results: { expires_in: number },
        _profile: unknown,
        done: (error: null, user: object) => void,
      ) => done(null, { token, expiresIn: results.expires_in }),
    )
  }

  const ways: [name: string, options: Partial<StrategyOptions>][] = [
    ['with PKCE', { pkce: true, state: true }],
    ['without PKCE', { state: true }],
    ['without state', {}],
  ]
  for (const [name, options] of ways) {
    test(name, async () => {
      const strategy = strategyWith(options)
      const session = {}
      const begun = await authenticate(strategy, { query: {}, session })
      assert.ok('redirect' in begun, JSON.stringify(begun))
      const callback = await site().visit(begun.redirect)
      const query = Object.fromEntries(callback.searchParams)
      const ended = await authenticate(strategy, { query, session })
      assert.ok('user' in ended, JSON.stringify(ended))
      assert.equal(ended.user.expiresIn, 1200)
      await assertPrefills(site().service, ended.user.token)
    })
  }

  test('a refusal is a failed sign-in', async () => {
    const strategy = strategyWith({ state: true })
    const session = {}
    const begun = await authenticate(strategy, { query: {}, session })
    assert.ok('redirect' in begun)
    const callback = await site().visit(begun.redirect, 'decline')
    const ended = await authenticate(strategy, { query: Object.fromEntries(callback.searchParams), session })
    assert.ok('failure' in ended)
  })

  test('errors of the token endpoint are understood', async () => {
    const query = { code: 'unknown' }
    const wrongCode = await authenticate(strategyWith({}), { query, session: {} })
    assert.ok('error' in wrongCode)
    assert.equal((wrongCode.error as { code?: string }).code, 'invalid_grant')
    const wrongSecret = await authenticate(strategyWith({}, 'wrong'), { query, session: {} })
    assert.ok('error' in wrongSecret)
    assert.equal((wrongSecret.error as { code?: string }).code, 'invalid_client')
  })
})
