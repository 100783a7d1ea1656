import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readClamdAddress } from './clamd-address.ts'

test('addresses of clamd are parsed into the form of net.connect', () => {
  const read: [string, unknown][] = [
    ['unix:///run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
    ['unix:/run/clamav/clamd.ctl', { path: '/run/clamav/clamd.ctl' }],
    ['unix:///run/a%20folder/clamd.ctl', { path: '/run/a folder/clamd.ctl' }],
    ['tcp://127.0.0.1:3310', { host: '127.0.0.1', port: 3310 }],
    ['tcp://clamd.internal:3310/', { host: 'clamd.internal', port: 3310 }],
    ['tcp://[::1]:3310', { host: '::1', port: 3310 }],
  ]
  for (const [text, address] of read) assert.deepEqual(readClamdAddress(text), address, text)
})

test('other texts are rejected', () => {
  const refused = [
    '/run/clamav/clamd.ctl',
    'unix://run/clamav/clamd.ctl',
    'unix://',
    'unix:///',
    'unix:///run/%zz',
    'unix:///run/clamd.ctl?x',
    'tcp://127.0.0.1',
    'tcp://127.0.0.1:0',
    'tcp://:3310',
    'tcp:3310',
    'tcp://user@127.0.0.1:3310',
    'tcp://127.0.0.1:3310/path',
    'http://127.0.0.1:3310',
  ]
  for (const text of refused) assert.equal(readClamdAddress(text), undefined, text)
})
