import type { EpochMs } from '../core/clock.ts'
import { Problem } from '../core/problems.ts'
import type { ReceivedFile } from '../model/stored-file.ts'

const dayMs = 86_400_000

/**
 * Asked right before a row names uploads: whoever was put to sleep in between (a suspended machine) must not name
 * what the clean-up has taken for nobody's. Half the window, so that no clock has to be exact.
 */
export function assertNotSwept(
  files: readonly Pick<ReceivedFile, 'uploadedAt'>[],
  now: EpochMs,
  limits: { cleanUpWindowSeconds: number },
): void {
  const longestMs = (limits.cleanUpWindowSeconds * 1000) / 2
  if (files.some(file => now - file.uploadedAt > longestMs)) {
    throw new Problem('unavailable', 'The upload took too long. Send it again.', { retryAfterSeconds: 1 })
  }
}

/** The first part of a blob's name, where that is a day: names from before have a part of a hash there. */
export function dayOf(blob: string): string | undefined {
  return /^\d{8}(?=\/)/.exec(blob)?.[0]
}

/** Is the day (YYYYMMDD, UTC) over for so long that everything uploaded on it is older than the window? */
export function isPast(day: string, now: EpochMs, limits: { cleanUpWindowSeconds: number }): boolean {
  const start = Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6)))
  return start + dayMs + limits.cleanUpWindowSeconds * 1000 <= now
}
