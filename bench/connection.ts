import { connect, type Socket } from 'node:net'
import { ResponseReader } from './response-reader.ts'

/** One request, and the response that it requires. */
export interface Step {
  request: Buffer
  status: number
  minBytes: number
  maxBytes: number
  /** The next request; an exchange counts once, after its last step. */
  follow?: Follow
}

/** A request that contains a part of the response before it. Data, so that another process can send it. */
export interface Follow {
  /** Captures the part in the head of the response. */
  find: RegExp
  /** Stands for the part in the request, and is as long. */
  placeholder: string
  step: Step
}

export function followUp({ find, placeholder, step }: Follow, head: string): Step {
  const found = find.exec(head)?.[1]
  if (found?.length !== placeholder.length) throw new Error(`a response that can't be followed:\n${head}`)
  return { ...step, request: Buffer.from(step.request.toString().replace(placeholder, found)) }
}

const mostReadAtOnce = 512 * 1024

/** Reads into one buffer instead of allocating one for each piece that arrives. */
export function openSocket(
  port: number,
  onRead: (length: number, buffer: Buffer) => void,
  readBufferBytes = mostReadAtOnce,
): Socket {
  return connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(readBufferBytes),
      callback: (length, buffer) => {
        onRead(length, buffer as Buffer)
        return true
      },
    },
  })
}

export interface ConnectionEvents {
  /** Called when an exchange is over, with the number of body bytes in its last response. */
  onDone(bytes: number): void
  onError(error: Error): void
}

/**
 * Sends one request at a time. It must cost less than what it measures, so it uses a raw socket and counts bodies without
 * reading them. When the server closes a connection, the next request opens a new one.
 */
export class Connection {
  readonly #port: number
  readonly #events: ConnectionEvents
  readonly #reader: ResponseReader
  readonly #readBufferBytes: number | undefined
  #socket: Socket | undefined
  #step: Step | undefined

  constructor(port: number, events: ConnectionEvents, readBufferBytes?: number) {
    this.#port = port
    this.#readBufferBytes = readBufferBytes
    this.#events = events
    this.#reader = new ResponseReader(bytes => this.#answered(bytes))
  }

  ask(step: Step): void {
    this.#step = step
    this.#socket ??= this.#open()
    this.#socket.write(step.request)
  }

  close(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.destroy()
  }

  #open(): Socket {
    const onRead = (length: number, buffer: Buffer) => {
      try {
        this.#reader.feed(buffer, length)
      } catch (error) {
        this.#fail(error as Error)
      }
    }
    const socket = openSocket(this.#port, onRead, this.#readBufferBytes)
    socket.on('error', error => this.#fail(error))
    socket.on('close', () => {
      if (socket !== this.#socket) return
      this.#socket = undefined
      // Closed between two requests: the next one opens another.
      if (this.#step !== undefined) this.#fail(new Error('the server closed the connection'))
    })
    return socket
  }

  #answered(bytes: number): void {
    const { status, head, isLast } = this.#reader
    const step = this.#step as Step
    const fault = faultOf(step, status, bytes)
    if (fault !== undefined) {
      this.#fail(new Error(`an answer that must not be measured: ${fault}\n${head}`))
      return
    }
    if (isLast) this.close()
    if (step.follow !== undefined) this.ask(followUp(step.follow, head))
    else {
      this.#step = undefined
      this.#events.onDone(bytes)
    }
  }

  #fail(error: Error): void {
    this.#step = undefined
    this.close()
    this.#events.onError(error)
  }
}

function faultOf({ status: wanted, minBytes, maxBytes }: Step, status: number, bytes: number) {
  if (status !== wanted) return `status ${status}`
  return bytes < minBytes || bytes > maxBytes ? `${bytes} bytes, not ${minBytes} to ${maxBytes}` : undefined
}
