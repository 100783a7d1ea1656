import assert from 'node:assert/strict'
import { test } from 'node:test'
import { servicePackages } from '../../scripts/licences.ts'

/** Licences that ask for a notice at most. A package with another one needs a decision. */
const permissive = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'OFL-1.1',
  '(MIT AND Zlib)',
  '(MIT OR GPL-3.0-or-later)',
])

test('every package that the service runs with has a permissive licence', () => {
  const packages = servicePackages()
  assert.ok(packages.length > 50)
  assert.deepEqual(
    packages.filter(({ licence }) => !permissive.has(licence)),
    [],
  )
})
