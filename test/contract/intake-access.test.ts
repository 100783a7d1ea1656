import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  applicationOf,
  applicationPart,
  assertRefused,
  countBlobs,
  demoBoard,
  file,
  harbourId,
  idOf,
  intakePath,
  intakeToken,
  multipart,
  post,
  southernId,
} from '../harness/intake.ts'
import {
  assertOauthError,
  bearer,
  demoClient,
  manyFailures,
  type Parameters,
  requestToken,
  revokeEndpoint,
  tokenOf,
} from '../harness/oauth.ts'
import { inDemoWorld, secondMs } from '../oauth/world.ts'
import { inDemoWorldInTurn } from '../oauth/world-in-turn.ts'
import { listPath } from './reading.ts'
import { grantedToken, onHoldId, ownToken, prefillPath, unknownUuid, watched } from './version2.ts'

const parts = (advertiserId: number) => [applicationPart(applicationOf({ advertiserId }))]

inDemoWorldInTurn('who may send applications', { env: manyFailures }, world => {
  const door = () => watched(world().door)
  const ask = (fields: Parameters, client = demoBoard) =>
    requestToken(door(), { grant_type: 'client_credentials', ...fields }, { client })
  const apply = (advertiserId: number, as = token, key?: string) => post(door(), as, parts(advertiserId), key)
  const board = () => ({ ...world().services.clients, ...world().services.advertisers })
  let token: string
  before(async () => {
    token = await intakeToken(door())
  })

  test('a client registered for it gets a token, which lives as long as any other', async () => {
    const answer = await ask({ scope: 'w_applications' })
    assert.deepEqual(Object.keys(answer.json()), ['access_token', 'token_type', 'expires_in'])
    const short = tokenOf(answer)
    world().clock.advance(1_200 * secondMs - 1)
    idOf(await apply(harbourId, short))
    world().clock.advance(1)
    assertRefused(await apply(harbourId, short), 401, 'invalid-token')
    token = await intakeToken(door())
  })

  test('other clients, and other scopes beside it, are refused', async () => {
    const refused: [Parameters, typeof demoBoard][] = [
      [{ scope: 'w_applications' }, demoClient],
      [{ scope: 'r_applications', advertiser_id: String(harbourId) }, demoBoard],
      [{ scope: 'r_profile_apply' }, demoBoard],
      [{ scope: 'w_applications r_applications', advertiser_id: String(harbourId) }, demoBoard],
      [{ scope: 'W_APPLICATIONS' }, demoBoard],
    ]
    for (const [fields, client] of refused) {
      assertOauthError(await ask(fields, client), 400, 'invalid_scope')
    }
  })

  test('an advertiser_id is refused: the token would not be for that advertiser alone', async () => {
    const fields = { scope: 'w_applications', advertiser_id: String(harbourId) }
    assertOauthError(await ask(fields), 400, 'invalid_request')
  })

  test('only such a token opens intake', async () => {
    const agents = {
      grant_type: 'client_credentials',
      scope: 'r_applications',
      advertiser_id: String(harbourId),
    }
    const others = {
      'no scope': await ownToken(door(), demoBoard),
      'the agent': tokenOf(await requestToken(door(), agents)),
      'the candidate': await grantedToken(door()),
      'the advertiser': 'sws_demo_harbour',
      nobody: 'dat_unknown',
    }
    for (const [whose, other] of Object.entries(others)) {
      const answer = await apply(harbourId, other)
      assert.equal(answer.status, 401, whose)
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/)
    }
    const { body, type } = multipart(parts(harbourId))
    for (const authorization of [undefined, 'SWS sws_demo_harbour', `SWS ${token}`, `Basic ${token}`]) {
      const headers = { 'content-type': type, ...(authorization === undefined ? {} : { authorization }) }
      assert.equal((await door().send('POST', intakePath, { headers, body })).status, 401, authorization)
    }
  })

  test('such a token opens nothing else', async () => {
    const sws = { authorization: `SWS ${token}` }
    assert.equal((await door().send('GET', listPath, { headers: sws })).status, 401)
    const json = { ...bearer(token), 'content-type': 'application/json' }
    const calls: [string, string][] = [
      ['POST', prefillPath],
      ['POST', `/v2/applications/${unknownUuid}/complete`],
      ['GET', `/v2/resumes/${unknownUuid}`],
    ]
    for (const [method, path] of calls) {
      const body = method === 'POST' ? { body: '{}' } : {}
      assert.equal((await door().send(method, path, { headers: json, ...body })).status, 401, path)
    }
  })

  test('an unlisted advertiser and an unknown one look the same', async () => {
    const told = []
    for (const advertiserId of [onHoldId, 99999999]) {
      const answer = await apply(advertiserId)
      assertRefused(answer, 403, 'advertiser-not-listed')
      const { requestId, ...rest } = answer.json()
      told.push(JSON.stringify(rest).replace(String(advertiserId), 'ID'))
    }
    assert.equal(told[0], told[1])
  })

  test('allowing or forbidding an advertiser takes effect on the next request, also for saved responses', async () => {
    const { allow, forbid } = board()
    idOf(await apply(southernId, token, 'kept'))
    await forbid(demoBoard.id, southernId)
    assertRefused(await apply(southernId), 403, 'advertiser-not-listed')
    assertRefused(await apply(southernId, token, 'kept'), 403, 'advertiser-not-listed')
    idOf(await apply(harbourId))
    await allow(demoBoard.id, southernId)
    await allow(demoBoard.id, southernId)
    idOf(await apply(southernId))
  })

  test('an advertiser on hold accepts nothing', async () => {
    const { setStatus } = board()
    await setStatus(southernId, 'hold')
    assertRefused(await apply(southernId), 403, 'advertiser-on-hold')
    await setStatus(southernId, 'active')
    idOf(await apply(southernId))
  })

  test('a file for an unlisted advertiser is not kept', async () => {
    const before = await countBlobs(world().settings)
    const resume = file('resume', 'resume.txt', 'A resume.')
    assertRefused(await post(door(), token, [...parts(onHoldId), resume]), 403, 'advertiser-not-listed')
    assert.equal(await countBlobs(world().settings), before)
    idOf(await post(door(), token, [...parts(harbourId), resume]))
    assert.equal(await countBlobs(world().settings), before + 1)
  })

  test('a revoked token, and every token of a disabled client, is rejected', async () => {
    const fields = { token }
    assert.equal(
      (await requestToken(door(), fields, { client: demoBoard, path: revokeEndpoint })).status,
      200,
    )
    assertRefused(await apply(harbourId), 401, 'invalid-token')
    token = await intakeToken(door())
    idOf(await apply(harbourId))
    await board().disable(demoBoard.id)
    assertRefused(await apply(harbourId), 401, 'invalid-token')
    assert.equal((await ask({ scope: 'w_applications' })).status, 401)
  })
})

inDemoWorld('the rate of intake', { env: { RATE_LIMIT_INTAKE_PER_MINUTE: '2' }, on: ['sqlite'] }, world => {
  test('is counted per client, whatever token it uses', async () => {
    const door = watched(world().door)
    const tokens = [await intakeToken(door), await intakeToken(door)]
    for (const [index, token] of tokens.entries()) {
      const answer = await post(door, token, parts(harbourId))
      idOf(answer)
      assert.equal(answer.headers.get('ratelimit-policy'), '"intake";q=2;w=60')
      assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`^"intake";r=${1 - index};t=`))
    }
    const refused = await post(door, String(tokens[0]), parts(harbourId))
    assertRefused(refused, 429, 'rate-limited')
  })
})
