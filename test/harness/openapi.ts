import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Answer } from './http.ts'
import { parseXml } from './xml.ts'

type Scheme = 'sws' | 'bearer' | 'client'

interface Operation {
  security: Partial<Record<Scheme, unknown>>[]
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

const document = JSON.parse(readFileSync(new URL('../../spec/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>
}

// The document itself is checked once, in test/routes.test.ts.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
formats.default(ajv)
ajv.addSchema(document, 'document')

const routes = Object.entries(document.paths).map(([template, operations]) => {
  const path = template
    .replace(/[.]/g, '\\.')
    // The name of an attachment without an ID is another path, which does not exist.
    .replace(
      /(?<=\/applications\/)\{jobApplicationId\}$/,
      '(?!(?:resume|coverletter|selectioncriteria|screen)$)[^/]+',
    )
    .replace(/\{\w+\}/g, '[^/]+')
  return { template, operations, pattern: new RegExp(`^${path}$`, 'i') }
})

/** Responses of these statuses may come before the caller is asked for a credential. */
const beforeAuthentication = new Set([400, 403, 405, 414, 431, 500, 503])
/** A client may identify itself in the body, which then has to be read first. */
const beforeClientAuthentication = new Set([...beforeAuthentication, 413, 415])

const challenges: Record<Scheme, RegExp> = {
  sws: /^SWS realm=/,
  bearer: /^Bearer realm=/,
  client: /^Basic realm=/,
}

/** Every response of every test: a declared status, a declared type, a valid body, and the common headers. */
export function checkAgainstDocument(method: string, path: string, answer: Answer): void {
  const { status, headers } = answer
  const what = `${method} ${path.slice(0, 200)} -> ${status}`
  assert.match(headers.get('x-request-id') ?? '', /^[A-Za-z0-9._-]{1,64}$/, `${what}: X-Request-Id`)
  assert.equal(headers.get('x-content-type-options'), 'nosniff', `${what}: X-Content-Type-Options`)
  if (status === 429 || status === 503) {
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/, `${what}: Retry-After`)
  }

  const route = routes.find(candidate => candidate.pattern.test(path.split('?', 1)[0] ?? ''))
  const key = method === 'HEAD' ? 'get' : method.toLowerCase()
  const operation = route?.operations[key]
  if (route === undefined || operation === undefined) {
    assert.ok(status >= 400 || isForPeople(answer), `${what}: not in the document`)
    // With the wrong method, in the format of the right one.
    const [other] = Object.entries(route?.operations ?? {})
    if (route !== undefined && other !== undefined && status === 405) {
      checkContent(method, [route.template, other[0]], other[1].responses, answer, what)
    } else if (status >= 400) checkUndeclared(method, what, answer)
    return
  }
  const schemes = operation.security.flatMap(each => Object.keys(each) as Scheme[])
  const [scheme] = schemes
  const isBefore = scheme === 'client' ? beforeClientAuthentication : beforeAuthentication
  if (scheme !== undefined && !isBefore.has(status)) {
    assert.match(headers.get('ratelimit') ?? '', /^"[\w-]+";r=\d+;t=\d+$/, `${what}: RateLimit`)
    assert.match(headers.get('ratelimit-policy') ?? '', /^"[\w-]+";q=\d+;w=60$/, `${what}: RateLimit-Policy`)
  }
  if (scheme !== undefined && status === 401) {
    const challenge = headers.get('www-authenticate') ?? ''
    assert.ok(
      schemes.some(each => challenges[each].test(challenge)),
      `${what}: WWW-Authenticate ${challenge}`,
    )
  }
  checkContent(method, [route.template, key], operation.responses, answer, what)
}

/** Pages, redirects and assets: not part of the interface for programs. */
function isForPeople({ status, headers }: Answer): boolean {
  return (
    status === 303 || /^(text\/html|text\/css|image\/svg\+xml)(;|$)/.test(headers.get('content-type') ?? '')
  )
}

function checkUndeclared(method: string, what: string, answer: Answer): void {
  if (isForPeople(answer)) checkNotStored(what, answer)
  else checkProblem(method, what, answer)
}

/** The response has one of the types that the document declares for its status, and a body to match. */
function checkContent(
  method: string,
  [template, operation]: [template: string, operation: string],
  responses: Operation['responses'],
  answer: Answer,
  what: string,
): void {
  const { status, headers } = answer
  const declared = responses[status]
  assert.ok(declared !== undefined, `${what}: status not declared`)
  if (status >= 400) checkNotStored(what, answer)
  if (status === 303) assert.ok(headers.has('location'), `${what}: Location`)
  if (method === 'HEAD') return
  if (declared.content === undefined) {
    assert.equal(answer.bytes.length, 0, `${what}: a body`)
    return
  }
  const type = headers.get('content-type')?.split(';', 1)[0] ?? ''
  const key = Object.keys(declared.content).find(candidate => candidate === type || candidate === '*/*')
  assert.ok(key !== undefined, `${what}: content type ${type} not declared`)
  if (key.startsWith('application/problem+')) checkProblem(method, what, answer)
  if (key === 'application/json') {
    const pointer = ['paths', template, operation, 'responses', String(status), 'content', key, 'schema']
    assertValid(pointer, answer.json(), what)
  }
  if (key === 'application/xml') parseXml(answer.text)
}

function checkNotStored(what: string, answer: Answer): void {
  assert.equal(answer.headers.get('cache-control'), 'no-store', `${what}: Cache-Control`)
}

function checkProblem(method: string, what: string, answer: Answer): void {
  checkNotStored(what, answer)
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

/** Whether a value is as the schema at this place of the document describes it. */
export function assertValid(pointer: readonly string[], body: unknown, what: string): void {
  const fragment = pointer.map(part => encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1')))
  const ref = `document#/${fragment.join('/')}`
  const validate = validators.get(ref) ?? ajv.compile({ $ref: ref })
  validators.set(ref, validate)
  assert.ok(validate(body), `${what}: ${ajv.errorsText(validate.errors)}`)
}
