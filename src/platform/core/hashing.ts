import { hash } from 'node:crypto'

export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex')
}

/** The hash of an empty file; shown for infected attachments, which are delivered empty. */
export const sha256OfNothing = sha256Hex('')
