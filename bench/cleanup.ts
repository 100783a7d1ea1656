/** Undoes everything that was started or created, in reverse order, however the run ended. */
export interface Cleanup {
  /** Starts something that must be undone; it is undone even if the run is interrupted while it starts. */
  own<T>(starting: Promise<T>, undo: (thing: T) => Promise<void>): Promise<T>
  run(): Promise<void>
  /** True once the clean-up has begun. */
  isRunning(): boolean
}

export function createCleanup(): Cleanup {
  const undos: (() => Promise<void>)[] = []
  let running: Promise<void> | undefined
  async function undoAll(): Promise<void> {
    for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) {
      // A failure must not prevent the others from being undone.
      await undo().catch(error => console.error(`could not clean up: ${(error as Error).message}`))
    }
  }
  const run = () => {
    running ??= undoAll()
    return running
  }
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
  ] as const) {
    process.once(signal, () => {
      // Work in progress now fails in various ways; ignore that, so that it does not end the process too early.
      for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, () => {})
      console.error('interrupted: cleaning up')
      run().finally(() => process.exit(128 + number))
    })
  }
  return {
    own(starting, undo) {
      undos.push(async () => {
        const started = await starting.then(
          thing => ({ thing }),
          // What never started needs no undoing, and its caller has received the error.
          () => undefined,
        )
        if (started !== undefined) await undo(started.thing)
      })
      return starting
    },
    run,
    isRunning: () => running !== undefined,
  }
}
