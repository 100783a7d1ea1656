import { lchownSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Gives files created by root to the owner of their folder, as SQLite does with its log. Otherwise one command run as
 * root would leave files that the service, which runs as another user, cannot read.
 */
export function chownLikeParent(path: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  if (uid === 0) return
  try {
    lchownSync(path, uid, gid)
  } catch {
    // Root may lack this permission, for instance in a container without capabilities.
  }
}
