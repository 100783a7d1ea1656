import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Answer } from './http.ts'
import { parseXml } from './xml.ts'

interface Operation {
  security: unknown[]
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

const document = JSON.parse(readFileSync(new URL('../../spec/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
formats.default(ajv)
ajv.addSchema(document, 'document')

const routes = Object.entries(document.paths).map(([template, operations]) => ({
  template,
  operations,
  pattern: new RegExp(`^${template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`, 'i'),
}))

/** Answers of these statuses may come before anybody has asked for a credential. */
const beforeAuthentication = new Set([400, 403, 405, 414, 431, 500, 503])

/** Every answer of every test: a declared status, a declared type, a valid body, and the headers of all answers. */
export function checkAgainstDocument(method: string, path: string, answer: Answer): void {
  const { status, headers } = answer
  const what = `${method} ${path.slice(0, 200)} -> ${status}`
  assert.match(headers.get('x-request-id') ?? '', /^[A-Za-z0-9._-]{1,64}$/, `${what}: X-Request-Id`)
  assert.equal(headers.get('x-content-type-options'), 'nosniff', `${what}: X-Content-Type-Options`)

  const route = routes.find(candidate => candidate.pattern.test(path.split('?', 1)[0] ?? ''))
  const operation = route?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()]
  if (route === undefined || operation === undefined) {
    assert.ok(status >= 400, `${what}: not in the document`)
    checkProblem(method, what, answer)
    return
  }
  const declared = operation.responses[status]
  assert.ok(declared !== undefined, `${what}: status not declared`)
  if (operation.security.length > 0 && !beforeAuthentication.has(status)) {
    assert.match(headers.get('ratelimit') ?? '', /^"[\w-]+";r=\d+;t=\d+$/, `${what}: RateLimit`)
    assert.match(headers.get('ratelimit-policy') ?? '', /^"[\w-]+";q=\d+;w=60$/, `${what}: RateLimit-Policy`)
  }
  if (status >= 400) {
    checkProblem(method, what, answer)
    return
  }
  if (declared.content === undefined || method === 'HEAD') return
  const type = headers.get('content-type')?.split(';', 1)[0] ?? ''
  const key = Object.keys(declared.content).find(candidate => candidate === type || candidate === '*/*')
  assert.ok(key !== undefined, `${what}: content type ${type} not declared`)
  if (key === 'application/json') {
    const pointer = ['paths', route.template, 'get', 'responses', String(status), 'content', key, 'schema']
    assertValid(pointer, answer.json(), what)
  }
  if (key === 'application/xml') parseXml(answer.text)
}

function checkProblem(method: string, what: string, answer: Answer): void {
  assert.equal(answer.headers.get('cache-control'), 'no-store', `${what}: Cache-Control`)
  const type = answer.headers.get('content-type')
  if (method === 'HEAD') return
  if (type === 'application/problem+xml; charset=utf-8') {
    assert.equal(parseXml(answer.text).name, 'problem', what)
    return
  }
  assert.equal(type, 'application/problem+json; charset=utf-8', what)
  assertValid(['components', 'schemas', 'Problem'], answer.json(), what)
  assert.equal(answer.json().status, answer.status, what)
  assert.equal(answer.json().requestId, answer.headers.get('x-request-id'), what)
}

const validators = new Map<string, ValidateFunction>()

function assertValid(pointer: string[], body: unknown, what: string): void {
  const fragment = pointer.map(part => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1')))
  const ref = `document#/${fragment.join('/')}`
  const validate = validators.get(ref) ?? ajv.compile({ $ref: ref })
  validators.set(ref, validate)
  assert.ok(validate(body), `${what}: ${ajv.errorsText(validate.errors)}`)
}
