import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { readText, root } from '../harness/repository.ts'
import { findTests } from '../harness/test-files.ts'

const page = readText('docs/promises.md')
const [promises = '', notPromised = ''] = page.split('## What we do not promise')
const rows = promises.split('\n').filter(line => /^\| (?!promise \|)/.test(line))
const proof = /\[[^\]]+\]\(([^)]+\.test\.ts)\): "([^"]+)"/g

test('each promise names a test that exists and that the runs find', () => {
  assert.ok(rows.length > 25)
  const found = new Set(findTests(root, ['src', 'test']).map(({ path }) => path))
  const wrong = rows.flatMap(row => {
    const proofs = [...row.matchAll(proof)]
    if (proofs.length === 0) return [`${row}: no test`]
    return proofs.flatMap(([, link = '', title = '']) => {
      const path = posix.join('docs', link)
      const isNamed = found.has(path) && titlesIn(path).some(each => each.includes(title))
      return isNamed ? [] : [`${path}: "${title}"`]
    })
  })
  assert.deepEqual(wrong, [])
})

test('the page says what is not promised', () => {
  assert.ok((notPromised.match(/^- /gm) ?? []).length > 4)
})

/** The titles of tests and of suites, whatever function declares them. */
function titlesIn(path: string): string[] {
  return [...readText(path).matchAll(/^\s*\w+\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm)].map(
    ([, , title = '']) => title,
  )
}
