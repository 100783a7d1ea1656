import { connect, type Socket } from 'node:net'
import { cpuSeconds } from './process-figures.ts'
import { ResponseReader } from './response-reader.ts'

/** One request, and how its answer must look to count. */
export interface Step {
  request: Buffer
  status: number
  minBytes: number
  maxBytes: number
  /** What follows from the head of the answer; an exchange counts once, when its last step is answered. */
  follow?(head: string): Step
}

/** What to ask, again and again. */
export interface Target {
  port: number
  next(): Step
}

export interface LoadResult {
  requests: number
  bytes: number
  seconds: number
  /** Share of the time in which this process was on a core: near 1 means that the client is the limit. */
  clientBusy: number
  /** CPU seconds of each process that was watched; null where that cannot be known. */
  cpuSeconds: (number | null)[]
}

export interface LoadOptions {
  connections: number
  warmUpMs: number
  measureMs: number
  /** Processes whose CPU time is wanted. */
  watch: readonly number[]
}

export type Load = (options: LoadOptions) => Promise<LoadResult>

export function getRequest(path: string, headers: Record<string, string> = {}): Buffer {
  return Buffer.from(head('GET', path, headers))
}

export function postRequest(path: string, body: string | Buffer, headers: Record<string, string>): Buffer {
  const length = { 'Content-Length': String(Buffer.byteLength(body)) }
  return Buffer.concat([Buffer.from(head('POST', path, { ...headers, ...length })), Buffer.from(body)])
}

function head(method: string, path: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}\r\n`
}

/** Each request sent is drawn at random from these, which were written before the clock started. */
export function drawnFrom(
  port: number,
  requests: readonly Buffer[],
  size: { minBytes: number; maxBytes: number },
): Target {
  const steps = requests.map(request => ({ request, status: 200, ...size }))
  return { port, next: () => steps[Math.floor(Math.random() * steps.length)] as Step }
}

const readBufferBytes = 512 * 1024

/**
 * Keeps every connection busy with one request at a time. It must cost less than what it measures: raw
 * sockets that read into one buffer each, bodies that are counted and never looked at.
 */
export function asking(target: Target): Load {
  return options =>
    measureWork(run => Array.from({ length: options.connections }, () => keepAsking(target, run)), options)
}

/** Tells the users when to end, and is told by them what they got done. */
export interface Run {
  isRunning(): boolean
  onDone(bytes: number): void
}

/** What some users get done at once, by whatever means. */
export async function measureWork(
  start: (run: Run) => Promise<void>[],
  options: LoadOptions,
): Promise<LoadResult> {
  const total = { requests: 0, bytes: 0 }
  let isRunning = true
  const users = start({
    isRunning: () => isRunning,
    onDone: bytes => {
      total.requests++
      total.bytes += bytes
    },
  })
  // A user who fails ends the round at once; one who is done waits for the others.
  const everybody = Promise.all(users)
  const result = (async () => {
    await pause(options.warmUpMs)
    const before = { ...total }
    const watchedBefore = options.watch.map(cpuSeconds)
    const cpuBefore = process.cpuUsage()
    const startedAt = performance.now()
    await pause(options.measureMs)
    const ms = performance.now() - startedAt
    const cpu = process.cpuUsage(cpuBefore)
    return {
      requests: total.requests - before.requests,
      bytes: total.bytes - before.bytes,
      seconds: ms / 1000,
      clientBusy: (cpu.user + cpu.system) / 1000 / ms,
      cpuSeconds: options.watch.map((pid, index) => difference(cpuSeconds(pid), watchedBefore[index])),
    }
  })()
  try {
    return await Promise.race([result, everybody.then(() => result)])
  } finally {
    isRunning = false
    await everybody
  }
}

function difference(after: number | null, before: number | null | undefined): number | null {
  return after === null || before === null || before === undefined ? null : after - before
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

function keepAsking(target: Target, run: Run): Promise<void> {
  return new Promise((resolve, reject) => {
    let step: Step
    const reader = new ResponseReader(bytes => {
      const { status, minBytes, maxBytes } = step
      if (reader.status !== status) return fail(`status ${reader.status}`)
      if (bytes < minBytes || bytes > maxBytes) return fail(`${bytes} bytes, not ${minBytes} to ${maxBytes}`)
      if (step.follow !== undefined) return ask(step.follow(reader.head))
      run.onDone(bytes)
      if (run.isRunning()) ask(target.next())
      else {
        resolve()
        socket.destroy()
      }
    })
    const socket = openSocket(target.port, (length, buffer) => {
      try {
        reader.feed(buffer, length)
      } catch (error) {
        reject(error)
        socket.destroy()
      }
    })
    const ask = (next: Step) => {
      step = next
      socket.write(next.request)
    }
    const fail = (what: string) => {
      reject(new Error(`an answer that must not be measured: ${what}\n${reader.head}`))
      socket.destroy()
    }
    socket.on('connect', () => ask(target.next()))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection')))
  })
}

/** Reads into a buffer of its own instead of allocating one for each piece that arrives. */
function openSocket(port: number, onRead: (length: number, buffer: Buffer) => void): Socket {
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

export interface OneAnswer {
  status: number
  bytes: number
  /** From the first move to connect until the first byte of the body. */
  firstByteMs: number
  totalMs: number
  head: string
  body: Buffer
}

export interface AskOptions {
  keepBody?: boolean
  /** How long not to read after the first byte. */
  stallMs?: number
  /** To hang up as soon as something of the body is there. */
  isBeginningEnough?: boolean
}

/** One request on a connection of its own. The body is kept only when asked for. */
export function askOnce(port: number, request: Buffer, options: AskOptions = {}): Promise<OneAnswer> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const parts: Buffer[] = []
    let firstByteMs = 0
    const finish = (bytes: number) => {
      const totalMs = performance.now() - startedAt
      const { status, head } = reader
      resolve({ status, head, bytes, firstByteMs, totalMs, body: Buffer.concat(parts) })
      socket.destroy()
    }
    const onBody = (part: Buffer) => {
      if (options.keepBody === true) parts.push(Buffer.from(part))
      if (firstByteMs !== 0) return
      firstByteMs = performance.now() - startedAt
      if (options.isBeginningEnough === true) finish(part.length)
      if (options.stallMs !== undefined) {
        socket.pause()
        setTimeout(() => socket.resume(), options.stallMs)
      }
    }
    const reader = new ResponseReader(finish, onBody)
    const socket = openSocket(port, (length, buffer) => {
      try {
        reader.feed(buffer, length)
      } catch (error) {
        reject(error)
      }
    })
    socket.on('connect', () => socket.write(request))
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed the connection')))
  })
}
