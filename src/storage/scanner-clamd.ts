import { type ClamdAddress, readClamdAddress } from '../core/clamd-address.ts'
import type { Clock, EpochMs } from '../core/clock.ts'
import type { RandomReader } from '../core/random-reader.ts'
import { reasonOf } from '../core/reason.ts'
import { createTurns } from '../core/turns.ts'
import type { Scanner } from '../files/ports.ts'
import type { ScanState } from '../files/scan-state.ts'
import { ScannerAway } from '../files/scanner-away.ts'
import { type Exchange, type HeldSession, holdSession, instream } from './clamd-connection.ts'
import { deepest, deepZip, densestZip, eicarZip, largeZip, readerOf } from './clamd-probes.ts'

export interface ClamdOptions {
  /** `unix:///path` or `tcp://host:port`. */
  url: string
  limits: {
    fileBytes: number
    scanMs: number
    scanConnectMs: number
    scansAtOnce: number
    scannerProofSeconds: number
    scannerRetrySeconds: number
  }
  clock: Clock
  /** Why files stay unscanned. Told once, and again only after something has changed. */
  onFault(error: Error): void
  /** It works, but not for every file that we take. Told as rarely. */
  onWarning(text: string): void
}

export interface ClamdScanner extends Scanner {
  /** Ends the scans under way, which stay without a verdict, and the connection that is held open. */
  close(): void
}

interface Proof {
  /** Held open since: a clamd that restarts, maybe with other settings, cannot but close it. */
  session: HeldSession
  until: EpochMs
}

type Answer =
  | { verdict: 'clean' }
  | { verdict: 'infected'; signature: string }
  | { verdict: 'none'; reason: string; isSilent?: true }

/**
 * clamd says OK for what it did not look at, unless it was told otherwise. So its OK counts only after it was
 * proven: it finds a virus in an archive, it reports what is beyond its limits, and since then it was neither
 * restarted nor lost.
 */
