/** Everything that was started or made, undone in reverse order, whatever ended the run. */
export interface Cleanup {
  /** Waits for something that needs undoing; undone even when the run is interrupted while it starts. */
  own<T>(starting: Promise<T>, undo: (thing: T) => Promise<void>): Promise<T>
  run(): Promise<void>
  /** True from the moment at which it runs. */
  isRunning(): boolean
}

export function createCleanup(): Cleanup {
  const undos: (() => Promise<void>)[] = []
  let running: Promise<void> | undefined
  async function undoAll(): Promise<void> {
    for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) {
      // One that fails must not keep the others from being undone.
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
      // What was under way now fails in its own ways, which is no news and must not end the process too early.
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
          // What never started needs no undoing, and whoever waits for it has been told.
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
