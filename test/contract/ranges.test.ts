import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, call, harbour } from '../harness/http.ts'
import { onFileStoresInTurn } from '../harness/one-engine.ts'
import type { Service } from '../harness/service.ts'
import { files, pick, problem, type RequestHeaders } from './reading.ts'

interface Whole {
  path: string
  etag: string
  bytes: Buffer
}

async function cleanFile(service: Service): Promise<Whole> {
  const file = pick(
    await files(service),
    ({ HasVirus, Size }) => HasVirus === false && Size > 100,
    'a clean file of more than 100 bytes',
  )
  const path = `/v1/${file.Href}`
  return { path, etag: `"${file.Hash}"`, bytes: (await call(service, path, { headers: harbour })).bytes }
}

function get(service: Service, path: string, headers: RequestHeaders, method = 'GET'): Promise<Answer> {
  return call(service, path, { method, headers: { ...harbour, ...headers } })
}

function assertWhole(answer: Answer, { bytes }: Whole, why: string): void {
  assert.equal(answer.status, 200, why)
  assert.ok(answer.bytes.equals(bytes), why)
  assert.equal(answer.headers.get('content-range'), null, why)
}

onFileStoresInTurn('conditional and partial downloads', service => {
  test('If-None-Match with the ETag is a 304 without a body', async () => {
    const { path, etag } = await cleanFile(service())
    for (const value of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await get(service(), path, { 'if-none-match': value }, method)
        assert.equal(answer.status, 304, value)
        assert.equal(answer.bytes.length, 0)
        assert.equal(answer.headers.get('etag'), etag)
      }
    }
  })

  test('If-None-Match with another ETag gives the file', async () => {
    const whole = await cleanFile(service())
    for (const value of ['"other"', whole.etag.slice(1, -1), whole.etag.toUpperCase(), 'garbage']) {
      assertWhole(await get(service(), whole.path, { 'if-none-match': value }), whole, value)
    }
  })

  test('If-None-Match takes precedence over If-Modified-Since and Range', async () => {
    const whole = await cleanFile(service())
    const future = new Date('2099-01-01T00:00:00Z').toUTCString()
    const other = await get(service(), whole.path, {
      'if-none-match': '"other"',
      'if-modified-since': future,
    })
    assertWhole(other, whole, 'changed by ETag')
    const same = await get(service(), whole.path, { 'if-none-match': whole.etag, range: 'bytes=0-9' })
    assert.equal(same.status, 304)
  })

  test('an infected file has an ETag like any other', async () => {
    const infected = pick(await files(service()), ({ HasVirus }) => HasVirus === true, 'an infected file')
    const answer = await get(service(), `/v1/${infected.Href}`, { 'if-none-match': `"${infected.Hash}"` })
    assert.equal(answer.status, 304)
  })

  test('Range gives 206 with the bytes, their position and the total', async () => {
    const { path, bytes, etag } = await cleanFile(service())
    const size = bytes.length
    const parts: [range: string, first: number, last: number][] = [
      ['bytes=0-9', 0, 9],
      ['bytes=0-0', 0, 0],
      ['bytes=10-19', 10, 19],
      ['bytes=-5', size - 5, size - 1],
      ['bytes=5-', 5, size - 1],
      ['bytes=0-', 0, size - 1],
      [`bytes=${size - 1}-`, size - 1, size - 1],
      [`bytes=${size - 1}-${size - 1}`, size - 1, size - 1],
      [`bytes=50-${size + 1000}`, 50, size - 1],
      [`bytes=-${size + 1000}`, 0, size - 1],
    ]
    for (const [range, first, last] of parts) {
      const answer = await get(service(), path, { range })
      assert.equal(answer.status, 206, range)
      assert.equal(answer.headers.get('content-range'), `bytes ${first}-${last}/${size}`, range)
      assert.equal(answer.headers.get('content-length'), `${last - first + 1}`, range)
      assert.equal(answer.headers.get('etag'), etag)
      assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; /)
      assert.equal(answer.headers.get('cache-control'), 'private')
      assert.ok(answer.bytes.equals(bytes.subarray(first, last + 1)), range)
    }
  })

  test('parts put together are the file', async () => {
    const { path, bytes } = await cleanFile(service())
    const middle = Math.floor(bytes.length / 2)
    const head = await get(service(), path, { range: `bytes=0-${middle - 1}` })
    const tail = await get(service(), path, { range: `bytes=${middle}-` })
    assert.ok(Buffer.concat([head.bytes, tail.bytes]).equals(bytes))
  })

  test('a range beyond the end is a 416 that states the size', async () => {
    const { path, bytes } = await cleanFile(service())
    for (const range of [`bytes=${bytes.length}-`, `bytes=${bytes.length}-${bytes.length + 9}`, 'bytes=-0']) {
      const answer = await get(service(), path, { range })
      problem(service(), answer, 416, 'range-not-satisfiable')
      assert.equal(answer.headers.get('content-range'), `bytes */${bytes.length}`)
    }
  })

  test('several ranges, or another unit, give the whole file', async () => {
    const whole = await cleanFile(service())
    for (const range of ['bytes=0-1,4-5', 'bytes=0-1, -2', 'lines=0-1', 'lines=9999999-']) {
      assertWhole(await get(service(), whole.path, { range }), whole, range)
    }
  })

  test('HEAD ignores Range', async () => {
    const { path } = await cleanFile(service())
    const answer = await get(service(), path, { range: 'bytes=0-9' }, 'HEAD')
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-range'), null)
  })

  test('If-Range with the ETag gives the part, with anything else the whole', async () => {
    const whole = await cleanFile(service())
    const same = await get(service(), whole.path, { range: 'bytes=0-9', 'if-range': whole.etag })
    assert.equal(same.status, 206)
    assert.equal(same.bytes.length, 10)
    const others = ['"other"', `W/${whole.etag}`, new Date(0).toUTCString(), 'garbage']
    for (const value of others) {
      for (const range of ['bytes=0-9', `bytes=${whole.bytes.length}-`]) {
        assertWhole(await get(service(), whole.path, { range, 'if-range': value }), whole, value)
      }
    }
  })
})
