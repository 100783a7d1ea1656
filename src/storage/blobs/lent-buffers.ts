/** Bytes that are somebody's until they are given back, which may be done twice. */
export interface Lent {
  bytes: Buffer
  giveBack(): void
}

/**
 * Some buffers that are used again and again. A new megabyte for each download costs more than to fill it: its memory
 * has to be found, cleared and collected. Made when they are first wanted, and never more than these.
 */
export function createLentBuffers({ most, bytes }: { most: number; bytes: number }) {
  const free: Buffer[] = []
  let made = 0

  function take(): Buffer | undefined {
    if (free.length > 0) return free.pop()
    if (made === most) return undefined
    made++
    return Buffer.allocUnsafeSlow(bytes)
  }

  return {
    /** Undefined when it is too much, or when all are lent: to slow readers, perhaps. */
    lend(length: number): Lent | undefined {
      const buffer = length <= bytes ? take() : undefined
      if (buffer === undefined) return undefined
      let isLent = true
      return {
        bytes: buffer.subarray(0, length),
        giveBack() {
          if (isLent) free.push(buffer)
          isLent = false
        },
      }
    },
  }
}
