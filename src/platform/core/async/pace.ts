/** A request waits about this long for a processor, and a commit for the bytes that were written in this time. */
const sliceMs = 2

/**
 * Slows long work down for the sake of requests beside it: after each slice it rests for as long as the slice took, including
 * the time to put what it wrote on the disk. So processor and disk are free half of the time, however slow either is.
 */
export function createPace(now: () => number = () => performance.now()) {
  let begun = now()
  return {
    isTired: () => now() - begun >= sliceMs,
    /** How long to rest; the next slice begins afterwards. */
    restMs(): number {
      const worked = now() - begun
      begun = now() + worked
      return worked
    },
  }
}
