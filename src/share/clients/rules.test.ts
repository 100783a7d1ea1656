import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isClientId, redirectUriFault, redirectUriLength } from './rules.ts'

for (const uri of [
  'https://careers.example.com/callback',
  'https://careers.example.com',
  'https://careers.example.com:8443/cb?tenant=a%20b&x=1',
  'HTTPS://Careers.Example.com/Callback',
  'https://xn--bcher-kva.example/cb',
  'https://203.0.113.7/cb',
  'https://[2001:db8::1]/cb',
  'http://localhost/cb',
  'http://LOCALHOST:3000/cb',
  'http://127.0.0.1:9090/callback',
  'http://127.255.255.254/cb',
  'http://[::1]:9090/cb',
  'https://careers.example.com/a/../b//c;d=e,f',
  `https://careers.example.com/${'x'.repeat(redirectUriLength - 28)}`,
]) {
  test(`can be registered: ${uri.slice(0, 60)}`, () => {
    assert.equal(redirectUriFault(uri), undefined)
  })
}

const refused: [uri: string, why: RegExp][] = [
  ['', /characters/],
  ['/callback', /absolute/],
  ['//careers.example.com/cb', /absolute/],
  ['careers.example.com/cb', /absolute/],
  ['https:careers.example.com/cb', /absolute/],
  ['https:///careers.example.com/cb', /absolute/],
  ['https://', /absolute/],
  ['https://?x', /absolute/],
  ['https://[::1/cb', /absolute/],
  ['https://careers.example.com:99999/cb', /absolute/],
  ['javascript:alert(1)', /absolute/],
  ['com.example.app:/callback', /absolute/],
  ['ftp://careers.example.com/cb', /absolute/],
  ['http://careers.example.com/cb', /https/],
  ['http://localhost.example.com/cb', /https/],
  ['http://127.0.0.1.example.com/cb', /https/],
  ['http://128.0.0.1/cb', /https/],
  ['http://0.0.0.0/cb', /https/],
  ['http://192.168.1.20/cb', /https/],
  ['http://[::2]/cb', /https/],
  ['https://careers.example.com/cb#', /fragment/],
  ['https://careers.example.com/cb#top', /fragment/],
  ['https://mary@careers.example.com/cb', /user name/],
  ['https://careers.example.com:443@evil.example/cb', /user name/],
  ['http://localhost@evil.example/cb', /user name/],
  ['https://*.example.com/cb', /Wildcards/],
  ['https://careers.example.com/*', /Wildcards/],
  ['https://careers.example.com/a b', /encode/],
  ['https://careers.example.com/\n', /encode/],
  [' https://careers.example.com/', /encode/],
  ['https://careers.example.com\\@evil.example/', /encode/],
  ['https://bücher.example/cb', /encode/],
  ['https://careers.example.com/%zz', /encode/],
  ['https://careers.example.com/"><script>', /encode/],
  ['https://careers.example.com/cb?code=mine', /"code"/],
  ['https://careers.example.com/cb?x=1&st%61te=mine', /"state"/],
  ['https://careers.example.com/cb?iss', /"iss"/],
  ['https://careers.example.com/cb?error=x', /"error"/],
  [`https://careers.example.com/${'x'.repeat(redirectUriLength - 27)}`, /2000 characters/],
]
for (const [uri, why] of refused) {
  test(`cannot be registered: ${JSON.stringify(uri).slice(0, 60)}`, () => {
    assert.match(redirectUriFault(uri) ?? '', why)
  })
}

test('a client ID needs no encoding', () => {
  for (const id of ['demo-ats', 'a', '7', 'Careers_2.example', 'x'.repeat(64)]) {
    assert.ok(isClientId(id), id)
  }
  for (const id of [
    '',
    ' ',
    '-x',
    '.',
    '__proto__',
    'a b',
    'a:b',
    'a%20b',
    'ä',
    'a\n',
    'a\0',
    'x'.repeat(65),
  ]) {
    assert.ok(!isClientId(id), id)
  }
})

test('rejects hosts with a meaning in a content security policy', () => {
  for (const host of ['a;frame-ancestors', 'a,b', "a'b", 'a(b)', 'a=b', 'a!b']) {
    assert.ok(redirectUriFault(`https://${host}/cb`) !== undefined, host)
  }
  for (const host of [
    'careers.example.com',
    'a-b.example',
    '127.0.0.1:9090',
    '[::1]:9090',
    'xn--exmple-cua.com',
  ]) {
    assert.equal(redirectUriFault(`https://${host}/cb`), undefined, host)
  }
})
