import type { Log } from '../log.ts'

export type Background = ReturnType<typeof createBackground>

/** Work for which no response waits. It is tracked until it ends, so that the database is closed only afterwards. */
export function createBackground(log: Log) {
  const underWay = new Set<Promise<unknown>>()
  return {
    /** If the work fails, logs the message with these fields; the error is not reported anywhere else. */
    run(
      work: Promise<unknown>,
      ifLost: string,
      { level = 'warn', ...fields }: { level?: 'warn' | 'error'; [field: string]: unknown } = {},
    ): void {
      const ended = work
        .catch(error => log[level]({ err: error, ...fields }, ifLost))
        .finally(() => underWay.delete(ended))
      underWay.add(ended)
    },

    async whenIdle(): Promise<void> {
      // Running work may start more.
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
