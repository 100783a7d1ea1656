import { sha256Hex } from './hashing.ts'

/** A file part as it was sent, whatever became of it. */
export interface SentPart {
  part: string
  fileName: string
  sha256: string
}

/**
 * What two requests with one Idempotency-Key are compared by. A retry has another boundary, and may write the same
 * JSON in another way; the bytes and the names of the files have to be the same.
 */
export function contentHash(application: unknown, parts: readonly SentPart[]): string {
  const files = parts
    .map(({ part, fileName, sha256 }) => [part, fileName, sha256])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
  return sha256Hex(JSON.stringify([inOneOrder(application), files]))
}

/** Objects with their keys in one order; everything else as it is. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, part]) => [key, inOneOrder(part)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
