import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { jobAds } from '../world/job-ads.ts'
import { type CallbackParameters, createSiteFlows } from './flow-service.ts'

const [ad] = jobAds
assert.ok(ad)
const halfAnHour = 1_800_000

function flowsOver(fetch: typeof globalThis.fetch, demoFlows = 3) {
  const clock = movableClock()
  const flows = createSiteFlows({
    fetch,
    clock,
    baseUrl: () => 'http://localhost:8080',
    authUrl: () => 'http://localhost:8081',
    country: 'AU',
    client: { id: 'demo-ats', secret: 'demo-ats-secret' },
    maxFlows: demoFlows,
  })
  return { clock, flows, start: () => flows.start(ad as NonNullable<typeof ad>) }
}

const noFetch = () => Promise.reject(new Error('not here'))

/** A valid callback for the flow. */
function answerTo(location: string, changes: Partial<CallbackParameters> = {}): CallbackParameters {
  const state = new URL(location).searchParams.get('state') ?? ''
  return {
    state,
    iss: 'http://localhost:8081',
    code: 'dac_0123456789',
    error: undefined,
    errorDescription: undefined,
    address: '/demo/callback?code=dac_0123456789',
    ...changes,
  }
}

test('a flow is remembered for half an hour', () => {
  const { clock, flows, start } = flowsOver(noFetch)
  const { key } = start()
  clock.advance(halfAnHour - 1)
  assert.equal(flows.find(key)?.phase, 'started')
  clock.advance(1)
  assert.equal(flows.find(key), undefined)
})

test('at the limit, expired flows are dropped first, then the oldest', () => {
  const { clock, flows, start } = flowsOver(noFetch)
  const keys = [start(), start(), start(), start()].map(({ key }) => key)
  const known = () => keys.map(key => flows.find(key) !== undefined)
  assert.deepEqual(known(), [false, true, true, true])
  clock.advance(halfAnHour)
  keys.push(start().key)
  assert.deepEqual(known(), [false, false, false, false, true])
})

test('every flow has its own state, key and challenge', () => {
  const { start } = flowsOver(noFetch)
  const [a, b] = [start(), start()]
  assert.notEqual(a.key, b.key)
  for (const name of ['state', 'code_challenge']) {
    const of = ({ location }: { location: string }) => new URL(location).searchParams.get(name)
    assert.ok(of(a))
    assert.notEqual(of(a), of(b))
  }
})

test('a callback for another browser causes no request', async () => {
  const { flows, start } = flowsOver(() => assert.fail('it was asked'))
  const { key, location } = start()
  const wrong = [
    { state: undefined },
    { state: '' },
    { state: 'x' },
    { iss: undefined },
    { iss: 'http://localhost:8080' },
    { iss: 'http://localhost:8081/' },
  ]
  for (const changes of wrong) assert.equal(await flows.answer(key, answerTo(location, changes)), undefined)
  assert.equal(await flows.answer(undefined, answerTo(location)), undefined)
  assert.equal(await flows.answer('__proto__', answerTo(location)), undefined)
  assert.equal(flows.find(key)?.phase, 'started')
})

test('an unreachable service is reported, and the code is not shown in full', async () => {
  const { flows, start } = flowsOver(noFetch)
  const { key, location } = start()
  const flow = await flows.answer(key, answerTo(location))
  assert.equal(flow?.phase, 'failed')
  assert.match(flow?.failure ?? '', /^Redeem the code for a token: no usable response \(not here\)\.$/)
  assert.equal(flow?.trace.length, 3)
  assert.ok(!JSON.stringify(flow?.trace).includes('dac_0123456789'))
})

test('a callback with neither code nor error counts as a refusal', async () => {
  const { flows, start } = flowsOver(noFetch)
  const { key, location } = start()
  const flow = await flows.answer(key, answerTo(location, { code: undefined }))
  assert.equal(flow?.failure, 'The authorization server refused the request: neither code nor error.')
})

test('completion is not reported before the prefill', async () => {
  const { flows, start } = flowsOver(() => assert.fail('it was asked'))
  const { key } = start()
  assert.equal((await flows.complete(key))?.phase, 'started')
  assert.equal(await flows.complete('nobody'), undefined)
})
