import { hash } from 'node:crypto'

export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex')
}

/** What a download of nothing hashes to; an infected attachment shows it. */
export const sha256OfNothing = sha256Hex('')
