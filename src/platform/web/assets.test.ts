import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import {
  acceptsGzip,
  assetRoutes,
  assetText,
  assetUrl,
  fontUrl,
  shippedScript,
  shippedSheet,
} from './assets.ts'

test('an asset is compressed for clients that accept gzip, and sent unchanged to others', async () => {
  const app = Fastify()
  for (const route of assetRoutes()) app.route(route)
  const url = assetUrl('style.css')
  const plain = await app.inject({ url })
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(plain.body, assetText('style.css'))
  const smaller = await app.inject({ url, headers: { 'accept-encoding': 'br, gzip' } })
  assert.equal(smaller.headers['content-encoding'], 'gzip')
  assert.equal(gunzipSync(smaller.rawPayload).toString(), plain.body)
  assert.ok(smaller.rawPayload.length * 3 < plain.rawPayload.length)
  for (const { headers } of [plain, smaller]) {
    assert.equal(headers['vary'], 'accept-encoding')
    assert.match(String(headers['content-type']), /^text\/css/)
  }
  await app.close()
})

test('reads Accept-Encoding', () => {
  for (const header of ['gzip', 'GZIP', 'br;q=1.0, gzip;q=0.8', 'deflate,gzip ; q=0.001']) {
    assert.ok(acceptsGzip(header), header)
  }
  for (const header of [undefined, '', 'identity', 'gzip;q=0', 'gzip; q=0.000', 'x-gzip-like']) {
    assert.ok(!acceptsGzip(header), header)
  }
})

test('stylesheets lose comments and white space, and nothing else', () => {
  const sheet = `/* A: b; */
a:hover > b, c d {
  /* why */
  content: " ; > { ";
  width: calc(1rem + 2px);

  > :is(e, f) .g {
    color: light-dark(#fff, #000);
  }
}

@media (width > 3rem) and (hover) {
  .h::after { background: url("inter.woff2") }
}
`
  assert.equal(
    shippedSheet(sheet),
    `a:hover>b,c d{content:" ; > { ";width:calc(1rem + 2px);>:is(e,f) .g{color:light-dark(#fff,#000)}}@media (width>3rem) and (hover){.h::after{background:url("${fontUrl}")}}`,
  )
})

test('scripts lose comments and indentation, and nothing else', () => {
  const script = `/** What
 * it does. */
const a = 'https://example.com' // stays

  // Goes.
  if (a) {
    call(/\\/\\*/)
  }
`
  assert.equal(shippedScript(script), "const a = 'https://example.com' // stays\nif (a) {\ncall(/\\/\\*/)\n}")
  const sources = new URL('../../', import.meta.url).pathname
  const names = globSync('**/assets/*.js', { cwd: sources })
  assert.ok(names.length > 5)
  for (const name of names) {
    for (const line of readFileSync(`${sources}${name}`, 'utf8').split('\n')) {
      assert.equal(
        line.replaceAll('\\`', '').split('`').length % 2,
        1,
        `${name}, a string across lines: ${line}`,
      )
    }
  }
})
