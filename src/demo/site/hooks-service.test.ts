import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movableClock } from '../../../test/harness/clock.ts'
import { createSigner, receiverKey, signedHeaders } from '../../events/webhooks/signing-rules.ts'
import { createHookReceiver } from './hooks-service.ts'

const keys: readonly [Buffer] = [Buffer.alloc(32, 'k')]
const endpoint = { id: 'endpoint', scheme: 'v1' as const, generation: 1, overlapUntil: null }
const body = '{"type":"application.created"}'

test('Northwind takes webhooks of the board once, and no others', () => {
  const clock = movableClock()
  const receiver = createHookReceiver({ secrets: () => [receiverKey(keys, endpoint)], clock })
  const signed = (id: string, of = endpoint) =>
    signedHeaders(createSigner(keys, of, clock()), id, body, clock())
  assert.equal(receiver.receive(signed('evt_1'), body), true)
  assert.equal(receiver.receive(signed('evt_1'), body), true)
  assert.equal(receiver.receive(signed('evt_2'), `${body} `), false)
  assert.equal(receiver.receive(signed('evt_2', { ...endpoint, id: 'other' }), body), false)
  assert.equal(receiver.receive({}, body), false)
  const early = signed('evt_3')
  clock.advance(301_000)
  assert.equal(receiver.receive(early, body), false)
  assert.deepEqual(
    receiver.list().map(({ id, type }) => [id, type]),
    [['evt_1', 'application.created']],
  )
  for (let number = 0; number < 30; number++) receiver.receive(signed(`evt_more_${number}`), body)
  assert.equal(receiver.list().length, 20)
})

test('nothing is taken before the endpoint was added', () => {
  const receiver = createHookReceiver({ secrets: () => [], clock: movableClock() })
  const forged = signedHeaders(createSigner(keys, endpoint, 0), 'evt_1', body, 0)
  assert.equal(receiver.receive(forged, body), false)
})
