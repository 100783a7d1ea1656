/** Up to this size, writes of several processes to one pipe are atomic: Linux's PIPE_BUF. */
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

interface Stream {
  write(text: string, done: (error?: NodeJS.ErrnoException | null) => void): unknown
  on(event: 'error', listener: () => void): unknown
}

/**
 * Writes to standard output without ever failing: lines that cannot be written, because the disk is full or the reader
 * has gone, are dropped and counted. `isShared`: several processes write to it.
 */
export function createOutput(stream: Stream, isShared: boolean) {
  let printed = ''
  let lost = 0
  let fault: NodeJS.ErrnoException | undefined
  let onLost: ((lines: number) => void) | undefined
  // Each write also reports the error; without a listener it would end the process.
  stream.on('error', () => {})

  function write(text: string): void {
    // The beginning of a lost line may have been written.
    stream.write(lost > 0 ? `\n${text}` : text, error => {
      if (error) {
        fault = error
        lost += text.split('\n').length - 1
      } else if (lost > 0) {
        const lines = lost
        lost = 0
        onLost?.(lines)
      }
    })
  }

  function flush(): void {
    const text = printed
    printed = ''
    if (text === '') return
    for (const piece of isShared ? wholeLines(text) : [text]) write(piece)
  }

  return {
    /** Writes the output of one turn of the event loop together: under load, one system call instead of many. */
    print(text: string): void {
      if (printed === '') setImmediate(flush)
      printed += text
    },
    flush,
    /** Used by services, which continue when output fails: `listener` gets the number of lost lines once it works again. */
    onLinesLost(listener: (lines: number) => void): void {
      onLost = listener
    },
    /** Why a command's output was lost. A reader may close early, as in `dossier ... | head`. */
    async failure(): Promise<Error | undefined> {
      flush()
      await new Promise<unknown>(resolve => stream.write('', resolve))
      return onLost === undefined && fault?.code !== 'EPIPE' ? fault : undefined
    },
  }
}
