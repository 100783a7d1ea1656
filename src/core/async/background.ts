import type { Log } from '../log.ts'

/** Work that no response waits for. It is tracked until it ends, so that the database is closed only afterwards. */
export interface Background {
  /** If the work fails, logs the message with these fields; the error is reported nowhere else. */
  run(
    work: Promise<unknown>,
    ifLost: string,
    fields?: { level?: 'warn' | 'error'; [field: string]: unknown },
  ): void
  settle(): Promise<void>
}

export function createBackground(log: Log): Background {
  const underWay = new Set<Promise<unknown>>()
  return {
    run(work, ifLost, { level = 'warn', ...fields } = {}) {
      const ended = work
        .catch(error => log[level]({ err: error, ...fields }, ifLost))
        .finally(() => underWay.delete(ended))
      underWay.add(ended)
    },

    async settle() {
      // Running work may start more.
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
