import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type Coding, chooseCoding, compress, compressing } from './compression.ts'

const decoders = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }
const codings = Object.keys(decoders) as Coding[]

test('the encoding that the caller prefers, and among equals the cheapest', () => {
  const chosen: [header: string | undefined, coding: Coding | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['zstd;q=0, br;q=0, gzip;q=0', undefined],
    ['gzip;q=0, *', 'zstd'],
    ['gzip;q=0.5, identity', undefined],
    ['deflate, compress', undefined],
    ['*;q=0', undefined],
    [';;,=q', undefined],
  ]
  for (const [header, coding] of chosen) {
    // The second time from memory.
    for (let time = 0; time < 2; time++) assert.equal(chooseCoding(header), coding, String(header))
  }
})

test('made-up headers are read, but not all are cached', () => {
  for (let serial = 0; serial < 250; serial++) assert.equal(chooseCoding(`x-${serial}, br`), 'br')
})

for (const coding of codings) {
  test(`${coding}: decompressing returns the input`, async () => {
    // At once, and on another thread.
    for (const times of [5_000, 50_000]) {
      const text = Buffer.from('{"ID":1},'.repeat(times))
      const small = await compress(text, coding)
      assert.ok(small.length < text.length / 10)
      assert.deepEqual(decoders[coding](small), text)
    }
  })

  test(`${coding}: each chunk is sent before the next arrives`, async () => {
    const stream = compressing(coding)
    const sent = buffer(stream)
    let out = 0
    stream.on('data', (data: Buffer) => {
      out += data.length
    })
    for (const text of ['first'.repeat(100), 'second'.repeat(100)]) {
      const before = out
      await new Promise(resolve => stream.write(text, resolve))
      await new Promise(setImmediate)
      assert.ok(out > before, 'nothing is held back')
    }
    stream.end()
    assert.equal(decoders[coding](await sent).toString(), 'first'.repeat(100) + 'second'.repeat(100))
  })
}
