import { lchownSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Gives what root has created to the owner of its folder, as SQLite does with its log. Otherwise one command that was run
 * as root would leave files that the service, which runs as another user, cannot read.
 */
export function chownLikeParent(path: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  if (uid === 0) return
  try {
    lchownSync(path, uid, gid)
  } catch {
    // Not every root may, for instance in a container without capabilities.
  }
}
