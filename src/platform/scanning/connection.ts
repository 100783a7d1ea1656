import { stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import type { ClamdAddress } from '../core/addresses/clamd-address.ts'
import type { RandomReader } from '../core/random-reader.ts'
import { reasonOf } from '../core/reason.ts'

/** The result for one file: a reply, or why there is none. */
export type Exchange = { reply: string } | { lost: string }

interface Waits {
  connectMs: number
  /** Maximum time from the first byte to the answer. */
  answerMs: number
  /** Aborts the scan in progress. */
  signal?: AbortSignal
}

const chunkBytes = 65_536
/** Maximum length of a reply: one line with the name of a signature. */
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

/** Reads text up to the first NUL. */
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
      socket.destroy(new Error('its reply is not one of clamd'))
    }
  }
  socket.setEncoding('latin1')
  socket.on('data', listen)
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('it closed the connection without an answer')))
  return promise
}

/** Sends a file for a verdict. Rejects if the file cannot be read, but never because of the scanner. */
export async function instream(address: ClamdAddress, file: RandomReader, waits: Waits): Promise<Exchange> {
  const { socket } = open(address, waits)
  const reply = replyFrom(socket).then(
    text => ({ reply: text }),
    error => ({ lost: reasonOf(error) }),
  )
  try {
    const isWhole = await send(file, socket, reply)
    const exchange = await reply
    // Errors may arrive early, but a verdict before the end is not about this file.
    if (!isWhole && 'reply' in exchange && !exchange.reply.endsWith(' ERROR')) {
      return { lost: 'it answered before it had the whole file' }
    }
    return exchange
  } finally {
    socket.destroy()
  }
}

/** Returns false if clamd stopped reading early. Waits for the socket, so that only one chunk is in memory. */
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

/** The length in four bytes, then the bytes; an empty chunk ends the file. */
function writeChunk(socket: Socket, chunk: Uint8Array): boolean {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(chunk.length)
  socket.cork()
  socket.write(length)
  const isRoomLeft = chunk.length === 0 || socket.write(chunk)
  socket.uncork()
  return isRoomLeft
}

/** A connection that lasts as long as the clamd process. */
export interface HeldSession {
  /** The address of that process, even if its host name now resolves to another. */
  readonly peer: ClamdAddress
  /** The last known state, without a request. */
  readonly isOpen: boolean
  /** Pings clamd: true if it still runs and new connections to its address reach it. No answer in time means false. */
  isAlive(ms: number): Promise<boolean>
  close(): void
}

/** clamd closes a session that is idle for IdleTimeout, by default 30 seconds. */
const pingEveryMs = 10_000
const maxUnanswered = 6

/** Resolves when clamd has answered on the session, which does not keep the process running. */
export async function holdSession(address: ClamdAddress, waits: Waits): Promise<HeldSession> {
  // Read before connecting, so that a replacement in between is noticed later.
  const file = await socketFile(address)
  const { socket, inTime } = open(address, waits)
  let isOpen = true
  // "end" comes first: nothing from a later clamd may be read before it.
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
    throw new Error('it does not answer like clamd')
  }
  const ping = pings(socket)
  keepAlive(socket, ping.send)
  const { remoteAddress: host, remotePort: port } = socket
  return {
    peer: host === undefined || port === undefined ? address : { host, port },
    get isOpen() {
      return isOpen
    },
    async isAlive(ms) {
      // The inode first: it cannot be reused while the process that answers afterwards is running.
      return isOpen && (await socketFile(address)) === file && (await ping.isAnswered(ms)) && isOpen
    },
    close() {
      isOpen = false
      socket.destroy()
    },
  }
}

/** A new socket at the same path has another inode. */
async function socketFile(address: ClamdAddress): Promise<string | undefined> {
  if (!('path' in address)) return undefined
  try {
    const { dev, ino } = await stat(address.path, { bigint: true })
    return `${dev} ${ino}`
  } catch {
    return 'none'
  }
}

/** Requests in a session are numbered, and so are their replies. The first has already been answered. */
function pings(socket: Socket) {
  let sent = 1
  let text = ''
  const waiting = new Map<string, (isAnswered: boolean) => void>()
  socket.on('data', (more: string) => {
    const replies = (text + more).split('\0')
    text = replies.pop() ?? ''
    if (text.length > replyLength) socket.destroy()
    for (const reply of replies) waiting.get(reply)?.(true)
  })
  socket.once('close', () => {
    for (const answer of waiting.values()) answer(false)
  })
  function send(): number {
    socket.write('zPING\0')
    sent += 1
    return sent
  }
  return {
    send,
    async isAnswered(ms: number): Promise<boolean> {
      if (socket.destroyed) return false
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const reply = `${send()}: PONG`
      waiting.set(reply, resolve)
      const timer = setTimeout(() => resolve(false), ms)
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        waiting.delete(reply)
      }
    },
  }
}

function keepAlive(socket: Socket, ping: () => void): void {
  let unanswered = 0
  socket.on('data', () => {
    unanswered = 0
  })
  const timer = setInterval(() => {
    if (unanswered >= maxUnanswered) socket.destroy()
    else ping()
    unanswered += 1
  }, pingEveryMs)
  timer.unref()
  socket.unref()
  socket.once('close', () => clearInterval(timer))
}
