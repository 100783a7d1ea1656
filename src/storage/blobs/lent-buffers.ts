/** Bytes that belong to the borrower until returned; returning them twice is harmless. */
export interface Lent {
  bytes: Buffer
  giveBack(): void
}

/**
 * A few buffers that are reused: allocating a megabyte for each download costs more than filling it, because the memory
 * must be found, cleared and collected. Allocated on first use, and never more than these.
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
    /** Undefined if the size is too large or all buffers are lent, perhaps to slow readers. */
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
