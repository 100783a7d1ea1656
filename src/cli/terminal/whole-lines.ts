/** Up to this size, writes of several processes to one pipe are atomic: PIPE_BUF of Linux. */
const atomicBytes = 4096

/** Splits text into pieces of whole lines, each small enough for one atomic write if its lines allow it. */
export function wholeLines(text: string, maxBytes = atomicBytes): string[] {
  const pieces: string[] = []
  let piece = ''
  let bytes = 0
  for (const line of text.split(/(?<=\n)/)) {
    const length = Buffer.byteLength(line)
    if (piece !== '' && bytes + length > maxBytes) {
      pieces.push(piece)
      piece = ''
      bytes = 0
    }
    piece += line
    bytes += length
  }
  if (piece !== '') pieces.push(piece)
  return pieces
}
