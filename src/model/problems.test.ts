import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { test } from 'node:test'
import { Problem } from '../platform/core/problems.ts'
import { BoardProblem, problemCodes, problems } from './problems.ts'

/** The statuses of the contract's table, 408 and 417 of the HTTP layer, 410 of the feed, and nothing else. */
const allowed = new Set([
  400, 401, 403, 404, 405, 406, 408, 409, 410, 413, 414, 415, 416, 417, 422, 429, 431, 500, 503,
])

test('every code is a stable word with a title, a help and a status of the contract, and is in the catalogue', () => {
  const catalogue = readFileSync(new URL('../../spec/problems.md', import.meta.url), 'utf8')
  for (const code of problemCodes) {
    assert.match(code, /^[a-z]+(-[a-z]+)*$/)
    const { title, help, status } = problems[code]
    assert.match(title, /^[A-Z][^.]*$/, code)
    assert.match(help, /\.$/, code)
    assert.ok(allowed.has(status) && STATUS_CODES[status] !== undefined, code)
    assert.ok(
      catalogue.includes(`## ${code}\n\n${status} ${STATUS_CODES[status]}. ${title}.\n\n${help}\n`),
      code,
    )
  }
  assert.equal(catalogue.match(/^## /gm)?.length, problemCodes.length)
})

test('the catalogue lists the problems of platform and board in the order of their statuses', () => {
  const statuses = problemCodes.map(code => problems[code].status)
  assert.deepEqual(
    statuses,
    statuses.toSorted((a, b) => a - b),
  )
  assert.ok(problemCodes.includes('not-found') && problemCodes.includes('admins-only'))
  assert.equal(new Set(problemCodes).size, Object.keys(problems).length)
})

test('a problem describes itself, and without its own detail has the help of the catalogue', () => {
  for (const problem of [new Problem('not-found'), new BoardProblem('admins-only')]) {
    const { title, help, status } = problems[problem.code]
    assert.ok(problem instanceof Problem)
    assert.deepEqual([problem.title, problem.status, problem.detail], [title, status, help])
  }
  assert.equal(new BoardProblem('admins-only', 'Only admins.').detail, 'Only admins.')
})
