import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface DiskState {
  freeBytes: number
  isLow: boolean
}

export interface DiskWatch {
  look(): Promise<DiskState>
}

/**
 * Reports the free space on the disk of a folder. `onChange` is called once when it runs low, and once when it has
 * recovered.
 */
export function createDiskWatch({
  folder,
  minBytes,
  onChange,
}: {
  folder: string
  minBytes: number
  onChange(state: DiskState): void
}): DiskWatch {
  let wasLow = false
  return {
    async look() {
      // Space available to this user: the file system may reserve some for root.
      const { bavail, bsize } = await statfs(firstThere(folder))
      const freeBytes = bavail * bsize
      const state = { freeBytes, isLow: freeBytes < minBytes }
      if (state.isLow !== wasLow) onChange(state)
      wasLow = state.isLow
      return state
    },
  }
}

/** Before the first start the folder is missing: use its nearest existing parent. */
const firstThere = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : firstThere(dirname(path))
