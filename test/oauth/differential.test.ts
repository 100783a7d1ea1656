import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { times } from '../harness/effort.ts'
import {
  authorizeEndpoint,
  Browser,
  codeOf,
  demoClient,
  manyFailures,
  tokenEndpoint,
} from '../harness/oauth.ts'
import { authorizeModel, explain, type Model, severalFaults, tokenModel } from './differential-model.ts'
import { authorizeOutcome, type Outcome, sendTokenRequest, tokenOutcome } from './differential-outcomes.ts'
import {
  authorizeRequests,
  basicPairs,
  basicRequest,
  type Pair,
  pkcePairs,
  type TokenRequest,
  tokenRequests,
} from './differential-requests.ts'
import { type ReferenceServer, referencePaths, startReferenceServer } from './reference-server.ts'
import { inDemoWorld } from './world.ts'

const seed = 20261115
const env = { ...manyFailures, RATE_LIMIT_TOKEN_PER_MINUTE: '999999999' }

/** Records which explanations were needed, on their own, for a difference. */
function explanationsOf<Request>(model: Model<Request>) {
  const used = new Set<string>()
  return {
    examples: model.deviations.map(({ example }): [Request] => [example]),
    check(request: Request, ours: Outcome, theirs: Outcome): void {
      if (ours === theirs) return
      const explanation = explain(model, request, ours, theirs)
      if (explanation !== undefined) used.add(explanation)
    },
    assertAllUsed(): void {
      const names = model.deviations.map(({ name }) => name)
      const all = model.order === undefined ? names : [...names, severalFaults]
      assert.deepEqual(
        all.filter(name => !used.has(name)),
        [],
        'explanations of differences that no longer happen',
      )
    },
  }
}

// Differences between the databases never reach this far.
inDemoWorld('the same requests to oidc-provider', { env, on: ['sqlite'] }, world => {
  let reference: ReferenceServer
  let browser: Browser

  before(async () => {
    reference = await startReferenceServer(demoClient)
    browser = new Browser(world().door)
    // Both candidates have agreed to everything before.
    await browser.code()
    await browser.code({ advertiser_id: '10000001' })
  })
  after(() => reference.close())

  const ask = async (request: readonly Pair[]) => {
    const query = new URLSearchParams(request as [string, string][])
    return {
      ours: await browser.get(`${authorizeEndpoint}?${query}`),
      theirs: await reference.browser.get(`${referencePaths.authorize}?${query}`),
    }
  }

  test('authorization requests: every difference is explained, and every explanation is needed', async () => {
    const explanations = explanationsOf(authorizeModel)
    await fc.assert(
      fc.asyncProperty(authorizeRequests, async request => {
        const answers = await ask(request)
        const ours = authorizeOutcome(answers.ours, request)
        const theirs = authorizeOutcome(answers.theirs, request)
        explanations.check(request, ours.result, theirs.result)
        const isEmptyState = request.some(([name, value]) => name === 'state' && value === '')
        // The one difference about state: contract §3, sent empty it comes back empty.
        if (isEmptyState) assert.ok(ours.state !== 'dropped', 'an empty state was dropped')
        else if (ours.state !== undefined && theirs.state !== undefined)
          assert.equal(ours.state, theirs.state)
      }),
      { seed, numRuns: times(80, 400), examples: explanations.examples },
    )
    explanations.assertAllUsed()
  })

  test('token requests: every difference is explained, and every explanation is needed', async () => {
    const explanations = explanationsOf(tokenModel)
    const bothRedeem = async (request: TokenRequest, codes: { ours: string; theirs: string }) => ({
      ours: tokenOutcome(await sendTokenRequest(world().door, tokenEndpoint, request, codes.ours)),
      theirs: tokenOutcome(
        await sendTokenRequest(reference.door, referencePaths.token, request, codes.theirs),
      ),
    })
    await fc.assert(
      fc.asyncProperty(tokenRequests, async request => {
        const answers = await ask([...basicPairs, ...(request.hasChallenge ? pkcePairs : [])])
        const codes = { ours: codeOf(answers.ours), theirs: codeOf(answers.theirs) }
        const { ours, theirs } = await bothRedeem(request, codes)
        explanations.check(request, ours, theirs)
        if (ours !== theirs) return
        // The state of the code afterwards.
        const then = await bothRedeem(basicRequest(request.hasChallenge), codes)
        assert.equal(then.ours, then.theirs, `after ${ours}: ${JSON.stringify(request)}`)
      }),
      { seed, numRuns: times(40, 200), examples: explanations.examples },
    )
    explanations.assertAllUsed()
  })
})
