import { connect, type Socket } from 'node:net'
import type { ClamdAddress } from '../core/clamd-address.ts'
import type { RandomReader } from '../core/random-reader.ts'
import { reasonOf } from '../core/reason.ts'

/** What became of one file: an answer, or why there is none. */
export type Exchange = { reply: string } | { lost: string }

interface Waits {
  connectMs: number
  /** For everything from the first byte to the answer. */
  answerMs: number
  /** Ends whatever is under way. */
  signal?: AbortSignal
}

const chunkBytes = 65_536
/** A reply is one line with the name of a signature. */
const replyLength = 4_096

function open(
  address: ClamdAddress,
  { connectMs, answerMs, signal }: Waits,
): { socket: Socket; inTime(): void } {
  const socket = connect({ ...address, ...(signal === undefined ? {} : { signal }) })
  const limit = (ms: number, what: string) =>
    setTimeout(() => socket.destroy(new Error(`${what} within ${ms} ms`)), ms)
  const connecting = limit(connectMs, 'no connection')
  const answering = limit(answerMs, 'no answer')
  const inTime = () => clearTimeout(answering)
  socket.once('connect', () => clearTimeout(connecting))
  socket.once('close', () => {
    clearTimeout(connecting)
    inTime()
  })
  return { socket, inTime }
}

/** The text up to the first NUL. */
function replyFrom(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  const listen = (more: string) => {
    text += more
    const end = text.indexOf('\0')
    if (end >= 0) {
      socket.off('data', listen)
      resolve(text.slice(0, end))
    } else if (text.length > replyLength) {
      socket.destroy(new Error('it sends what is no answer of clamd'))
    }
  }
  socket.setEncoding('latin1')
  socket.on('data', listen)
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('it closed the connection without an answer')))
  return promise
}

/** Sends a file to be judged. Rejects when the file cannot be read, never because of the scanner. */
export async function instream(address: ClamdAddress, file: RandomReader, waits: Waits): Promise<Exchange> {
  const { socket } = open(address, waits)
  const reply = replyFrom(socket).then(
    text => ({ reply: text }),
    error => ({ lost: reasonOf(error) }),
  )
  try {
    const isWhole = await send(file, socket, reply)
    const exchange = await reply
    // Errors may come early. A verdict that does not wait for the end is not about this file.
    if (!isWhole && 'reply' in exchange && !exchange.reply.endsWith(' ERROR')) {
      return { lost: 'it answered before it had the whole file' }
    }
    return exchange
  } finally {
    socket.destroy()
  }
}

/** False when the other end had enough before the end. Waits for the socket, so that one chunk is in memory. */
async function send(file: RandomReader, socket: Socket, reply: Promise<unknown>): Promise<boolean> {
  let isOver = false
  const over = reply.then(() => {
    isOver = true
  })
  socket.write('zINSTREAM\0')
  for (let start = 0; start < file.size; ) {
    const chunk = await file.read(start, Math.min(chunkBytes, file.size - start))
    if (chunk.length === 0) throw new Error(`The file ends at byte ${start} of ${file.size}.`)
    if (isOver) return false
    start += chunk.length
    if (!writeChunk(socket, chunk)) {
      await Promise.race([new Promise(resolve => socket.once('drain', resolve)), over])
    }
  }
  if (isOver) return false
  writeChunk(socket, new Uint8Array(0))
  return true
}

/** The length in four bytes, then the bytes; nothing at all is the end of the file. */
function writeChunk(socket: Socket, chunk: Uint8Array): boolean {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(chunk.length)
  socket.cork()
  socket.write(length)
  const isRoomLeft = chunk.length === 0 || socket.write(chunk)
  socket.uncork()
  return isRoomLeft
}

/** A connection that lasts as long as the process at its other end. */
export interface HeldSession {
  readonly isOpen: boolean
  close(): void
}

/** clamd closes a session on which nothing was asked for IdleTimeout: 30 seconds, if nobody changed it. */
const pingEveryMs = 10_000
/** A ping waits behind scans when clamd has no thread free. */
const mostUnanswered = 6

/** Resolves when clamd has answered on it. It keeps no process alive. */
export async function holdSession(address: ClamdAddress, waits: Waits): Promise<HeldSession> {
  const { socket, inTime } = open(address, waits)
  let isOpen = true
  // "end" comes first: nothing that a next clamd says may be heard before it.
  for (const event of ['end', 'close']) {
    socket.once(event, () => {
      isOpen = false
    })
  }
  socket.write('zIDSESSION\0zPING\0')
  const reply = await replyFrom(socket)
  inTime()
  if (reply !== '1: PONG') {
    socket.destroy()
    throw new Error('it does not answer as clamd does')
  }
  keepAlive(socket)
  return {
    get isOpen() {
      return isOpen
    },
    close() {
      isOpen = false
      socket.destroy()
    },
  }
}

function keepAlive(socket: Socket): void {
  let unanswered = 0
  socket.on('data', () => {
    unanswered = 0
  })
  const timer = setInterval(() => {
    if (unanswered >= mostUnanswered) socket.destroy()
    else socket.write('zPING\0')
    unanswered += 1
  }, pingEveryMs)
  timer.unref()
  socket.unref()
  socket.once('close', () => clearInterval(timer))
}
