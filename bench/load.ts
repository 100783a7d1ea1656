import { Connection, openSocket, type Step } from './connection.ts'
import { cpuSeconds } from './process-figures.ts'
import { ResponseReader } from './response-reader.ts'

/** The requests to repeat. */
export interface Target<S extends Step = Step> {
  port: number
  next(): S
}

export interface LoadResult {
  requests: number
  bytes: number
  seconds: number
  /** Share of the time that this process was on a core: near 1 means that the client is the limit. */
  clientBusy: number
  /** CPU seconds of each watched process; null if unknown. */
  cpuSeconds: (number | null)[]
}

export interface LoadOptions {
  connections: number
  warmUpMs: number
  measureMs: number
  /** Processes whose CPU time is measured. */
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

/** Each request is drawn at random from these, which were written before the clock started. */
export function drawnFrom(
  port: number,
  requests: readonly Buffer[],
  size: { minBytes: number; maxBytes: number },
): Target {
  const steps = requests.map((request): Step => ({ request, status: 200, ...size }))
  return { port, next: () => anyOf(steps) }
}

export function anyOf<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)] as T
}

/** Keeps every connection busy with one request at a time. */
export function asking(target: Target): Load {
  return options =>
    measureWork(run => Array.from({ length: options.connections }, () => keepAsking(target, run)), options)
}

/** Signals the users when to end, and collects their results. */
export interface Run {
  isRunning(): boolean
  onDone(bytes: number): void
}

/** Runs some users in parallel and counts what they complete. */
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
  // A user that fails ends the round at once; one that has finished waits for the others.
  const everybody = Promise.all(users)
  const result = (async () => {
    await pause(options.warmUpMs)
    const before = { ...total }
    const stop = startWatch(options.watch)
    await pause(options.measureMs)
    const used = stop()
    return { requests: total.requests - before.requests, bytes: total.bytes - before.bytes, ...used }
  })()
  try {
    return await Promise.race([result, everybody.then(() => result)])
  } finally {
    isRunning = false
    await everybody
  }
}

/** Measures a fixed amount of work, however long it takes. `requests`: how many things are done. */
export async function measureAmount(
  requests: number,
  work: () => Promise<void>,
  { watch }: Pick<LoadOptions, 'watch'>,
): Promise<LoadResult> {
  const stop = startWatch(watch)
  await work()
  return { requests, bytes: 0, ...stop() }
}

/** Returns what this process and the watched ones have used since. */
function startWatch(watch: readonly number[]) {
  const watchedBefore = watch.map(cpuSeconds)
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  return (): Omit<LoadResult, 'requests' | 'bytes'> => {
    const ms = performance.now() - startedAt
    const cpu = process.cpuUsage(cpuBefore)
    return {
      seconds: ms / 1000,
      clientBusy: (cpu.user + cpu.system) / 1000 / ms,
      cpuSeconds: watch.map((pid, index) => difference(cpuSeconds(pid), watchedBefore[index])),
    }
  }
}

/** Sends each of them once, one after the other on one connection. */
export function askInTurn(port: number, steps: readonly Step[]): Promise<void> {
  let done = 0
  const run = { isRunning: () => done < steps.length, onDone: () => void done++ }
  return keepAsking({ port, next: () => steps[done] as Step }, run)
}

function difference(after: number | null, before: number | null | undefined): number | null {
  return after === null || before === null || before === undefined ? null : after - before
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

function keepAsking(target: Target, run: Run): Promise<void> {
  return new Promise((resolve, reject) => {
    const connection = new Connection(target.port, {
      onDone(bytes) {
        run.onDone(bytes)
        if (run.isRunning()) connection.ask(target.next())
        else {
          resolve()
          connection.close()
        }
      },
      onError: reject,
    })
    connection.ask(target.next())
  })
}

export interface OneAnswer {
  status: number
  bytes: number
  /** From the start of the connection to the first byte of the body. */
  firstByteMs: number
  totalMs: number
  head: string
  body: Buffer
}

export interface AskOptions {
  keepBody?: boolean
  /** How long to pause reading after the first byte. */
  stallMs?: number
  /** Hang up as soon as part of the body has arrived. */
  isBeginningEnough?: boolean
  /** Receives every piece of the body. */
  look?(part: Buffer): void
}

/** Sends one request on its own connection. Keeps the body only on request. */
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
      options.look?.(part)
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
