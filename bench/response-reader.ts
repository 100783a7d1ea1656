const inHead = 0
const inSizedBody = 1
const inChunkSize = 2
const inChunk = 3
const inLastChunk = 4

const lineFeed = 10
const headEnd = '\r\n\r\n'
const statusesWithoutBody = [204, 304]

/**
 * Finds where HTTP/1.1 responses end, by their Content-Length or their last chunk, and counts the bytes of their bodies.
 * For responses that arrive one at a time on a connection, from our own servers.
 */
export class ResponseReader {
  status = 0
  head = ''
  bodyBytes = 0
  /** Whether the server closes the connection after this response. */
  isLast = false
  #state = inHead
  #left = 0
  #chunkSize = 0
  #isChunked = false
  readonly #onEnd: (bodyBytes: number) => void
  readonly #onBody: ((part: Buffer) => void) | undefined

  constructor(onEnd: (bodyBytes: number) => void, onBody?: (part: Buffer) => void) {
    this.#onEnd = onEnd
    this.#onBody = onBody
  }

  feed(buffer: Buffer, length: number): void {
    let at = 0
    while (at < length) {
      if (this.#state === inHead) at = this.#readHead(buffer, at, length)
      else if (this.#state === inChunkSize) at = this.#readChunkSize(buffer, at, length)
      else at = this.#skip(buffer, at, length)
    }
  }

  #readHead(buffer: Buffer, at: number, length: number): number {
    const before = this.head.length
    // A head is some hundred bytes, and nearly always arrives in one piece.
    this.head += buffer.toString('latin1', at, Math.min(length, at + 4096))
    const end = this.head.indexOf(headEnd, Math.max(0, before - headEnd.length))
    if (end === -1) return Math.min(length, at + 4096)
    this.head = this.head.slice(0, end + 2)
    this.status = Number(this.head.slice(9, 12))
    this.bodyBytes = 0
    this.isLast = /\r\nconnection: *close/i.test(this.head)
    const size = statusesWithoutBody.includes(this.status)
      ? '0'
      : /\r\ncontent-length: *(\d+)/i.exec(this.head)?.[1]
    this.#isChunked = size === undefined
    if (this.#isChunked && !/\r\ntransfer-encoding: *chunked/i.test(this.head)) {
      throw new Error(`an answer without an end:\n${this.head}`)
    }
    this.#left = Number(size ?? 0)
    this.#state = this.#isChunked ? inChunkSize : inSizedBody
    if (!this.#isChunked && this.#left === 0) this.#end()
    return at + end + headEnd.length - before
  }

  #readChunkSize(buffer: Buffer, from: number, length: number): number {
    for (let at = from; at < length; at++) {
      const byte = buffer[at] as number
      if (byte === lineFeed) {
        // Two bytes of line end follow the data of each chunk, and the empty last one.
        this.#left = this.#chunkSize + 2
        this.#state = this.#chunkSize === 0 ? inLastChunk : inChunk
        return at + 1
      }
      const digit = hexDigit(byte)
      if (digit !== -1) this.#chunkSize = this.#chunkSize * 16 + digit
    }
    return length
  }

  #skip(buffer: Buffer, at: number, length: number): number {
    const bytes = Math.min(this.#left, length - at)
    const lineEnd = this.#isChunked ? 2 : 0
    const content = Math.min(bytes, Math.max(0, this.#left - lineEnd))
    this.#left -= bytes
    this.bodyBytes += content
    if (content > 0) this.#onBody?.(buffer.subarray(at, at + content))
    if (this.#left === 0) {
      this.#chunkSize = 0
      if (this.#state === inChunk) this.#state = inChunkSize
      else this.#end()
    }
    return at + bytes
  }

  #end(): void {
    this.#state = inHead
    const { bodyBytes } = this
    this.#onEnd(bodyBytes)
    this.head = ''
  }
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const lower = byte | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}
