import type { FastifyReply } from 'fastify'

export interface FramedText {
  size: number
  open(range?: { start: number; end: number }): Promise<NodeJS.ReadableStream>
}

/**
 * Sends an untrusted text file for a frame in our own pages: as plain text, in a sandbox without any rights. A file longer
 * than `maxBytes` is cut and ends with `rest`.
 */
export async function sendFramedText(
  reply: FastifyReply,
  { size, open }: FramedText,
  { maxBytes, rest }: { maxBytes: number; rest: string },
): Promise<FastifyReply> {
  const isCut = size > maxBytes
  const chunks: Uint8Array[] = []
  if (size > 0) {
    for await (const chunk of await open(isCut ? { start: 0, end: maxBytes - 1 } : undefined)) {
      chunks.push(chunk as Uint8Array)
    }
  }
  const text = decodeText(Buffer.concat(chunks), isCut)
  return reply
    .headers(frameHeaders('text/plain; charset=utf-8'))
    .send(isCut ? `${text}\n\n[${rest}]\n` : text)
}

/** For the content of an untrusted file in a frame: it may do and load nothing. `styles` allows one style sheet of ours. */
export function frameHeaders(contentType: string, styles = ''): Record<string, string> {
  return {
    'content-type': contentType,
    'content-security-policy': `sandbox; default-src 'none'; ${styles}frame-ancestors 'self'`,
    'x-frame-options': 'SAMEORIGIN',
    'referrer-policy': 'no-referrer',
    'cache-control': 'private, no-store',
  }
}

/** Decodes UTF-16 by its byte order mark, then UTF-8, and anything else as Windows-1252. */
export function decodeText(bytes: Uint8Array, isCut = false): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    // Cut text may end in the middle of a character.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    // Not UTF-8: every byte is a character of Windows-1252.
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
