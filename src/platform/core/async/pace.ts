/** A request waits about this long for a processor, and a commit for the bytes written in this time. */
const sliceMs = 2

/**
 * Slows long work down for the sake of concurrent requests: after each slice it rests for as long as the slice took,
 * including the time to flush its writes to the disk. So processor and disk are free half of the time, however slow
 * either is.
 */
export function createPace(now: () => number = () => performance.now()) {
  let begun = now()
  return {
    isTired: () => now() - begun >= sliceMs,
    /** Time to rest; the next slice begins afterwards. */
    restMs(): number {
      const worked = now() - begun
      begun = now() + worked
      return worked
    },
  }
}
