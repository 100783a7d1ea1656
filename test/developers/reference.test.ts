import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { DocsAddresses } from '../../src/site/docs/addresses.ts'
import { requestCode } from '../../src/site/docs/assets/request-code.mjs'
import { loadHighlight } from '../../src/site/docs/code/highlight-markup.ts'
import { callMarkup } from '../../src/site/docs/reference/call-markup.ts'
import { demoCredentials, requestExamples } from '../../src/site/docs/reference/examples.ts'
import {
  type Call,
  callsOf,
  type OpenApiDocument,
  type Schema,
} from '../../src/site/docs/reference/openapi.ts'
import { callPath, overviewMarkup, schemasMarkup } from '../../src/site/docs/reference/overview-markup.ts'
import { exampleRequest } from '../../src/site/docs/reference/request-markup.ts'
import { doorOf, requestToken, tokenOf } from '../harness/oauth.ts'
import { onOneEngine } from '../harness/service.ts'
import { agentToken, removalLast } from './reference-calls.ts'

const document: OpenApiDocument = JSON.parse(
  readFileSync(new URL('../../spec/openapi.json', import.meta.url), 'utf8'),
)
const calls = callsOf(document)
const here = { baseUrl: 'http://localhost:8080', authUrl: 'http://localhost:8080', isDemo: true }
const style = { highlight: await loadHighlight(), language: 'curl' } as const
const schemas = schemasMarkup(document).text

const plain = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39|#x27);/g, entity => {
    return (
      { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&#x27;': "'" }[entity] ?? ''
    )
  })
const keysIn = (markup: string) =>
  [...markup.matchAll(/<code class="key">(.*?)<\/code>/g)].map(([, key = '']) => plain(key))

/** Every key that a value of this shape may have, in the order of the document. */
function keysOf(schema: Schema): string[] {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return keysOf(document.components.schemas[name] ?? assert.fail(name))
  }
  return [
    ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap(keysOf),
    ...(schema.items === undefined ? [] : keysOf(schema.items)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [name, ...keysOf(property)]),
    ...(typeof schema.additionalProperties === 'object' ? keysOf(schema.additionalProperties) : []),
  ]
}

const contentKeys = (content: Call['responses'][string]['content'] = {}) =>
  Object.entries(content).flatMap(([type, { schema }]) => [type, ...keysOf(schema)])

function pageOf(call: Call, addresses: DocsAddresses = here): string {
  return callMarkup({ document, call, addresses, style, response: undefined }).text
}

const called = (name: string) => calls.find(({ operationId }) => operationId === name) ?? assert.fail(name)
const textOf = (markup: string) => plain(markup.replace(/<[^>]*>/g, ''))

test("the overview links to the page of every call, and so do the calls' former addresses", () => {
  const overview = overviewMarkup(document).text
  for (const call of calls) {
    assert.ok(overview.includes(`<li id="${call.operationId}" data-moved><a href="${callPath(call)}">`))
  }
  for (const name of Object.keys(document.components.schemas)) {
    assert.ok(
      overview.includes(`id="schema-${name}" data-moved><a href="/docs/reference/schemas#schema-${name}"`),
    )
  }
})

