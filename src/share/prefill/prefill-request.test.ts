import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/harness/any-character.ts'
import { times } from '../../../test/harness/effort.ts'
import { nameLength, referenceLength } from '../../model/text-lengths.ts'
import { Problem } from '../../platform/core/problems.ts'
import { isWritableText } from '../../platform/core/text.ts'
import { formUrlLength, postalCodeLength, prefillBody, readPrefillRequest } from './prefill-request.ts'

const description = prefillBody()
const good = { advertiserId: '10000001', applicationFormUrl: 'https://ats.example.com/apply' }
const fields = [
  'advertiserId',
  'applicationFormUrl',
  'positionTitle',
  'positionUri',
  'positionReference',
  'countryCode',
  'postalCode',
] as const

/** The invalid fields and the fault of each. */
function faultsOf(body: unknown): Record<string, string> {
  try {
    readPrefillRequest(body, description)
    return {}
  } catch (error) {
    assert.ok(error instanceof Problem)
    assert.equal(error.code, 'invalid-fields')
    return Object.fromEntries(error.errors.map(({ field, code }) => [field, code]))
  }
}

const url = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.constantFrom(
    'javascript:alert(1)',
    '/apply',
    '//host',
    'https:x',
    'HTTP://A',
    'http://[::1]/',
    'https:///x',
  ),
)
const anything = fc.oneof(fc.jsonValue(), fc.string({ unit: anyCharacter, maxLength: 300 }), fc.double())
const bodies = fc.record(
  {
    advertiserId: fc.oneof(fc.nat(), fc.nat().map(String), anything),
    applicationFormUrl: fc.oneof(url, anything),
    positionTitle: anything,
    positionUri: fc.oneof(url, anything),
    positionReference: anything,
    countryCode: fc.oneof(fc.string({ minLength: 2, maxLength: 2 }), anything),
    postalCode: anything,
  },
  { requiredKeys: [] },
)

test('reads a complete request as sent', () => {
  const request = {
    advertiserId: 10000001,
    applicationFormUrl: 'https://ats.example.com/Apply?a=b#c',
    positionTitle: 'Barista <lead> & more',
    positionUri: 'http://jobs.example.com/7',
    positionReference: 'HCR-7',
    countryCode: 'au',
    postalCode: '2300',
  }
  assert.deepEqual(readPrefillRequest(request, description), request)
  assert.deepEqual(
    readPrefillRequest({ ...request, advertiserId: '10000001', other: [1] }, description),
    request,
  )
})

test('missing, null and empty are the same', () => {
  const min = readPrefillRequest(good, description)
  for (const field of fields.slice(2)) {
    assert.equal(min[field], null)
    for (const value of [null, '', undefined]) {
      assert.deepEqual(readPrefillRequest({ ...good, [field]: value }, description), min)
    }
  }
  for (const value of [null, '', undefined]) {
    assert.deepEqual(faultsOf({ advertiserId: value, applicationFormUrl: value }), {
      advertiserId: 'required',
      applicationFormUrl: 'required',
    })
  }
})

test('inherited properties count as not sent', () => {
  assert.deepEqual(faultsOf(Object.create(good)), {
    advertiserId: 'required',
    applicationFormUrl: 'required',
  })
})

test('rejects bodies that are not objects', () => {
  for (const body of [undefined, null, [], [good], '', 'text', 0, 5, true]) {
    assert.throws(
      () => readPrefillRequest(body, description),
      (error: unknown) => error instanceof Problem && error.code === 'bad-request',
    )
  }
})

test('checks every field independently, alone and together', () => {
  const wrong: Record<(typeof fields)[number], [value: unknown, code: string]> = {
    advertiserId: ['x', 'invalid'],
    applicationFormUrl: ['apply', 'invalid-url'],
    positionTitle: [5, 'wrong-type'],
    positionUri: ['ftp://jobs.example.com', 'invalid-url'],
    positionReference: ['\u0000', 'unwritable-character'],
    countryCode: ['1A', 'invalid'],
    postalCode: ['1'.repeat(21), 'too-long'],
  }
  for (const field of fields) {
    assert.deepEqual(faultsOf({ ...good, [field]: wrong[field][0] }), { [field]: wrong[field][1] })
  }
  const all = Object.fromEntries(fields.map(field => [field, wrong[field][0]]))
  assert.deepEqual(faultsOf(all), Object.fromEntries(fields.map(field => [field, wrong[field][1]])))
})

test('allows the maximum length and not a character more', () => {
  const longest = {
    applicationFormUrl: formUrlLength,
    positionTitle: nameLength,
    positionUri: formUrlLength,
    positionReference: referenceLength,
    postalCode: postalCodeLength,
  }
  for (const [field, length] of Object.entries(longest)) {
    const value = (/Ur[il]$/.test(field) ? 'https://a.example/' : '').padEnd(length, 'x')
    assert.deepEqual(faultsOf({ ...good, [field]: value }), {})
    assert.deepEqual(faultsOf({ ...good, [field]: `${value}x` }), { [field]: 'too-long' })
  }
})

test('any input is either rejected by field or can be stored', () => {
  let taken = 0
  fc.assert(
    fc.property(bodies, body => {
      let request: ReturnType<typeof readPrefillRequest>
      try {
        request = readPrefillRequest(body, description)
      } catch (error) {
        assert.ok(error instanceof Problem && error.code === 'invalid-fields', String(error))
        assert.ok(error.errors.length > 0)
        for (const { field } of error.errors) assert.ok((fields as readonly string[]).includes(field))
        return
      }
      taken++
      const { advertiserId, ...texts } = request
      assert.ok(Number.isSafeInteger(advertiserId) && advertiserId > 0)
      for (const text of Object.values(texts))
        assert.ok(text === null || (text !== '' && isWritableText(text)))
      for (const each of [request.applicationFormUrl, request.positionUri ?? 'http://none']) {
        assert.match(each, /^https?:\/\/[^/]/i)
        assert.match(new URL(each).protocol, /^https?:$/)
        assert.ok(each.length <= formUrlLength)
      }
      // Reading is idempotent.
      assert.deepEqual(readPrefillRequest(request, description), request)
    }),
    { numRuns: times(100, 3_000), examples: [[good]] },
  )
  assert.ok(taken > 0, 'some of them are good')
})

test('any JSON throws a problem or nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), body => {
      try {
        readPrefillRequest(body, description)
      } catch (error) {
        assert.ok(error instanceof Problem)
      }
    }),
  )
})
