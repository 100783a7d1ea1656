/** Work that no response waits for. It is tracked until it ends, so that the database is closed only afterwards. */
export interface Background {
  /** Calls `onLost` if the work fails; the error is reported nowhere else. */
  run(work: Promise<unknown>, onLost: (error: unknown) => void): void
  settle(): Promise<void>
}

export function createBackground(): Background {
  const underWay = new Set<Promise<unknown>>()
  return {
    run(work, onLost) {
      const ended = work.catch(onLost).finally(() => underWay.delete(ended))
      underWay.add(ended)
    },

    async settle() {
      // Running work may start more.
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
