import { ScannerAway } from '../blobs/faults.ts'
import type { Scanner } from '../blobs/ports.ts'
import type { ScanState } from '../blobs/scan-state.ts'
import { type ClamdAddress, readClamdAddress } from '../core/addresses/clamd-address.ts'
import { createSemaphore } from '../core/async/semaphore.ts'
import { type SteadyClock, steadyClock } from '../core/clock.ts'
import type { RandomReader } from '../core/random-reader.ts'
import { reasonOf } from '../core/reason.ts'
import { type Answer, answerOf } from './answer.ts'
import { type HeldSession, holdSession, instream } from './connection.ts'
import { proveClamd } from './proof.ts'

/**
 * Limit: How long to wait for a connection to clamd, and for its self-test while that fails: uploads must not hang
 * because a scanner is unavailable.
 */
const scanConnectMs = 2_000
/**
 * Limit: How long a successful self-test of clamd stays valid. It costs a scan of the largest file. A restart of clamd
 * invalidates it immediately.
 */
const scannerProofSeconds = 600
/** Limit: How long to wait before trying a failed clamd again. */
const scannerRetrySeconds = 5

const bounds = { scanConnectMs, scannerProofSeconds, scannerRetrySeconds }

export interface ClamdOptions {
  /** `unix:///path` or `tcp://host:port`. */
  url: string
  limits: Partial<typeof bounds> & { fileBytes: number; scanMs: number; scansAtOnce: number }
  clock?: SteadyClock
  /** Called with the reason why files stay unscanned: once, and then only after a change. */
  onFault(error: Error): void
  /** Called, just as rarely, if clamd works but not for every file that we accept. */
  onWarning(text: string): void
}

export interface ClamdScanner extends Scanner {
  /** Aborts the scans in progress, which get no verdict, and closes the connection. */
  close(): void
}

interface Proof {
  /** Open since the proof: a clamd that restarts, perhaps with other settings, closes it. */
  session: HeldSession
  until: number
}

/**
 * By default, clamd says OK for files that it did not scan. So its OK is valid only after a proof: it finds a virus in
 * an archive and in documents, it reports files beyond its limits, and it is still the same process, neither restarted
 * nor lost nor replaced at its address.
 */
export function createClamdScanner(options: ClamdOptions): ClamdScanner {
  const { url, clock = steadyClock } = options
  const limits = { ...bounds, ...options.limits }
  const address = addressOf(url)
  const semaphore = createSemaphore(limits.scansAtOnce)
  let proof: Proof | undefined
  let retryAt = 0
  let isFailing = false
  let proving: Promise<Proof> | undefined
  let toldFault: string | undefined
  let hasWarned = false

  const ending = new AbortController()

  const waits = (answerMs: number) => ({
    connectMs: limits.scanConnectMs,
    answerMs,
    signal: ending.signal,
  })
  const ask = async ({ peer }: HeldSession, file: RandomReader, answerMs = limits.scanMs): Promise<Answer> =>
    answerOf(await instream(peer, file, waits(answerMs)))

  const away = (reason: string) =>
    new ScannerAway(`clamd at ${url} cannot be reached (${reason}): start it, or correct CLAMD_URL`)

  async function proveNow(): Promise<Proof> {
    const known = await knownSession()
    const session = known ?? (await openSession())
    try {
      const warning = await proveClamd(
        { ask: file => ask(session, file), away },
        { fileBytes: limits.fileBytes, isKnown: known !== undefined },
      )
      if (!(await session.isAlive(limits.scanMs)))
        throw away('it closed the connection, or another one took its place')
      // Not earlier: an old proof must not vouch for a new clamd.
      proof = { session, until: clock() + limits.scannerProofSeconds * 1_000 }
      isFailing = false
      toldFault = undefined
      // The reason may vary: a connection that breaks may or may not have received it.
      if (warning !== undefined && !hasWarned) options.onWarning(warning)
      hasWarned = warning !== undefined
      return proof
    } catch (error) {
      session.close()
      throw error
    }
  }

  /** The session of the last proof, while the same clamd runs. It answers immediately, however busy it is. */
  async function knownSession(): Promise<HeldSession | undefined> {
    if (await proof?.session.isAlive(limits.scanConnectMs)) return proof?.session
    proof?.session.close()
    return undefined
  }

  async function openSession(): Promise<HeldSession> {
    try {
      return await holdSession(address, waits(limits.scanMs))
    } catch (error) {
      throw away(reasonOf(error))
    }
  }

  /** Concurrent callers share a proof in progress. */
  function prove(): Promise<Proof> {
    proving ??= proveNow()
      .catch(error => {
        isFailing = true
        throw error
      })
      .finally(() => {
        proving = undefined
      })
    return proving
  }

  /** The proof that makes verdicts valid, if there is one. */
  async function proven(): Promise<Proof | undefined> {
    if (proof?.session.isOpen === true && clock() < proof.until) return proof
    if (proving === undefined && clock() < retryAt) return undefined
    try {
      return await prove()
    } catch (error) {
      // Only here, where the reason is reported: a proof by a caller that does not report must not delay this.
      retryAt = clock() + limits.scannerRetrySeconds * 1_000
      const fault = error as Error
      if (fault.message !== toldFault) options.onFault(fault)
      toldFault = fault.message
      return undefined
    }
  }

  async function judge(file: RandomReader, deadline: number): Promise<ScanState> {
    const left = () => Math.max(1, deadline - performance.now())
    // Uploads must not wait as long for an unavailable or hanging scanner as for a slow one.
    const under = await inTime(proven(), isFailing ? Math.min(limits.scanConnectMs, left()) : left())
    if (under === undefined) return 'unscanned'
    const answer = await ask(under.session, file, left())
    if (answer.verdict === 'infected') return 'infected'
    // Checked after the answer: the process that runs now has run since the proof.
    const isClean = answer.verdict === 'clean' && (await under.session.isAlive(left()))
    if (isClean) return 'clean'
    if (answer.verdict === 'none' && answer.isFinal === true) return 'not-judged'
    // Scans in progress may still be answered by the proven clamd; the next scan needs a new proof.
    if (answer.verdict === 'clean' || answer.isSilent === true) under.until = 0
    return 'unscanned'
  }

  return {
    async scan(file) {
      const deadline = performance.now() + limits.scanMs
      if (!(await semaphore.take(limits.scanMs))) return 'unscanned'
      try {
        return await judge(file, deadline)
      } finally {
        semaphore.release()
      }
    },

    async prove() {
      await prove()
    },

    close() {
      proof?.session.close()
      ending.abort()
    },
  }
}

function addressOf(url: string): ClamdAddress {
  const address = readClamdAddress(url)
  if (address === undefined)
    throw new Error('The address of clamd must have the form unix:///path or tcp://host:port.')
  return address
}

/** Undefined if it takes longer; its result is then ignored. */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
