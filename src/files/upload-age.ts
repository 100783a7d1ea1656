import type { EpochMs } from '../core/clock.ts'
import { Problem } from '../core/problems.ts'
import type { ReceivedFile } from './received-file.ts'

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
