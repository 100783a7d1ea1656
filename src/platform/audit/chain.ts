import { createHash } from 'node:crypto'
import type { Actor } from '../core/async/audit-context.ts'
import type { EpochMs } from '../core/clock.ts'

/** The hashed and stored parts of an entry, without the network address. */
export interface ChainedEntry {
  scope: number
  /** Counted from 1 in each chain. */
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
  /** Hash of the previous entry. */
  prev: string
}

/** `prev` of the first entry. */
export const noHash = '0'.repeat(64)

/** Version of the encoding. */
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

/**
 * SHA-256 in hexadecimal of all dropped months, in the order of scopes and numbers, one line each. Each drop records it
 * for all of them: so the last drop vouches for all, even after earlier drops were dropped themselves.
 */
export function hashSeals(
  seals: Iterable<
    Record<'scope' | 'firstNumber' | 'lastNumber', number> & Record<'month' | 'prev' | 'hash', string>
  >,
): string {
  const hash = createHash('sha256')
  for (const { scope, month, firstNumber, lastNumber, prev, hash: last } of seals)
    hash.update(`${scope} ${month} ${firstNumber} ${lastNumber} ${prev} ${last}\n`)
  return hash.digest('hex')
}

/** The first month kept at this time, if this many months are kept. */
export function firstMonth(at: EpochMs, months: number): string {
  const date = new Date(at)
  return monthOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1))
}

/** The segment of a time: its month in UTC, YYYY-MM. */
export const monthOf = (at: EpochMs): string => new Date(at).toISOString().slice(0, 7)
