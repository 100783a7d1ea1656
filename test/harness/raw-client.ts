import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawHead {
  status: number
  headers: Headers
}

export interface RawRest {
  body: string
  /** Did the bytes contain the chunk of length 0, with which a complete response ends? */
  isWhole: boolean
}

/** A caller that reads only when asked to: the server has to keep the bytes it has not taken yet. */
export class RawClient {
  readonly socket: Socket
  /** Bytes read and not yet handed out. */
  #chunks: Buffer[] = []
  readonly #ended: Promise<unknown>

  private constructor(socket: Socket) {
    this.socket = socket
    // Some tests expect the server to cut the connection; the bytes show the rest.
    socket.on('error', () => {})
    this.#ended = once(socket, 'close')
  }

  static async connect(port: number, host = '127.0.0.1'): Promise<RawClient> {
    const socket = connect({ port, host })
    await once(socket, 'connect')
    return new RawClient(socket)
  }

  send(path: string, headers: Record<string, string> = {}): void {
    const lines = Object.entries({ Host: `127.0.0.1:${this.socket.remotePort}`, ...headers })
    this.socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([n, v]) => `${n}: ${v}\r\n`).join('')}\r\n`)
  }

  /** Reads until the head is complete, and not one read further. */
  async head(): Promise<RawHead> {
    for (;;) {
      const received = Buffer.concat(this.#chunks)
      const end = received.indexOf('\r\n\r\n')
      if (end !== -1) {
        const [start = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n')
        this.#chunks = [received.subarray(end + 4)]
        const headers = lines.map((line): [string, string] => {
          const colon = line.indexOf(':')
          return [line.slice(0, colon), line.slice(colon + 1).trim()]
        })
        return { status: Number(start.split(' ')[1]), headers: new Headers(headers) }
      }
      if (!(await this.#readOnce())) throw new Error(`no head, only: ${received}`)
    }
  }

  /** Reads until the connection ends; the response's body must be chunked. */
  async rest(): Promise<RawRest> {
    while (await this.#readOnce());
    return dechunk(Buffer.concat(this.#chunks))
  }

  /** The same for a body that is not chunked. */
  async plainRest(): Promise<string> {
    while (await this.#readOnce());
    return Buffer.concat(this.#chunks).toString('utf8')
  }

  leave(): void {
    this.socket.destroy()
  }

  /** False when the connection has ended. */
  async #readOnce(): Promise<boolean> {
    const chunk: Buffer | null = this.socket.read()
    if (chunk !== null) {
      this.#chunks.push(chunk)
      return true
    }
    if (this.socket.readableEnded || this.socket.destroyed) return false
    await Promise.race([once(this.socket, 'readable'), this.#ended])
    return true
  }
}

function dechunk(bytes: Buffer): RawRest {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = lineEnd === -1 ? Number.NaN : Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const isCut = Number.isNaN(size) || lineEnd + 2 + size + 2 > bytes.length
    if (isCut || size === 0) return { body: Buffer.concat(parts).toString('utf8'), isWhole: !isCut }
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
