import type { RawLine } from '../../apply/import/ports.ts'

const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Cuts a file that comes in pieces into lines, wherever the pieces end. Blank lines are left out, but counted. Of a
 * line that is too long, nothing is kept but its place.
 */
export class LineSplitter {
  readonly #lineBytes: number
  #line = 1
  /** Where the line under way begins, and what is known of it. */
  #start = 0
  #kept: Buffer[] = []
  #keptBytes = 0
  #lastByte: number | undefined
  /** Bytes that have been seen. */
  position = 0

  constructor(lineBytes: number) {
    this.#lineBytes = lineBytes
  }

  /** The lines that end in this piece, which may be used again afterwards. */
  push(chunk: Buffer): RawLine[] {
    const lines: RawLine[] = []
    let from = 0
    for (;;) {
      const end = chunk.indexOf(lineFeed, from)
      if (end < 0) break
      this.#endLine(chunk.subarray(from, end), this.position + end, lines)
      from = end + 1
    }
    // With room for a carriage return and a byte order mark, which do not count.
    if (this.#keptBytes <= this.#lineBytes + 4) {
      this.#kept.push(Buffer.from(chunk.subarray(from)))
      this.#keptBytes += chunk.length - from
    }
    if (from < chunk.length) this.#lastByte = chunk.at(-1)
    this.position += chunk.length
    return lines
  }

  /** The last line, if the file does not end with a line feed. */
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
    // The last byte may belong to what was not kept.
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

/** Spaces and tabs alone. */
function isBlank(content: Buffer): boolean {
  return content.every(byte => byte === 0x20 || byte === 0x09)
}
