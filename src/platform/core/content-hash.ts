import { sha256Hex } from './hashing.ts'

/** A file part as sent, before any processing. */
export interface SentPart {
  part: string
  fileName: string
  sha256: string
}

/**
 * A hash to compare two requests with the same Idempotency-Key. A retry has another multipart boundary and may order
 * its JSON differently; names and bytes of the files must be equal.
 */
export function contentHash(application: unknown, parts: readonly SentPart[]): string {
  const files = parts
    .map(({ part, fileName, sha256 }) => [part, fileName, sha256])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  return sha256Hex(JSON.stringify([sortKeys(application), files]))
}

/** Sorts the keys of all objects. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, part]) => [key, sortKeys(part)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
