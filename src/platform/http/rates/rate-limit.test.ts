import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { movableClock } from '../../../../test/harness/clock.ts'
import { CountTable, nodeOver } from '../../../../test/harness/rate-counts.ts'
import type { Clock } from '../../core/clock.ts'
import { addressKey, type RateLimit, rateLimited } from './rate-limit.ts'

const minute = 60_000
const start = Date.parse('2026-11-14T00:00:00Z')
const alone = (clock: Clock) => nodeOver(new CountTable(), clock)

test('a key has its number of requests in each whole minute of the clock', async () => {
  const clock = movableClock(start + 30_000)
  const limit = alone(clock).limit(2)
  assert.deepEqual(await limit.hit('a'), { remaining: 1, resetSeconds: 30, isExceeded: false })
  assert.deepEqual(await limit.hit('a'), { remaining: 0, resetSeconds: 30, isExceeded: false })
  assert.deepEqual(await limit.hit('a'), { remaining: 0, resetSeconds: 30, isExceeded: true })
  assert.equal((await limit.hit('b')).isExceeded, false)
  clock.set(start + minute - 1)
  assert.deepEqual(await limit.hit('a'), { remaining: 0, resetSeconds: 1, isExceeded: true })
  clock.set(start + minute)
  assert.deepEqual(await limit.hit('a'), { remaining: 1, resetSeconds: 60, isExceeded: false })
})

test('a minute that has ended does not begin again when the clock is set back', async () => {
  const clock = movableClock(start + minute)
  const limit = alone(clock).limit(200)
  for (let hit = 0; hit < 200; hit++) await limit.hit('a')
  clock.advance(-30_000)
  assert.deepEqual(await limit.hit('a'), { remaining: 0, resetSeconds: 60, isExceeded: true })
  // A clock that was wrong by more has been corrected.
  clock.advance(-60_000)
  assert.equal((await limit.hit('a')).isExceeded, false)
})

test('counts match a plain list of hits, for any sequence of times', async () => {
  const hits = fc.array(
    fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      after: fc.constantFrom(0, 1, 999, 10_000, 59_999, minute),
      times: fc.constantFrom(1, 1, 1, 1, 70),
    }),
    { maxLength: 40, size: 'max' },
  )
  // Below 200 every hit is reported to the other nodes; from 200 only some are.
  const mosts = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 195, max: 300 }))
  await fc.assert(
    fc.asyncProperty(hits, mosts, async (sequence, perMinute) => {
      const clock = movableClock(start)
      const limit = alone(clock).limit(perMinute)
      const counts = new Map<string, number>()
      for (const { key, after, times } of sequence) {
        clock.advance(after)
        const window = Math.floor(clock() / minute)
        const id = `${key} ${window}`
        for (let time = 0; time < times; time++) {
          const count = (counts.get(id) ?? 0) + 1
          counts.set(id, count)
          const usage = await limit.hit(key)
          assert.equal(usage.isExceeded, count > perMinute)
          assert.equal(usage.remaining, Math.max(0, perMinute - count))
          // A caller who waits as long as Retry-After says finds a new window.
          assert.ok(usage.resetSeconds >= 1 && usage.resetSeconds <= 60)
          assert.equal(Math.floor((clock() + usage.resetSeconds * 1000) / minute), window + 1)
        }
      }
    }),
    { numRuns: 50 },
  )
})

test('beyond the maximum number of keys, new keys share one count and known keys keep theirs', async () => {
  const limit = alone(movableClock()).limit(3, { maxKeys: 2 })
  await limit.hit('a')
  await limit.hit('b')
  const newcomers: boolean[] = []
  for (const key of ['c', 'd', 'e', 'f']) newcomers.push((await limit.hit(key)).isExceeded)
  assert.deepEqual(newcomers, [false, false, false, true])
  assert.equal((await limit.hit('a')).remaining, 1)
})

test('the headers and the problem say the same', async () => {
  const headers: Record<string, string> = {}
  const reply = { header: (name: string, value: string) => Object.assign(headers, { [name]: value }) }
  const limit = alone(movableClock(start + 30_000)).limit(6000)
  const usage = { ...(await limit.hit('a')), remaining: 5990 }
  limit.writeHeaders(reply as unknown as Parameters<RateLimit['writeHeaders']>[0], usage)
  assert.deepEqual(headers, { ratelimit: '"v1";r=5990;t=30', 'ratelimit-policy': '"v1";q=6000;w=60' })
  assert.equal(rateLimited(usage).code, 'rate-limited')
  assert.equal(rateLimited(usage).retryAfterSeconds, 30)
})

test('IPv4 addresses count individually, however they are written', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.ipV4(), (one, other) => {
      assert.equal(addressKey(`::ffff:${one}`), addressKey(one))
      assert.equal(addressKey(`::FFFF:${one}`), addressKey(one))
      assert.equal(addressKey(one) === addressKey(other), one === other)
    }),
    { numRuns: 200 },
  )
})

const group = fc.integer({ min: 1, max: 0xffff }).map(value => value.toString(16))
const network = fc.array(group, { minLength: 4, maxLength: 4 })

test('an IPv6 network of 64 bits counts as one, and no two count together', () => {
  fc.assert(
    fc.property(network, network, network, network, (net, host, otherHost, otherNet) => {
      const key = addressKey([...net, ...host].join(':'))
      assert.equal(addressKey([...net, ...otherHost].join(':')), key)
      assert.equal(addressKey(`${net.join(':')}::`), key)
      assert.equal(addressKey(`${net.join(':')}::1`), key)
      assert.equal(addressKey([...otherNet, ...host].join(':')) === key, net.join() === otherNet.join())
    }),
    { numRuns: 300 },
  )
})

test('the short form of an IPv6 address counts with its long form', () => {
  assert.equal(addressKey('2001:db8::1'), addressKey('2001:db8:0:0:0:0:0:2'))
  assert.equal(addressKey('::1'), addressKey('0:0:0:0:0:0:0:1'))
  assert.equal(addressKey('fe80::1%eth0'), addressKey('fe80::2%eth0'))
})

// A trusted proxy may pass on an address in another spelling than the kernel's.
for (const [one, other] of [
  ['2001:DB8::1', '2001:db8::1'],
  ['2001:0db8::1', '2001:db8::1'],
  ['1::2:3:4:5.6.7.8', '1:0:0:2:3:4:506:708'],
  ['::ffff:102:304', '1.2.3.4'],
] as const) {
  test(`${one} and ${other} are one address`, () => assert.equal(addressKey(one), addressKey(other)))
}
