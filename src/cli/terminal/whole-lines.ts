/** What several processes may write to one pipe at once without tearing each other's lines: PIPE_BUF of Linux. */
const atomicBytes = 4096

/** The text in pieces that end with a line and are small enough to be written in one go, where its lines allow it. */
export function wholeLines(text: string, mostBytes = atomicBytes): string[] {
  const pieces: string[] = []
  let piece = ''
  let bytes = 0
  for (const line of text.split(/(?<=\n)/)) {
    const length = Buffer.byteLength(line)
    if (piece !== '' && bytes + length > mostBytes) {
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
