import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import type { Logger } from 'pino'
import { newCredentialValue } from './companies/rules.ts'
import { createLog, describeError } from './logging.ts'

/** The log that this produces, in one format; lines may be held back until the end of the turn. */
async function written(format: 'json' | 'text', use: (log: Logger) => void): Promise<string> {
  let text = ''
  const write = (lines: string) => {
    text += lines
  }
  use(createLog({ level: 'info', format, write }))
  await nextTurn()
  assert.notEqual(text, '')
  return text
}

/** The same words as a message, as a cause, as a thrown value that is not an error, and in both formats. */
async function everyWay(words: string): Promise<string[]> {
  const errors = [
    new Error(words),
    new Error('outer', { cause: new Error('inner', { cause: words }) }),
    words,
  ]
  const logAll = (log: Logger) => {
    for (const err of errors) log.error({ err }, 'request failed')
  }
  return Promise.all([written('json', logAll), written('text', logAll)])
}

test('no email address is logged, wherever it is in an error', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.emailAddress(),
      fc.constantFrom(' ', '(', '<', '"', '=', ':'),
      async (address, before) => {
        for (const line of await everyWay(`duplicate key${before}${address})`)) {
          assert.ok(!line.includes(address), line)
          assert.ok(!line.includes(`@${address.split('@')[1]}`), line)
        }
      },
    ),
    { numRuns: 200 },
  )
})

// Each is an address that an application may contain.
for (const address of [
  'mary@example.com',
  "o'brien@example.com",
  'a=b@example.com',
  'mary+jobs@example.com',
  '"mary"@example.com',
  'марія@пошта.укр',
  'mary@[192.0.2.1]',
]) {
  test(`no part of ${address} is logged`, async () => {
    const [local = '', domain = ''] = address.split('@')
    for (const line of await everyWay(`Key (email)=(${address}) already exists.`)) {
      assert.ok(!line.includes(domain), line)
      // Also as JSON writes it.
      for (const form of [local, JSON.stringify(local).slice(1, -1)]) assert.ok(!line.includes(form), line)
    }
  })
}

test('no credential of ours is logged', async () => {
  for (const value of ['sws_demo_harbour', ...Array.from({ length: 50 }, () => newCredentialValue().value)]) {
    for (const line of await everyWay(`unexpected "SWS ${value}"`)) {
      assert.ok(!line.includes(value), line)
      assert.ok(!line.includes(value.slice(4)), line)
    }
  }
})

/** All characters that may be unescaped in the password of a URL: unreserved characters and sub-delimiters. */
const password = fc.string({
  unit: fc.constantFrom(..."abcXYZ019-._~!$&'()*+,;=:%"),
  minLength: 6,
  maxLength: 20,
})

test('no part of a password in a URL is logged', async () => {
  await fc.assert(
    fc.asyncProperty(
      password,
      fc.constantFrom('db', 'db.example.com:5432', '[::1]'),
      async (secret, host) => {
        const marked = `s3cr${secret}et`
        for (const line of await everyWay(`cannot connect to postgres://dossier:${marked}@${host}/dossier`)) {
          assert.ok(!line.includes(marked), line)
          assert.ok(!line.includes('s3cr'), line)
        }
      },
    ),
    { numRuns: 200 },
  )
})

test('an error is logged with its type, message, code and stack, and no other properties', () => {
  const error = Object.assign(new TypeError('broken'), {
    code: '23505',
    detail: 'Key (email)=(mary@example.com)',
    parameters: ['mary'],
  })
  const { stack, ...rest } = describeError(error)
  assert.deepEqual(rest, { type: 'TypeError', message: 'broken', code: '23505' })
  assert.match(String(stack), /^TypeError: broken\n/)
  assert.deepEqual(describeError('words'), { message: 'words' })
})

test('harmless text stays readable', () => {
  const harmless =
    'ENOENT: no such file, open data/blobs/ab/cd (at 10:00) in src/platform/database/sqlite/sqlite.ts:12:5'
  assert.equal(describeError(new Error(harmless))['message'], harmless)
})

test('a line is one JSON object for programs and one line for people', async () => {
  const logOne = (log: Logger) => {
    log.debug('not this')
    log.info({ method: 'GET', route: '/v1', status: 200, ms: 3.1, requestId: 'r1' }, 'request')
  }
  const json = await written('json', logOne)
  assert.match(json, /^[^\n]+\n$/)
  const { time, ...rest } = JSON.parse(json)
  assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  const facts = { method: 'GET', route: '/v1', status: 200, ms: 3.1, requestId: 'r1' }
  assert.deepEqual(rest, { level: 'info', ...facts, msg: 'request' })
  const text = await written('text', logOne)
  assert.match(text, /^\d\d:\d\d:\d\d info {2}request GET \/v1 200 3\.1 ms requestId=r1\n$/)
})

test('the log for people has the causes of an error, too', async () => {
  const cause = new Error('no files', {
    cause: new Error("EACCES: permission denied, open '/data/blobs/ids'"),
  })
  const text = await written('text', log => log.error({ err: new Error('outer', { cause }) }, 'not ready'))
  assert.match(
    text,
    /error not ready \nError: outer\n[\s\S]*\ncaused by: no files\ncaused by: EACCES.*ids'\n$/,
  )
})