test('every call is there with its body, its responses and every key of both', () => {
  for (const call of calls) {
    const expected = [
      ...contentKeys(call.requestBody?.content),
      ...Object.entries(call.responses).flatMap(([status, { headers = {}, content }]) =>
        Number(status) < 400 ? [status, ...Object.keys(headers), ...contentKeys(content)] : [status],
      ),
    ]
    const section = pageOf(call)
    assert.deepEqual(keysIn(section), expected, call.operationId)
    assert.ok(section.includes(`<code>${call.path}</code>`), call.path)
    for (const { description } of Object.values(call.responses)) {
      for (const word of description.split(/[`\s]+/)) {
        assert.ok(textOf(section).includes(word), `${call.operationId}: ${word}`)
      }
    }
  }
})

test('every parameter is there, with a field where the call can be tried', () => {
  for (const call of calls) {
    const section = pageOf(call)
    for (const { name, in: place } of call.parameters ?? []) {
      assert.ok(section.includes(`<dt><code>${name}</code>`), `${call.operationId}: ${name}`)
      const hasField = section.includes(`data-${place}="${name}"`)
      assert.equal(hasField, call.operationId !== 'authorize', `${call.operationId}: ${name}`)
    }
  }
})

test('every schema is there with every key, and every link to one leads to it', () => {
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const start = schemas.indexOf(`<h2 id="schema-${name}">`)
    const section = schemas.slice(start, schemas.indexOf('</section>', start))
    assert.deepEqual(keysIn(section), keysOf(schema), name)
  }
  for (const page of [schemas, ...calls.map(call => pageOf(call))]) {
    for (const [, name] of page.matchAll(/href="\/docs\/reference\/schemas#schema-(\w+)"/g)) {
      assert.ok(schemas.includes(`id="schema-${name}"`), name)
    }
  }
})

test('enumerations, alternatives and nullable fields are listed', () => {
  const prefill = schemas.slice(schemas.indexOf('<h2 id="schema-Prefill">'))
  assert.match(prefill, /<code class="key">phoneNumber<\/code> <span class="quiet">string or null, required/)
  assert.match(prefill, /<code class="key">skills<\/code> <span class="quiet">list of string/)
  const attachment = schemas.slice(schemas.indexOf('<h2 id="schema-Attachment">'))
  assert.match(attachment, /<code>resume<\/code> or <code>coverLetter<\/code>/)
})

test('tokens of another origin are requested by the code alone', () => {
  const elsewhere = { ...here, authUrl: 'https://sign-in.example.com' }
  const page = pageOf(called('token'), elsewhere)
  assert.match(textOf(page), /curl https:\/\/sign-in\.example\.com\/api\/iam\/oauth2\/token/)
  assert.doesNotMatch(page, /data-call="token"/)
  assert.match(pageOf(called('listApplications'), elsewhere), /data-call="listApplications"/)
  assert.doesNotMatch(pageOf(called('createJobAd'), elsewhere), /data-call="token"/)
})

test('endpoints for the client itself have a form that gets its token', () => {
  assert.match(pageOf(called('createJobAd')), /data-call="token".*value="w_applications"/s)
  assert.match(pageOf(called('complete')), /data-call="token"/)
  assert.match(pageOf(called('createWebhook')), /data-call="token".*value="demo-ats".*value="m_webhooks"/s)
  for (const name of ['prefill', 'listApplications'])
    assert.doesNotMatch(pageOf(called(name)), /data-call="token"/)
})

test('a real service shows no credential of the demo', () => {
  for (const call of calls) {
    assert.doesNotMatch(pageOf(call, { ...here, isDemo: false }), /sws_demo|demo-(board|ats)-secret/)
  }
  assert.match(textOf(pageOf(called('listApplications'), { ...here, isDemo: false })), /SWS <credential>/)
})

test('the examples have every required parameter, and bodies as the document describes them', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  ajv.addSchema(document, 'document')
  for (const { operationId, parameters = [], requestBody } of calls) {
    const { parameters: values = {}, json, form, parts } = requestExamples[operationId] ?? {}
    for (const { name, required } of parameters)
      assert.ok(!required || values[name] !== undefined, operationId)
    for (const name of Object.keys(values)) {
      assert.ok(
        parameters.some(parameter => parameter.name === name),
        `${operationId}: ${name}`,
      )
    }
    const [content] = Object.values(requestBody?.content ?? {})
    if (content === undefined) continue
    const body = json ?? form ?? (parts && { application: parts.application })
    const schema = { ...content.schema, components: document.components }
    assert.ok(ajv.validate(schema, body), `${operationId}: ${ajv.errorsText()}`)
  }
})

/** These need what only a candidate or a call before can give: the recorded responses and the Bruno collection have them. */
const ofOthers = new Set(['authorize', 'prefill', 'resume-v2', 'complete', 'cancelReplay', 'answerFile'])
/** With the client's own token. */
const ofClients = new Set(['followClientEvents', 'reportPrefillProgress'])
/** Closing comes before opening, so that the next test finds the world as it was. */
const successes: Record<string, number> = {
  createJobAd: 201,
  createScreen: 201,
  'intake-application': 201,
  createWebhook: 201,
  removeWebhook: 204,
}

onOneEngine('the commands of the reference', service => {
  test('each does what it says against the demo', async () => {
    const { baseUrl } = service()
    const board = { id: 'demo-board', secret: 'demo-board-secret' }
    const fields = { grant_type: 'client_credentials', scope: 'w_applications' }
    const token = tokenOf(await requestToken(doorOf(service()), fields, { client: board }))
    const ofClient = tokenOf(await requestToken(doorOf(service()), { grant_type: 'client_credentials' }))
    const ofAgent = await agentToken(service())
    const tokenFor = ({ operationId, tags }: Call) =>
      tags.includes('Webhooks') ? ofAgent : ofClients.has(operationId) ? ofClient : token
    const tried = removalLast(calls).filter(({ operationId }) => !ofOthers.has(operationId))
    const script = tried.map(call => {
      const { parts, ...example } = requestExamples[call.operationId] ?? {}
      const sent = parts === undefined ? example : { ...example, parts: { ...parts, files: {} } }
      return `${requestCode('curl', exampleRequest(call, baseUrl, sent, { ...demoCredentials, bearer: { token: tokenFor(call) } }))} -s -o /dev/null -w '${call.operationId} %{http_code}\\n'`
    })
    const { stdout } = await promisify(execFile)('sh', ['-c', script.join('\n')])
    assert.deepEqual(
      stdout.trim().split('\n'),
      tried.map(({ operationId }) => `${operationId} ${successes[operationId] ?? 200}`),
    )
  })
})
