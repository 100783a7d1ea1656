import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PageCache } from './page-cache.ts'

const page = (text: string, bytes = 100) => ({
  content: Buffer.from(text.padEnd(bytes)),
  link: undefined,
  handedOut: undefined,
})
const roomy = { bytes: 1_000_000, keepMs: 60_000 }

/** Requested twice, so that it is kept. */
function keep(cache: PageCache, advertiserId: number, version: number, name: string, bytes?: number) {
  cache.put(advertiserId, version, name, page(name, bytes))
  return cache.put(advertiserId, version, name, page(name, bytes))
}

test('a page is kept when it is requested again, and served under its version alone', () => {
  const cache = new PageCache(roomy)
  cache.put(1, 5, 'a', page('a'))
  assert.equal(cache.get(1, 5, 'a'), undefined, 'asked for once')
  const kept = cache.put(1, 5, 'a', page('a'))
  assert.equal(cache.get(1, 5, 'a'), kept)
  assert.equal(cache.get(1, 4, 'a'), undefined, 'not under an older version')
  assert.equal(cache.get(1, 5, 'a'), kept, 'and an older one drops nothing')
  assert.equal(cache.get(2, 5, 'a'), undefined, 'nor to another advertiser')
  assert.equal(cache.get(1, 5, 'b'), undefined)
})

test('a newer version drops everything older of that advertiser, and nothing of others', () => {
  const cache = new PageCache(roomy)
  keep(cache, 1, 5, 'a')
  keep(cache, 1, 5, 'b')
  const other = keep(cache, 2, 5, 'a')
  const before = cache.bytes
  assert.equal(cache.get(1, 6, 'never asked for'), undefined)
  assert.equal(cache.get(1, 5, 'a'), undefined)
  assert.equal(cache.get(1, 5, 'b'), undefined)
  assert.ok(cache.bytes < before / 2)
  assert.equal(cache.get(2, 5, 'a'), other)
})

test('a page read before a change is not kept after it', () => {
  const cache = new PageCache(roomy)
  keep(cache, 1, 5, 'b')
  keep(cache, 1, 6, 'a')
  assert.equal(cache.put(1, 5, 'b', page('old')).content.toString().trim(), 'old', 'its reader gets it')
  assert.equal(cache.get(1, 5, 'b'), undefined)
  assert.equal(cache.get(1, 6, 'b'), undefined)
  assert.ok(cache.get(1, 6, 'a'))
})

test('it stays within its bytes, and evicts the least recently used pages first', async () => {
  const cache = new PageCache({ ...roomy, bytes: 10_000 })
  for (const name of ['a', 'b', 'c']) keep(cache, 1, 1, name, 2_000)
  assert.ok(cache.get(1, 1, 'a'))
  keep(cache, 2, 1, 'd', 2_000)
  assert.equal(cache.get(1, 1, 'b'), undefined)
  const used = cache.get(1, 1, 'a')
  assert.ok(used && cache.get(1, 1, 'c') && cache.get(2, 1, 'd'))
  assert.ok(cache.bytes <= 10_000)
  await cache.encoded(used, 'gzip', async () => Buffer.alloc(2_000))
  assert.ok(cache.bytes <= 10_000, 'other forms of a page count, too')
  keep(cache, 3, 1, 'too large', 20_000)
  assert.equal(cache.get(3, 1, 'too large'), undefined)
  assert.equal(cache.bytes, 0)
})

test('another encoding is computed once, and again after a failure', async () => {
  const cache = new PageCache(roomy)
  const kept = keep(cache, 1, 1, 'a')
  let made = 0
  const make = async (content: Buffer) => {
    made++
    if (made === 1) throw new Error('no memory')
    return content.subarray(0, 1)
  }
  await assert.rejects(cache.encoded(kept, 'br', make), /no memory/)
  const [first, second] = await Promise.all([
    cache.encoded(kept, 'br', make),
    cache.encoded(kept, 'br', make),
  ])
  assert.equal(first, second)
  assert.equal(await cache.encoded(kept, 'br', make), first)
  assert.equal(made, 2)
})

test('a kept page expires without another request', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const cache = new PageCache(roomy)
  keep(cache, 1, 1, 'a')
  t.mock.timers.tick(59_999)
  assert.ok(cache.get(1, 1, 'a'))
  t.mock.timers.tick(1)
  assert.equal(cache.get(1, 1, 'a'), undefined)
  assert.equal(cache.bytes, 0)
})
