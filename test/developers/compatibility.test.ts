import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readText } from '../harness/repository.ts'
import { type ApiDocument, breakingChanges } from './compatibility.ts'

const released: ApiDocument = JSON.parse(readText('spec/released.json'))
const current: ApiDocument = JSON.parse(readText('spec/openapi.json'))

test('the document that is compared with is that of the last release', () => {
  const [, last] = /^## (\d+\.\d+\.\d+) \(/m.exec(readText('CHANGELOG.md')) ?? []
  assert.equal(released.info.version, last, 'copy spec/openapi.json of the release to spec/released.json')
})

test('within versions 1 and 2 there are only additions since the last release', () => {
  assert.deepEqual(breakingChanges(released, current), [])
})

const list = '/v1/advertiser/applications'
const prefilled = '/v2/applications/prefilled'

/** What a careless change might do, and what it is called. */
const careless: [change: (document: ApiDocument) => void, found: RegExp][] = [
  [({ paths }) => delete paths[list], /^\/v1\/advertiser\/applications get is gone$/],
  [({ paths }) => delete paths[prefilled]?.['post'], /prefilled post is gone$/],
  [({ paths }) => paths[list]?.['get']?.parameters?.pop(), /^GET .* query limit is gone$/],
  [
    ({ paths }) => paths[list]?.['get']?.parameters?.push({ in: 'query', name: 'page', required: true }),
    /query page is required$/,
  ],
  [({ paths }) => delete paths[list]?.['get']?.responses['304'], /^GET .* 304 is gone$/],
  [
    ({ paths }) => delete paths[list]?.['get']?.responses['200']?.headers?.['Link'],
    /^GET .* 200 Link is gone$/,
  ],
  [
    ({ paths }) => delete paths[list]?.['get']?.responses['200']?.content?.['text/xml'],
    /^GET .* 200 text\/xml is gone$/,
  ],
  [
    ({ components: { schemas } }) => delete schemas['JobApplication']?.properties?.['Phone'],
    /JobApplicationsList\[\] Phone is gone$/,
  ],
  [
    ({ components: { schemas } }) => Object.assign(schemas['Attachment']?.properties ?? {}, { Name: {} }),
    /Attachments\[\] Name is new$/,
  ],
  [({ components: { schemas } }) => schemas['Prefill']?.required?.shift(), /may be left out$/],
  [
    ({ paths }) =>
      paths[prefilled]?.['post']?.requestBody?.content['application/json']?.schema?.required?.push(
        'postalCode',
      ),
    /body application\/json postalCode is required$/,
  ],
]

for (const [change, expected] of careless) {
  test(`a change is found: ${expected.source}`, () => {
    const changed = structuredClone(current)
    change(changed)
    assert.ok(
      breakingChanges(current, changed).some(each => expected.test(each)),
      JSON.stringify(breakingChanges(current, changed)),
    )
  })
}

test('additions are not found: an optional parameter, a header, a key of version 2', () => {
  const changed = structuredClone(current)
  const operation = changed.paths[list]?.['get'] ?? assert.fail()
  operation.parameters?.push({ in: 'query', name: 'status' })
  Object.assign(operation.responses['200']?.headers ?? {}, { 'X-New': {} })
  Object.assign(changed.components.schemas['Prefill']?.properties ?? {}, { source: { type: 'string' } })
  assert.deepEqual(breakingChanges(current, changed), [])
})
