import { statfs } from 'node:fs/promises'

export interface DiskState {
  freeBytes: number
  isLow: boolean
}

export interface DiskWatch {
  look(): Promise<DiskState>
}

/** Reports the free space on the disk of a folder. `onChange` is called once when it runs low, and once when it no longer is. */
export function createDiskWatch({
  folder,
  leastBytes,
  onChange,
}: {
  folder: string
  leastBytes: number
  onChange(state: DiskState): void
}): DiskWatch {
  let wasLow = false
  return {
    async look() {
      // Space available to this user: the file system may reserve some for root.
      const { bavail, bsize } = await statfs(folder)
      const freeBytes = bavail * bsize
      const state = { freeBytes, isLow: freeBytes < leastBytes }
      if (state.isLow !== wasLow) onChange(state)
      wasLow = state.isLow
      return state
    },
  }
}
