import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../harness/http.ts'
import { demoClient, manyFailures, newPkce, redeem, requestToken } from '../harness/oauth.ts'
import { onOneEngineInTurn } from '../harness/one-engine.ts'
import { logLines } from '../harness/serving.ts'
import { assertErrorPage, assertRefusedByRedirect } from './refusing.ts'
import { mustOperate, registerClient } from './registering.ts'

onOneEngineInTurn('the log of refused OAuth requests', { env: manyFailures }, (service, { agreed, door }) => {
  const wrongSecret = { ...demoClient, secret: 'dcs_wrong-secret' }
  const unknown = { ...demoClient, id: 'my-p4ssword-by-mistake' }
  const browser = agreed()

  /** The line with the request ID of the response. */
  function refusalOf({ headers }: Answer) {
    const requestId = headers.get('x-request-id')
    const lines = logLines(service().log()).filter(
      line => line.msg === 'OAuth request refused' && line['requestId'] === requestId,
    )
    const [line] = lines
    assert.deepEqual([lines.length, line?.['level']], [1, 'info'])
    return { clientId: line?.['clientId'], error: line?.['error'], reason: line?.['reason'] }
  }

  test('a failed client authentication has one response and three reasons', async () => {
    const disabled = await registerClient(service(), 'closed-client')
    await mustOperate(service(), 'client', 'disable', disabled.id)
    const answers: Answer[] = []
    for (const client of [wrongSecret, unknown, disabled]) {
      answers.push(await requestToken(door, { grant_type: 'client_credentials' }, { client }))
    }
    assert.deepEqual(
      answers.map(({ status, text }) => [status, text]),
      Array.from({ length: 3 }, () => [
        401,
        JSON.stringify({
          error: 'invalid_client',
          error_description: 'The client is unknown, or its secret is wrong or missing.',
        }),
      ]),
    )
    const error = 'invalid_client'
    assert.deepEqual(answers.map(refusalOf), [
      { clientId: demoClient.id, error, reason: 'the secret is wrong' },
      { clientId: undefined, error, reason: 'client_id is not registered' },
      { clientId: disabled.id, error, reason: 'the client is disabled' },
    ])
    // A caller may have mixed up its parameters: nothing it sent is logged.
    assert.ok(!service().log().includes(unknown.id))
    assert.ok(!service().log().includes(wrongSecret.secret))
  })

  test('a code that cannot be redeemed has one response and its exact reason', async () => {
    const other = await registerClient(service(), 'other-client')
    const pkce = newPkce()
    const used = await browser.code()
    await redeem(door, used)
    const answers = [
      await redeem(door, 'dac_never-issued'),
      await redeem(door, used),
      await redeem(door, await browser.code(), {}, other),
      await redeem(door, await browser.code(), { redirect_uri: `${demoClient.redirectUri}/` }),
      await redeem(door, await browser.code(pkce.parameters), { code_verifier: newPkce().verifier }),
      await redeem(door, await browser.code(pkce.parameters)),
      await redeem(door, await browser.code(), { code_verifier: pkce.verifier }),
    ]
    assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
    assert.deepEqual(
      answers.map(answer => refusalOf(answer).reason),
      [
        'the code is unknown, or expired and removed',
        'the code was already redeemed, so its tokens have been revoked',
        'the code was issued for client demo-ats',
        'redirect_uri differs from that of the authorization request',
        'code_verifier does not match code_challenge',
        'code_verifier is missing',
        'code_verifier was sent, but code_challenge was not',
      ],
    )
    assert.deepEqual(
      answers.map(answer => refusalOf(answer).clientId),
      ['demo-ats', 'demo-ats', 'other-client', 'demo-ats', 'demo-ats', 'demo-ats', 'demo-ats'],
    )
  })

  test('the authorize page shows the public text, and the log has the reason', async () => {
    const unregistered = await browser.authorize({ redirect_uri: 'https://evil.example/cb?mary' })
    assertErrorPage(unregistered)
    assert.match(unregistered.text, /The redirect_uri does not exactly match one that the application/)
    assert.deepEqual(refusalOf(unregistered), {
      clientId: demoClient.id,
      error: 'invalid_request',
      reason: 'redirect_uri is not registered; its origin is not registered either',
    })
    assert.ok(!service().log().includes('evil.example'))
    const near = await browser.authorize({ redirect_uri: `${demoClient.redirectUri}/` })
    assert.equal(refusalOf(near).reason, 'redirect_uri is not registered; its origin is')

    const unregisteredClient = await browser.authorize({ client_id: unknown.id })
    assertErrorPage(unregisteredClient)
    assert.match(unregisteredClient.text, /No application is registered under this client_id\./)
    assert.equal(refusalOf(unregisteredClient).reason, 'client_id is not registered')

    const redirected = await browser.authorize({ scope: 'mary' })
    assertRefusedByRedirect(redirected, 'invalid_scope')
    assert.deepEqual(refusalOf(redirected), {
      clientId: demoClient.id,
      error: 'invalid_scope',
      reason: 'scope must be r_profile_apply.',
    })
  })
})
