import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  noAllowedHosts,
  readAllowedHosts,
  vetAddresses,
} from '../../platform/core/addresses/public-addresses.ts'
import { checkEndpointUrl, urlHint } from './address-rules.ts'

const rules = { allowed: noAllowedHosts, ownOrigins: ['https://jobs.example.com'], maxLength: 2000 }
const faultOf = (url: string, allow?: string) =>
  checkEndpointUrl(url, { ...rules, ...(allow === undefined ? {} : { allowed: readAllowedHosts(allow) }) })
    ?.code

test('an endpoint is an https URL of a public host', () => {
  for (const url of [
    'https://ats.example.com/hooks?tenant=7',
    'https://ats.example.com:8443/',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]/',
  ])
    assert.equal(faultOf(url), undefined, url)
  const refused: Record<string, string[]> = {
    'not-a-url': ['', 'ats.example.com', 'ftp://ats.example.com', 'javascript:alert(1)'],
    'not-https': ['http://ats.example.com/', 'http://127.0.0.1/'],
    'has-user': ['https://me@ats.example.com/', 'https://:word@ats.example.com/'],
    'has-fragment': ['https://ats.example.com/#top', 'https://ats.example.com/#'],
    port: ['https://ats.example.com:80/', 'https://ats.example.com:22/', 'https://ats.example.com:1023/'],
    'own-address': ['https://jobs.example.com/demo/hooks', 'https://JOBS.example.com:443/'],
    'not-public': [
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://[::ffff:10.0.0.1]/',
      'https://0x7f.1/',
    ],
    'too-long': [`https://ats.example.com/${'a'.repeat(2000)}`],
  }
  for (const [code, urls] of Object.entries(refused))
    for (const url of urls) assert.equal(faultOf(url), code, url)
})

test('the operator may allow hosts of the same house, also without TLS', () => {
  assert.equal(faultOf('http://ats.internal/hooks', 'ats.internal'), undefined)
  assert.equal(faultOf('http://10.1.2.3:8080/', '10.1.0.0/16'), undefined)
  assert.equal(faultOf('http://10.2.2.3:8080/', '10.1.0.0/16'), 'not-https')
  assert.equal(faultOf('https://169.254.169.254/', '169.254.0.0/16'), 'not-public')
})

test('one private address among the answers refuses the name', () => {
  const found = (...addresses: string[]) => addresses.map(address => ({ address }))
  const vet = (...addresses: string[]) => vetAddresses('a.example.com', found(...addresses), noAllowedHosts)
  assert.equal(vet('1.1.1.1', '2606:4700::1')?.length, 2)
  assert.equal(vet('1.1.1.1', '127.0.0.1'), undefined)
  assert.equal(vet(), undefined)
})

test('lists and logs show the host and no token in the path', () => {
  assert.equal(urlHint('https://ats.example.com/hooks/s3cret?token=1'), 'https://ats.example.com/…')
  assert.equal(urlHint('https://ats.example.com/'), 'https://ats.example.com')
})