export function createClamdScanner(options: ClamdOptions): ClamdScanner {
  const { url, limits, clock } = options
  const address = addressOf(url)
  const turns = createTurns(limits.scansAtOnce)
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
  const ask = async (file: RandomReader, answerMs = limits.scanMs): Promise<Answer> =>
    answerOf(await instream(address, file, waits(answerMs)))

  const away = (reason: string) =>
    new ScannerAway(`clamd at ${url} cannot be asked (${reason}): start it, or mend CLAMD_URL`)

  async function proveNow(): Promise<Proof> {
    const known = proof?.session.isOpen === true ? proof.session : undefined
    const session = known ?? (await openSession())
    try {
      await proveItFinds()
      await proveItReportsLimits()
      // This one costs clamd a second and the disk some hundred megabytes, and settings last as long as a process.
      if (known === undefined) await proveItUnpacksAll()
      const warning = await proveItsSize()
      if (!session.isOpen) throw away('it closed the connection')
      // Not before: nothing may be believed of a new clamd because of an old proof.
      proof = { session, until: clock() + limits.scannerProofSeconds * 1_000 }
      isFailing = false
      toldFault = undefined
      // The reason in it may vary: what is cut off may hear why, or not.
      if (warning !== undefined && !hasWarned) options.onWarning(warning)
      hasWarned = warning !== undefined
      return proof
    } catch (error) {
      session.close()
      throw error
    }
  }

  async function openSession(): Promise<HeldSession> {
    try {
      return await holdSession(address, waits(limits.scanMs))
    } catch (error) {
      throw away(reasonOf(error))
    }
  }

  async function proveItFinds(): Promise<void> {
    const answer = await ask(readerOf(eicarZip()))
    if (answer.verdict === 'infected') return
    if (answer.verdict === 'none') throw away(answer.reason)
    throw new Error(
      'clamd does not find the EICAR test file in a zip, so its verdicts are not used: give it signatures (freshclam) and "ScanArchive yes" in clamd.conf, and restart it',
    )
  }

  async function proveItReportsLimits(): Promise<void> {
    const answer = await ask(readerOf(deepZip()))
    if (answer.verdict === 'none') {
      if (isBeyondLimits(answer.reason)) return
      throw away(answer.reason)
    }
    throw new Error(
      answer.verdict === 'clean'
        ? 'clamd calls files clean that it has not looked at, so its verdicts are not used: set "AlertExceedsMax yes" in clamd.conf, and restart it'
        : `clamd opens archives so deep that it cannot be seen whether it reports what is beyond its limits, so its verdicts are not used: set MaxRecursion in clamd.conf to ${deepest} or less, and restart it`,
    )
  }

  async function proveItUnpacksAll(): Promise<void> {
    const answer = await ask(readerOf(densestZip()))
    if (answer.verdict === 'infected') return
    if (answer.verdict === 'none') {
      // One that does not open three archives shows nothing about their size.
      if (isBeyondLimits(answer.reason) && !answer.reason.endsWith('.MaxRecursion')) return
      throw away(answer.reason)
    }
    throw new Error(
      'clamd calls archives clean of which it has looked at the beginning only, so its verdicts are not used: set MaxFileSize in clamd.conf to the value of MaxScanSize, and restart it',
    )
  }

  /** Anything but "clean" is safe. Resolves to what to tell about files that it will not judge. */
  async function proveItsSize(): Promise<string | undefined> {
    const { fileBytes } = limits
    const answer = await ask(largeZip(fileBytes))
    if (answer.verdict === 'infected') return undefined
    const needed = `StreamMaxLength of at least ${fileBytes}, and MaxFileSize and MaxScanSize of at least ${2 * fileBytes}`
    if (answer.verdict === 'none') {
      return `clamd judges smaller files only (${answer.reason}), the others stay unscanned: files of ${fileBytes} bytes need a ${needed} in clamd.conf`
    }
    throw new Error(
      `clamd calls a file of ${fileBytes} bytes clean that it has not looked at, so its verdicts are not used: set "AlertExceedsMax yes", ${needed} in clamd.conf, and restart it`,
    )
  }

  /** Whoever asks while a proof is under way shares it. */
  function prove(): Promise<Proof> {
    proving ??= proveNow()
      .catch(error => {
        isFailing = true
        retryAt = clock() + limits.scannerRetrySeconds * 1_000
        throw error
      })
      .finally(() => {
        proving = undefined
      })
    return proving
  }

  /** The proof under which verdicts count, if there is one. */
  async function proven(): Promise<Proof | undefined> {
    if (proof?.session.isOpen === true && clock() < proof.until) return proof
    if (proving === undefined && clock() < retryAt) return undefined
    try {
      return await prove()
    } catch (error) {
      const fault = error as Error
      if (fault.message !== toldFault) options.onFault(fault)
      toldFault = fault.message
      return undefined
    }
  }

  async function judge(file: RandomReader, deadline: number): Promise<ScanState> {
    const left = () => Math.max(1, deadline - performance.now())
    // A scanner that is down or hangs must not make every upload wait as long as a slow one may.
    const under = await inTime(proven(), isFailing ? Math.min(limits.scanConnectMs, left()) : left())
    if (under === undefined) return 'unscanned'
    const answer = await ask(file, left())
    if (answer.verdict === 'infected') return 'infected'
    if (answer.verdict === 'clean') return under.session.isOpen ? 'clean' : 'unscanned'
    // Those under way may still be answered, by the clamd that was proven; the next one asks anew.
    if (answer.isSilent === true) under.until = 0
    return 'unscanned'
  }

  return {
    async scan(file) {
      const deadline = performance.now() + limits.scanMs
      if (!(await turns.take(limits.scanMs))) return 'unscanned'
      try {
        return await judge(file, deadline)
      } finally {
        turns.giveBack()
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
    throw new Error('clamd has no address of the form unix:///path or tcp://host:port.')
  return address
}

/** Undefined when it takes longer; whatever becomes of it then is for others. */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), ms)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function answerOf(exchange: Exchange): Answer {
  if ('lost' in exchange) return { verdict: 'none', reason: exchange.lost, isSilent: true }
  const { reply } = exchange
  if (reply === 'stream: OK') return { verdict: 'clean' }
  const signature = /^stream: (.+) FOUND$/.exec(reply)?.[1]
  // What it cannot look into is not infected because of that, and not clean either.
  if (signature === undefined || isBeyondLimits(signature) || signature.startsWith('Heuristics.Encrypted')) {
    return { verdict: 'none', reason: signature ?? printable(reply) }
  }
  return { verdict: 'infected', signature }
}

const isBeyondLimits = (reason: string) => reason.startsWith('Heuristics.Limits.Exceeded')

/** It goes into the log and onto the screen of an operator. */
const printable = (text: string) => text.replace(/[^ -~]+/g, '?').slice(0, 200)
