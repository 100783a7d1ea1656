/** Work that no answer waits for. It is remembered until it has ended, so that a database can be closed after it. */
export interface Background {
  /** `onLost` is told when it fails: nobody else will be. */
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
      // What is under way may begin more.
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
