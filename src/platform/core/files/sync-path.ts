import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes a file's bytes, or the names in a folder, survive a power failure. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
