import type { FastifyReply } from 'fastify'

export interface FramedText {
  size: number
  open(range?: { start: number; end: number }): Promise<NodeJS.ReadableStream>
}

/**
 * A text file of a stranger as what it is, for a frame of our own pages. Nothing in it is taken for anything but
 * text, and nothing in it may do anything. `rest` stands at the end when it is longer than `mostBytes`.
 */
export async function sendFramedText(
  reply: FastifyReply,
  { size, open }: FramedText,
  { mostBytes, rest }: { mostBytes: number; rest: string },
): Promise<FastifyReply> {
  const isCut = size > mostBytes
  const chunks: Uint8Array[] = []
  if (size > 0) {
    for await (const chunk of await open(isCut ? { start: 0, end: mostBytes - 1 } : undefined)) {
      chunks.push(chunk as Uint8Array)
    }
  }
  const text = decodeText(Buffer.concat(chunks), isCut)
  return reply
    .headers({
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'self'",
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-store',
    })
    .send(isCut ? `${text}\n\n[${rest}]\n` : text)
}

/** UTF-16 says so with its first two bytes; what is not UTF-8 is taken for what Windows wrote for decades. */
export function decodeText(bytes: Uint8Array, isCut = false): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    // What is cut may end in the middle of a character.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
