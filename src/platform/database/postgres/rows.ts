import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import pg from 'pg'

/**
 * Takes the rows of some statements out of the server's response before the driver sees them; everything else goes to
 * the driver unchanged. The driver makes a string of every value, but a page is sent as the bytes that were stored:
 * decoding and encoding a page of 100 took as long as all its other work. This relies on two rules of the protocol: a
 * message is a letter, four bytes of length and its content, and a row is a message `D`.
 */

const rowLetter = 'D'.charCodeAt(0)
const headBytes = 5
const socketBytes = 65_536
/** Enough for one chunk of a whole list; larger results allocate more. */
const bufferBytes = 262_144
const maxSpare = 8

/** Buffers are reused, because allocating one per page costs more than filling it. */
const spare: Buffer[] = []

/** Call once the rows have been read. A buffer that is never passed here is simply garbage. */
export function reuse(rows: Buffer): void {
  if (rows.buffer.byteLength === bufferBytes && spare.length < maxSpare) spare.push(Buffer.from(rows.buffer))
}

export class RowTaking {
  readonly #toDriver: (bytes: Buffer) => void
  #rows: Buffer | undefined
  #length = 0
  /** The start of a message whose length has not fully arrived. */
  #begun: Buffer | undefined
  /** Remaining bytes of the current message, and whether it is a row to keep. */
  #rest = 0
  #isRow = false

  constructor(toDriver: (bytes: Buffer) => void) {
    this.#toDriver = toDriver
  }

  /** Keeps rows until `end`. No other statement uses the connection meanwhile. */
  begin(): void {
    this.#rows = spare.pop() ?? Buffer.allocUnsafeSlow(bufferBytes)
    this.#length = 0
  }

  /** The rows in sequence: the number of values, then length and bytes of each. */
  end(): Buffer {
    const rows = this.#rows?.subarray(0, this.#length) ?? Buffer.alloc(0)
    this.#rows = undefined
    return rows
  }

  /** Copies the needed bytes, because the memory of the chunk may be reused. */
  receive(received: Buffer): void {
    const chunk = this.#begun === undefined ? received : Buffer.concat([this.#begun, received])
    this.#begun = undefined
    let at = 0
    let forDriver = 0
    for (;;) {
      const end = Math.min(chunk.length, at + this.#rest)
      if (this.#isRow) {
        this.#keep(chunk, at, end)
        forDriver = end
      }
      this.#rest -= end - at
      at = end
      if (chunk.length - at < headBytes) break
      this.#isRow = this.#rows !== undefined && chunk[at] === rowLetter
      if (this.#isRow) this.#pass(chunk, forDriver, at)
      this.#rest = chunk.readUInt32BE(at + 1) - (headBytes - 1)
      at += headBytes
    }
    this.#pass(chunk, forDriver, at)
    if (at < chunk.length) this.#begun = Buffer.from(chunk.subarray(at))
  }

  #pass(chunk: Buffer, from: number, to: number): void {
    if (to > from) this.#toDriver(Buffer.from(chunk.subarray(from, to)))
  }

  #keep(chunk: Buffer, from: number, to: number): void {
    if (this.#rows === undefined) return
    const length = this.#length + to - from
    if (length > this.#rows.length) {
      const larger = Buffer.allocUnsafeSlow(length * 2)
      this.#rows.copy(larger, 0, 0, this.#length)
      this.#rows = larger
    }
    chunk.copy(this.#rows, this.#length, from, to)
    this.#length = length
  }
}

interface DriverConnection {
  attachListeners(stream: EventEmitter): void
}

/** A driver connection whose rows can be taken out. */
export class RowClient extends pg.Client {
  readonly rows: RowTaking

  constructor(config: pg.ClientConfig) {
    super(config)
    const driver = new EventEmitter()
    this.rows = new RowTaking(bytes => driver.emit('data', bytes))
    const { connection } = this as unknown as { connection: DriverConnection }
    const attach = connection.attachListeners.bind(connection)
    // Called with the source of the messages: the socket, or its TLS layer.
    connection.attachListeners = stream => {
      attach(driver)
      stream.on('data', (chunk: Buffer) => this.rows.receive(chunk))
    }
  }
}

/** Reads into one buffer; an ordinary socket allocates 64 KiB per read. */
export function openSocket({ ssl }: { ssl?: unknown } = {}): Socket {
  // The TLS layer reads encrypted data with its own buffers.
  if (ssl) return new Socket()
  const onread = {
    buffer: Buffer.allocUnsafeSlow(socketBytes),
    callback: (length: number, buffer: Uint8Array) => {
      socket.emit('data', Buffer.from(buffer.buffer, buffer.byteOffset, length))
      // True continues reading.
      return true
    },
  }
  const socket = new Socket({ onread })
  return socket
}
