import { createHash } from 'node:crypto'

export function sha256Hex(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

/** What a download of nothing hashes to; an infected attachment shows it. */
export const sha256OfNothing = sha256Hex('')
