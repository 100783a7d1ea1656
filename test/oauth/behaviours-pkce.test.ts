import { before, test } from 'node:test'
import {
  assertOauthError,
  authorizePath,
  Browser,
  callbackOf,
  demoClient,
  manyFailures,
  newPkce,
  type Parameters,
  redeem,
  requestToken,
  type TestClient,
  tokenOf,
} from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { assertRefusedByRedirect } from './refusing.ts'
import { registerClient } from './registering.ts'

onOneEngineInTurn('PKCE', { env: manyFailures }, (service, { agreed, door }) => {
  const browser = agreed()
  let strict: TestClient

  before(async () => {
    strict = await registerClient(service(), 'strict', { options: ['--require-pkce'] })
    await browser.code(newPkce().parameters, strict)
  })

  test('B24 S256 is accepted, with verifiers of 43 to 128 characters', async () => {
    for (const verifier of ['a'.repeat(43), 'b'.repeat(128), `${'-._~'.repeat(10)}Az0`]) {
      const { parameters } = newPkce(verifier)
      const code = await browser.code(parameters)
      tokenOf(await redeem(door, code, { code_verifier: verifier }))
    }
  })

  test('B24 the example of RFC 7636, appendix B', async () => {
    const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    const code = await browser.code({ code_challenge, code_challenge_method: 'S256' })
    tokenOf(await redeem(door, code, { code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' }))
  })

  const { challenge } = newPkce()
  const refused: [what: string, parameters: Parameters][] = [
    ['plain', { code_challenge: challenge, code_challenge_method: 'plain' }],
    ['an absent method', { code_challenge: challenge }],
    ['an empty method', { code_challenge: challenge, code_challenge_method: '' }],
    ['s256 in lower case', { code_challenge: challenge, code_challenge_method: 's256' }],
    ['an unknown method', { code_challenge: challenge, code_challenge_method: 'S512' }],
    [
      'a method that is a property of objects',
      { code_challenge: challenge, code_challenge_method: 'constructor' },
    ],
    ['a challenge of 42 characters', { code_challenge: challenge.slice(1), code_challenge_method: 'S256' }],
    ['a challenge of 44 characters', { code_challenge: `${challenge}A`, code_challenge_method: 'S256' }],
    ['a padded challenge', { code_challenge: `${challenge}=`, code_challenge_method: 'S256' }],
    ['a challenge of 129 characters', { code_challenge: 'a'.repeat(129), code_challenge_method: 'S256' }],
    ['a challenge with +', { code_challenge: `${challenge.slice(1)}+`, code_challenge_method: 'S256' }],
    ['a challenge with /', { code_challenge: `${challenge.slice(1)}/`, code_challenge_method: 'S256' }],
    ['a challenge with a blank', { code_challenge: `${challenge.slice(1)} `, code_challenge_method: 'S256' }],
    ['a challenge with NUL', { code_challenge: `${challenge.slice(1)}\0`, code_challenge_method: 'S256' }],
    ['a challenge with a line end', { code_challenge: `${challenge}\n`, code_challenge_method: 'S256' }],
    ['a challenge beyond ASCII', { code_challenge: `${challenge.slice(1)}é`, code_challenge_method: 'S256' }],
    ['a method without a challenge', { code_challenge_method: 'S256' }],
  ]
  for (const [what, parameters] of refused) {
    test(`B24 refused by redirect with invalid_request: ${what}`, async () => {
      assertRefusedByRedirect(await browser.authorize(parameters), 'invalid_request')
      assertRefusedByRedirect(await new Browser(door).authorize(parameters), 'invalid_request')
    })
  }

  test('B24 a client that must use PKCE gets no code without it', async () => {
    for (const parameters of [{}, { code_challenge: '', code_challenge_method: '' }]) {
      const answer = await browser.authorize(parameters, strict)
      assertRefusedByRedirect(answer, 'invalid_request', { redirectUri: strict.redirectUri })
    }
    const { parameters, verifier } = newPkce()
    const code = callbackOf(await browser.authorize(parameters, strict), strict.redirectUri).get('code') ?? ''
    assertOauthError(await redeem(door, code, {}, strict), 400, 'invalid_grant')
    tokenOf(await redeem(door, code, { code_verifier: verifier }, strict))
  })

  test('B25 a missing or wrong verifier is refused, and the right one still works', async () => {
    const { parameters, verifier, challenge } = newPkce()
    const code = await browser.code(parameters)
    const wrong = [
      undefined,
      '',
      newPkce().verifier,
      challenge,
      `${verifier} `,
      verifier.slice(1),
      `${verifier}A`,
    ]
    for (const code_verifier of wrong) {
      assertOauthError(await redeem(door, code, { code_verifier }), 400, 'invalid_grant')
    }
    tokenOf(await redeem(door, code, { code_verifier: verifier }))
  })

  test('B25 a verifier out of bounds is refused even if its hash matches', async () => {
    for (const verifier of ['a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)}é`, `${'a'.repeat(42)} `]) {
      const code = await browser.code(newPkce(verifier).parameters)
      assertOauthError(await redeem(door, code, { code_verifier: verifier }), 400, 'invalid_grant')
    }
  })

  test('B25 a verifier without a challenge is refused (no downgrade)', async () => {
    const code = await browser.code()
    for (const code_verifier of [newPkce().verifier, 'x']) {
      assertOauthError(await redeem(door, code, { code_verifier }), 400, 'invalid_grant')
    }
    tokenOf(await redeem(door, code))
  })

  test('B25 a challenge cannot be added, removed or swapped between two requests', async () => {
    const [mine, theirs] = [newPkce(), newPkce()]
    const plain = await browser.code()
    const bound = await browser.code(mine.parameters)
    assertOauthError(await redeem(door, plain, { code_verifier: mine.verifier }), 400, 'invalid_grant')
    assertOauthError(await redeem(door, bound, { code_verifier: theirs.verifier }), 400, 'invalid_grant')
  })

  test('B25 the challenge survives the sign-in and the form', async () => {
    const { parameters, verifier } = newPkce()
    const fresh = new Browser(door)
    const answer = await fresh.decide(authorizePath({ ...parameters, prompt: 'consent' }))
    const code = callbackOf(answer).get('code') ?? ''
    assertOauthError(await redeem(door, code), 400, 'invalid_grant')
    tokenOf(await redeem(door, code, { code_verifier: verifier }))
  })

  test("B26 PKCE never replaces a confidential client's secret", async () => {
    for (const client of [demoClient, strict]) {
      const { parameters, verifier } = newPkce()
      const code = await browser.code(parameters, client)
      const fields = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: client.redirectUri,
        code_verifier: verifier,
      }
      const attempts = [
        await requestToken(door, fields, { client: null }),
        await requestToken(door, { ...fields, client_id: client.id }, { client: null }),
        await requestToken(door, { ...fields, client_id: client.id, client_secret: '' }, { client: null }),
        await requestToken(
          door,
          { ...fields, client_id: client.id, client_secret: 'wrong' },
          { client: null },
        ),
        await requestToken(door, fields, { client: { id: client.id, secret: '' } }),
        await requestToken(door, fields, { client: { id: client.id, secret: verifier } }),
      ]
      for (const answer of attempts) assertOauthError(answer, 401, 'invalid_client')
      tokenOf(await requestToken(door, fields, { client }))
    }
  })
})
