import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const spec = new URL('../../spec/', import.meta.url)
const isUpdate = process.env['UPDATE_GOLDEN'] === '1'
const written = new Set<string>()

/**
 * Compares with a committed file under spec/, byte for byte. With UPDATE_GOLDEN=1 the first call writes the file and
 * the second (the other database) is compared with it, so the two cannot differ.
 */
export function assertGolden(path: string, actual: string): void {
  const file = new URL(path, spec)
  if (isUpdate && !written.has(path)) {
    mkdirSync(dirname(file.pathname), { recursive: true })
    writeFileSync(file, actual)
    written.add(path)
  }
  assert.equal(actual, readGolden(file), `spec/${path} differs; if that is meant: UPDATE_GOLDEN=1 npm test`)
}

function readGolden(file: URL): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
