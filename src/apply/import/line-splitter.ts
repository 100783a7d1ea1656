import type { LineRange } from './line-index.ts'

/**
 * Limit: Length of a line of an import, like a JSON body. Not a setting: a resumed import must find its lines in the
 * same order.
 */
export const importLineBytes = 256 * 1024

export interface RawLine extends LineRange {
  /** Undefined if the line exceeds the maximum length. */
  content: Uint8Array | undefined
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Splits a file that arrives in chunks into lines, wherever the chunks end. Empty lines are omitted, but counted. A
 * line that is too long yields only its position.
 */
export class LineSplitter {
  readonly #lineBytes: number
  #line = 1
  /** Start of the current line, and its bytes stored so far. */
  #start = 0
  #kept: Buffer[] = []
  #keptBytes = 0
  #lastByte: number | undefined
  /** Number of bytes read. */
  position = 0

  constructor(lineBytes: number) {
    this.#lineBytes = lineBytes
  }

  /** Returns the lines that end in this chunk. The caller may reuse the chunk afterwards. */
  push(chunk: Buffer): RawLine[] {
    const lines: RawLine[] = []
    let from = 0
    for (;;) {
      const end = chunk.indexOf(lineFeed, from)
      if (end < 0) break
      this.#endLine(chunk.subarray(from, end), this.position + end, lines)
      from = end + 1
    }
    // Leave room for a carriage return and a byte order mark, which do not count.
    if (this.#keptBytes <= this.#lineBytes + 4) {
      this.#kept.push(Buffer.from(chunk.subarray(from)))
      this.#keptBytes += chunk.length - from
    }
    if (from < chunk.length) this.#lastByte = chunk.at(-1)
    this.position += chunk.length
    return lines
  }

  /** Returns the last line, if the file does not end with a line feed. */
  end(): RawLine[] {
    const lines: RawLine[] = []
    this.#endLine(Buffer.alloc(0), this.position, lines)
    return lines
  }

  #endLine(rest: Buffer, end: number, lines: RawLine[]): void {
    const isWhole = this.#start + this.#keptBytes + rest.length === end
    let content = this.#keptBytes === 0 ? Buffer.from(rest) : Buffer.concat([...this.#kept, rest])
    let offset = this.#start
    if (offset === 0 && content.subarray(0, 3).equals(byteOrderMark)) {
      content = content.subarray(3)
      offset = 3
    }
    // The last byte may not have been stored.
    const length = end - offset - ((rest.at(-1) ?? this.#lastByte) === carriageReturn ? 1 : 0)
    content = content.subarray(0, length)
    const isTaken = isWhole && length <= this.#lineBytes
    if (!isTaken || !isBlank(content)) {
      lines.push({ line: this.#line, offset, length, content: isTaken ? content : undefined })
    }
    this.#line += 1
    this.#start = end + 1
    this.#kept = []
    this.#keptBytes = 0
    this.#lastByte = undefined
  }
}

/** Whether the line contains only spaces and tabs. */
function isBlank(content: Buffer): boolean {
  return content.every(byte => byte === 0x20 || byte === 0x09)
}
