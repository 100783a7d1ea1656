import { wholeLines } from './whole-lines.ts'

interface Stream {
  write(text: string, done: (error?: NodeJS.ErrnoException | null) => void): unknown
  on(event: 'error', listener: () => void): unknown
}

/**
 * Standard output, on which nothing depends: lines that it refuses are lost and counted. The disk may be full, and
 * whoever read may be gone. `isShared`: several processes write to it.
 */
export function createOutput(stream: Stream, isShared: boolean) {
  let printed = ''
  let lost = 0
  let fault: NodeJS.ErrnoException | undefined
  let onLost: ((lines: number) => void) | undefined
  // Each write says it as well; without a listener it would end the process.
  stream.on('error', () => {})

  function write(text: string): void {
    // Of the line before, the beginning may have found room.
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
    /** What one turn of the event loop prints goes out together: under load, one system call instead of many. */
    print(text: string): void {
      if (printed === '') setImmediate(flush)
      printed += text
    },
    flush,
    /** For a service, which goes on: how many lines were lost, once lines are taken again. */
    onLinesLost(listener: (lines: number) => void): void {
      onLost = listener
    },
    /** Why the result of a command did not get out. Whoever reads may leave before the end, as in `dossier ... | head`. */
    async failure(): Promise<Error | undefined> {
      flush()
      await new Promise<unknown>(resolve => stream.write('', resolve))
      return onLost === undefined && fault?.code !== 'EPIPE' ? fault : undefined
    },
  }
}
