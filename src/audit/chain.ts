import { createHash } from 'node:crypto'
import type { Actor } from '../core/async/acting.ts'
import type { EpochMs } from '../core/clock.ts'

/** An entry as it is hashed and stored, without the network address. */
export interface ChainedEntry {
  scope: number
  /** From 1 in each chain. */
  number: number
  at: EpochMs
  actorKind: Actor['kind']
  actorId: string
  proof: string
  action: string
  target: string
  /** JSON. */
  before: string | null
  after: string | null
  requestId: string | null
  /** The hash of the entry before. */
  prev: string
}

/** `prev` of the first entry. */
export const noHash = '0'.repeat(64)

/** Of the encoding: another encoding gets another version. */
const version = 1
const absent = 0xff_ff_ff_ff

/**
 * SHA-256 in hexadecimal of the version (one byte) and the fields in this order, each as its length in bytes (32 bits, big
 * endian) and its UTF-8; numbers are written in decimal, and a missing field has the length 2^32 - 1. So no two entries
 * have the same encoding.
 */
export function hashEntry(entry: ChainedEntry): string {
  const hash = createHash('sha256').update(Uint8Array.of(version))
  for (const field of [
    entry.scope,
    entry.number,
    entry.at,
    entry.actorKind,
    entry.actorId,
    entry.proof,
    entry.action,
    entry.target,
    entry.before,
    entry.after,
    entry.requestId,
    entry.prev,
  ]) {
    const bytes = field === null ? undefined : Buffer.from(String(field))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes?.length ?? absent)
    hash.update(length)
    if (bytes !== undefined) hash.update(bytes)
  }
  return hash.digest('hex')
}

/** The segment of a time: its month in UTC, YYYY-MM. */
export const monthOf = (at: EpochMs): string => new Date(at).toISOString().slice(0, 7)
