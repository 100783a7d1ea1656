import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Kept, rounded } from './findings.ts'
import { markdownOf } from './markdown.ts'

export function readKept(folder: URL): Kept {
  const file = new URL('results.json', folder)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { runs: {} }
}

export function writeKept(kept: Kept, folder: URL): void {
  writeFileSync(new URL('results.md', folder), markdownOf(kept))
  writeFileSync(new URL('results.json', folder), `${inLines(kept)}\n`)
}

/** JSON with one line per entry of a list: a figure that changes is a line that changes. */
function inLines(value: unknown, indent = '\n'): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value, short)
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    return `[${value.map(entry => deeper + JSON.stringify(entry, short)).join()}${indent}]`
  }
  const fields = Object.entries(value).map(
    ([name, field]) => `${deeper}${JSON.stringify(name)}: ${inLines(field, deeper)}`,
  )
  return `{${fields.join()}${indent}}`
}

function short(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? rounded(value) : value
}
