import type { EpochMs } from '../core/clock.ts'
import { Problem } from '../core/problems.ts'
import type { ReceivedFile } from './stored-file.ts'

/**
 * Limit: How long after its day an upload without a reference is kept. A request may take minutes between storing a
 * file and referring to it.
 */
export const cleanUpWindowSeconds = 86_400
/** Limit: How long after a restore files without a row are kept: time to notice that the wrong backup was restored. */
export const restoredKeepDays = 7

const dayMs = 86_400_000

/**
 * Call right before a row refers to uploads: after a long pause (a suspended machine), the clean-up may have removed
 * them as abandoned. Allows half the window, so that clocks need not be exact.
 */
export function assertNotSwept(files: readonly Pick<ReceivedFile, 'uploadedAt'>[], now: EpochMs): void {
  const longestMs = (cleanUpWindowSeconds * 1000) / 2
  if (files.some(file => now - file.uploadedAt > longestMs)) {
    throw new Problem('unavailable', 'The upload took too long. Send it again.', { retryAfterSeconds: 1 })
  }
}

/** The day in a blob's name; undefined for older names, which begin with part of a hash. */
export function dayOf(blob: string): string | undefined {
  return /^\d{8}(?=\/)/.exec(blob)?.[0]
}

/** Whether everything uploaded on this day (YYYYMMDD, UTC) is older than the clean-up window. */
export function isPastCleanUp(day: string, now: EpochMs): boolean {
  const start = Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6)))
  return start + dayMs + cleanUpWindowSeconds * 1000 <= now
}

/** After a restore, files of the lost rows are kept for some days: another backup may refer to them. */
export function isJustRestored(restoredAt: EpochMs, now: EpochMs): boolean {
  return now < restoredAt + restoredKeepDays * dayMs
}
