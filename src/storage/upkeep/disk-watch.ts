import { statfs } from 'node:fs/promises'

export interface DiskState {
  freeBytes: number
  isLow: boolean
}

export interface DiskWatch {
  look(): Promise<DiskState>
}

/** How much room is left on the disk of a folder. `onChange` hears once that it is low, and once that it is not any more. */
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
      // What is left to this user: the file system may keep some for root.
      const { bavail, bsize } = await statfs(folder)
      const freeBytes = bavail * bsize
      const state = { freeBytes, isLow: freeBytes < leastBytes }
      if (state.isLow !== wasLow) onChange(state)
      wasLow = state.isLow
      return state
    },
  }
}
