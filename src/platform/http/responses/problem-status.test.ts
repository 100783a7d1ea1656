import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { test } from 'node:test'
import fc from 'fast-check'
import { acceptedText } from '../../../../test/harness/arbitraries.ts'
import { isProblemCode, Problem, type ProblemCode, problems } from '../../core/problems.ts'
import { problemDetails, problemOfFrameworkError } from './problem-response.ts'
import { problemStatus } from './problem-status.ts'

const codes = Object.keys(problems) as ProblemCode[]

/** The statuses of the contract's table, 408 and 417 of the HTTP layer, 410 of the feed, and nothing else. */
const allowed = new Set([
  400, 401, 403, 404, 405, 406, 408, 409, 410, 413, 414, 415, 416, 417, 422, 429, 431, 500, 503,
])

test('every code has a status of the contract, and no status is left without its code', () => {
  assert.deepEqual(Object.keys(problemStatus).toSorted(), codes.toSorted())
  for (const code of codes) {
    assert.ok(allowed.has(problemStatus[code]), code)
    assert.ok(STATUS_CODES[problemStatus[code]] !== undefined)
  }
})

test('every code is a stable word with a title and help, and is in the catalogue', () => {
  const catalogue = readFileSync(new URL('../../../../spec/problems.md', import.meta.url), 'utf8')
  for (const code of codes) {
    assert.match(code, /^[a-z]+(-[a-z]+)*$/)
    const { title, help } = problems[code]
    assert.match(title, /^[A-Z][^.]*$/, code)
    assert.match(help, /\.$/, code)
    assert.ok(catalogue.includes(`## ${code}\n\n${problemStatus[code]} `), code)
  }
  assert.equal(catalogue.match(/^## /gm)?.length, codes.length)
})

test('only the codes of the catalogue are codes', () => {
  assert.ok(codes.every(isProblemCode))
  for (const text of ['', 'toString', '__proto__', 'constructor', 'Not-Found'])
    assert.ok(!isProblemCode(text))
})

test('details contain code, status and request ID, and never the cause', () => {
  fc.assert(
    fc.property(fc.constantFrom(...codes), acceptedText(50, true), (code, detail) => {
      const problem = new Problem(code, detail, { cause: new Error('the secret') })
      const details = problemDetails(problem, 'http://localhost:8080', 'request-1')
      assert.deepEqual(details, {
        type: `http://localhost:8080/problems/${code}`,
        title: problems[code].title,
        status: problemStatus[code],
        detail,
        code,
        requestId: 'request-1',
      })
    }),
    { numRuns: 100 },
  )
})

test('a problem without its own detail has the help of the catalogue', () => {
  assert.equal(new Problem('not-found').detail, problems['not-found'].help)
})

const framework: [error: unknown, code: ProblemCode | undefined][] = [
  [{ code: 'FST_ERR_CTP_BODY_TOO_LARGE', statusCode: 413 }, 'payload-too-large'],
  [{ code: 'FST_ERR_CTP_INVALID_MEDIA_TYPE', statusCode: 415 }, 'unsupported-media-type'],
  [{ code: 'FST_ERR_MAX_PARAM_LENGTH', statusCode: 414 }, 'uri-too-long'],
  [{ code: 'FST_ERR_BAD_URL', statusCode: 400 }, 'bad-request'],
  [{ statusCode: 500 }, undefined],
  [new Error('ours'), undefined],
  ['not even an error', undefined],
]
for (const [error, code] of framework) {
  test(`the framework's ${JSON.stringify(error)} is ${code ?? 'our own fault'}`, () => {
    assert.equal(problemOfFrameworkError(error)?.code, code)
  })
}
