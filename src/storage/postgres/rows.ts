import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import pg from 'pg'

/**
 * The driver makes a string of every value, and a page is sent on as the bytes that it was stored as: decoded and
 * encoded again, a page of 100 took as long as everything else that is done for it. So the rows of some statements are
 * taken out of what the server sends before the driver sees them; all else goes to the driver as it comes. The rules
 * of the protocol that this relies on are two: a message is a letter, four bytes of length and its content, and a row
 * is a message `D`.
 */

const letterOfRow = 'D'.charCodeAt(0)
const headBytes = 5
const socketBytes = 65_536
/** What a chunk of a whole list needs; more is got for what needs more. */
const roomBytes = 262_144
const mostSpare = 8

/** Memory for rows is used again: new memory for each page costs more than to fill it. */
const spare: Buffer[] = []

/** Whoever was given rows says when they have been read. Who never says so costs no more than new memory. */
export function giveBack(rows: Buffer): void {
  if (rows.buffer.byteLength === roomBytes && spare.length < mostSpare) spare.push(Buffer.from(rows.buffer))
}

export class RowTaking {
  readonly #toDriver: (bytes: Buffer) => void
  #rows: Buffer | undefined
  #length = 0
  /** The beginning of a message of which not even the length is there yet. */
  #begun: Buffer | undefined
  /** What is to come of the message that is under way, and whether it is a row that is taken. */
  #rest = 0
  #isRow = false

  constructor(toDriver: (bytes: Buffer) => void) {
    this.#toDriver = toDriver
  }

  /** Until `end`, rows are kept here. The statement has the connection to itself. */
  begin(): void {
    this.#rows = spare.pop() ?? Buffer.allocUnsafeSlow(roomBytes)
    this.#length = 0
  }

  /** One behind the other: the number of values, and the length and the bytes of each. */
  end(): Buffer {
    const rows = this.#rows?.subarray(0, this.#length) ?? Buffer.alloc(0)
    this.#rows = undefined
    return rows
  }

  /** Keeps nothing of the chunk itself, whose memory may be used again. */
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
      this.#isRow = this.#rows !== undefined && chunk[at] === letterOfRow
      if (this.#isRow) this.#hand(chunk, forDriver, at)
      this.#rest = chunk.readUInt32BE(at + 1) - (headBytes - 1)
      at += headBytes
    }
    this.#hand(chunk, forDriver, at)
    if (at < chunk.length) this.#begun = Buffer.from(chunk.subarray(at))
  }

  #hand(chunk: Buffer, from: number, to: number): void {
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

/** A connection of the driver whose rows can be taken. */
export class RowClient extends pg.Client {
  readonly rows: RowTaking

  constructor(config: pg.ClientConfig) {
    super(config)
    const driver = new EventEmitter()
    this.rows = new RowTaking(bytes => driver.emit('data', bytes))
    const { connection } = this as unknown as { connection: DriverConnection }
    const attach = connection.attachListeners.bind(connection)
    // Called with what the messages come from: the socket, or what decrypts it.
    connection.attachListeners = stream => {
      attach(driver)
      stream.on('data', (chunk: Buffer) => this.rows.receive(chunk))
    }
  }
}

/** Reads into one piece of memory again and again, where the usual socket takes 64 KiB for each read. */
export function openSocket({ ssl }: { ssl?: unknown } = {}): Socket {
  // What is encrypted is read elsewhere.
  if (ssl) return new Socket()
  const onread = {
    buffer: Buffer.allocUnsafeSlow(socketBytes),
    callback: (length: number, buffer: Uint8Array) => {
      socket.emit('data', Buffer.from(buffer.buffer, buffer.byteOffset, length))
      // To go on reading.
      return true
    },
  }
  const socket = new Socket({ onread })
  return socket
}
