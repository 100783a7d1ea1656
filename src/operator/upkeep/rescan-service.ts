import type { ApplicationStore } from '../../collect/application-store.ts'
import type { BlobStore, Scanner } from '../../platform/blobs/ports.ts'
import type { ScanState, Verdict } from '../../platform/blobs/scan-state.ts'
import { createBackoff } from '../../platform/core/async/backoff.ts'
import { type Clock, type SteadyClock, steadyClock } from '../../platform/core/clock.ts'
import type { Log } from '../../platform/core/log.ts'
import type { GoesOn, WorkDone } from '../../platform/core/task-ports.ts'
import type { ScanningStore } from './scanning-store.ts'

/** Limit: Files scanned again at once: most of SCANS_AT_ONCE is left for uploads, which people wait for. */
export const rescansAtOnce = 3
/** Limit: The longest pause before retrying a file that clamd does not judge. */
const rescanPauseSeconds = 3_600
/** Limit: Files whose next retry a process remembers: about a megabyte. */
const rescansRemembered = 10_000
/** Limit: Files without a verdict read from the database at once. */
const rescanPage = 100

interface Waiting {
  blob: string
  size: number
}

type Result = ScanState | 'unreadable'

/**
 * Scans files that were accepted without a verdict. A blob is scanned once for all rows that refer to it: a resume and
 * the applications to which it was copied. Without a verdict, nothing changes. If the scanner was unavailable, the next
 * run retries; files that an available scanner did not judge are retried with exponential backoff.
 */
export function createRescan(deps: {
  store: ScanningStore
  applications: Pick<ApplicationStore, 'recordVerdict'>
  blobs: Pick<BlobStore, 'examine'>
  scanner: Scanner
  clock: Clock
  steadyClock?: SteadyClock
  limits: { scansAtOnce: number; rescanEverySeconds: number }
  log: Log
}) {
  const { store, applications, blobs, scanner, clock, limits, log } = deps
  const atOnce = Math.max(1, Math.min(rescansAtOnce, limits.scansAtOnce - 1))
  const firstMs = limits.rescanEverySeconds * 1000
  const pauses = createBackoff(
    {
      firstMs,
      longestMs: Math.max(firstMs, rescanPauseSeconds * 1000),
      remembered: rescansRemembered,
    },
    deps.steadyClock ?? steadyClock,
  )

  /**
   * Records the verdict on drafts first: sending moves their files to applications and resumes, and locks the same
   * rows. Then on the resume. A transaction that applies with the resume holds the candidate's lock from reading it to
   * the commit. So either it commits before this verdict, and the query for applications below finds it, or it reads
   * the verdict.
   */
  async function record(blob: string, verdict: Verdict): Promise<void> {
    for (const { scan } of await store.draftFilesOf(blob)) {
      if (scan !== verdict) await store.recordDraftVerdict(blob, verdict, clock())
    }
    for (const { candidateId, resumeId, scan } of await store.resumesOf(blob)) {
      if (scan !== verdict) await store.recordResumeVerdict(candidateId, resumeId, verdict, clock())
    }
    for (const { advertiserId, applicationId, type, scan } of await store.attachmentsOf(blob)) {
      if (scan !== verdict)
        await applications.recordVerdict(advertiserId, applicationId, type, verdict, clock(), blob)
    }
  }

  /** Whether a row still refers to the blob; if not, it was deleted since the page was read, which is no error. */
  async function isNamed(blob: string): Promise<boolean> {
    const rows = await Promise.all([
      store.resumesOf(blob),
      store.draftFilesOf(blob),
      store.attachmentsOf(blob),
    ])
    return rows.flat().length > 0
  }

  /** Yields the due files, a few at a time, and reports how many have to wait. */
  async function* due(onWaiting: (count: number) => void): AsyncGenerator<Waiting[]> {
    let page: Waiting[]
    for (let last = ''; ; last = page.at(-1)?.blob ?? last) {
      page = await store.unscanned(last, rescanPage)
      if (page.length === 0) return
      const files = page.filter(({ blob }) => pauses.isOver(blob))
      onWaiting(page.length - files.length)
      for (let start = 0; start < files.length; start += atOnce) yield files.slice(start, start + atOnce)
    }
  }

  return {
    async run(goesOn: GoesOn = async () => true): Promise<WorkDone> {
      const results = { clean: 0, infected: 0, unscanned: 0, unreadable: 0 }
      const unreadable: string[] = []
      let cause: unknown

      async function judge(file: Waiting): Promise<Result | undefined> {
        let verdict: ScanState
        try {
          verdict = await blobs.examine(file, content => scanner.scan(content))
        } catch (error) {
          if (!(await isNamed(file.blob))) return undefined
          unreadable.push(file.blob)
          cause ??= error
          return 'unreadable'
        }
        if (verdict === 'unscanned') return verdict
        await record(file.blob, verdict)
        if (verdict !== 'not-judged') pauses.forget(file.blob)
        return verdict
      }

      let wasWithoutVerdict = false
      const onWaiting = (count: number) => {
        results.unscanned += count
      }
      for await (const files of due(onWaiting)) {
        if (!(await goesOn())) break
        const all = await Promise.all(files.map(judge))
        const judged = all.filter(result => result !== undefined)
        for (const result of judged) results[result === 'not-judged' ? 'unscanned' : result] += 1
        // The files or the scanner may be the reason for no verdict. If the scanner is unavailable, stop here.
        const isWithoutVerdict = judged.length > 0 && judged.every(result => result === 'unscanned')
        if (isWithoutVerdict && !wasWithoutVerdict && !(await isThere(scanner))) break
        wasWithoutVerdict = isWithoutVerdict
        // Retry files that were not judged too, because the scanner's limits may have been raised.
        const isLeft = (result: Result | undefined) => result === 'unscanned' || result === 'not-judged'
        for (const [index, { blob }] of files.entries()) if (isLeft(all[index])) pauses.begin(blob)
      }
      if (unreadable.length > 0) {
        const fields = { files: unreadable.length, first: unreadable[0], err: cause }
        log.warn(fields, 'files to be scanned cannot be read')
      }
      const { clean, infected, ...left } = results
      return { did: { clean, infected }, left }
    },
  }
}

async function isThere(scanner: Scanner): Promise<boolean> {
  try {
    await scanner.prove()
    return true
  } catch {
    // The scanner logs the reason itself, but not in every run.
    return false
  }
}
