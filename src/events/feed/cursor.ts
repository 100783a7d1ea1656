import { type Stream, streamName } from '../../model/events.ts'

/** A position in a stream: everything up to `number` was handed out. */
export interface Cursor {
  number: number
  /** When the history last changed, for instance after a restored backup; 0: never. */
  restoredAt: number
}

/** A cursor sent by a caller. */
export interface SentCursor extends Cursor {
  text: string
}

const edition = 1
const headBytes = 17

/** Opaque to callers, who only return it: the edition, the number, the history and the stream. */
export function writeCursor(stream: Stream, { number, restoredAt }: Cursor): string {
  const head = Buffer.alloc(headBytes)
  head.writeUInt8(edition)
  head.writeBigUInt64BE(BigInt(number), 1)
  head.writeBigUInt64BE(BigInt(restoredAt), 9)
  return Buffer.concat([head, Buffer.from(streamName(stream))]).toString('base64url')
}

/** Undefined if we did not write it, or wrote it for another stream. */
export function readCursor(stream: Stream, text: string): SentCursor | undefined {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length <= headBytes || bytes.toString('base64url') !== text || bytes[0] !== edition)
    return undefined
  if (bytes.toString('utf8', headBytes) !== streamName(stream)) return undefined
  const cursor = {
    number: Number(bytes.readBigUInt64BE(1)),
    restoredAt: Number(bytes.readBigUInt64BE(9)),
    text,
  }
  // The latest time that a Date can hold is far beyond any number that we write.
  return Math.max(cursor.number, cursor.restoredAt) <= 8_640_000_000_000_000 ? cursor : undefined
}
