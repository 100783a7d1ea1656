/**
 * Sends concurrent look-ups, or short writes by key, as one statement: look-ups of one turn of the event loop, and
 * look-ups that arrive while a statement is in progress, share the next one. Under load a round trip costs database and
 * driver more than the look-up itself. A statement is sent after its look-ups were made, so no result is older than its
 * look-up.
 *
 * One statement runs at a time: the longer the database takes, the more look-ups share the next one. A statement that
 * takes longer than `maxWaitMs`, because of a lock for instance, no longer holds up the next.
 *
 * A statement contains at most one look-up per `apart` name: the others wait for the next statement.
 */
export function batchLookups<Key, Found>(
  findAll: (keys: Key[]) => Promise<readonly Found[]>,
  {
    max = 100,
    maxWaitMs = 50,
    apart,
  }: { max?: number; maxWaitMs?: number; apart?: (key: Key) => string } = {},
): (key: Key) => Promise<Found> {
  let waiting: { key: Key; resolve(found: Found): void; reject(error: unknown): void }[] = []
  let isBusy = false

  function startNext(): void {
    if (waiting.length > 0) setImmediate(runBatch)
    else isBusy = false
  }

  function takeBatch(): typeof waiting {
    if (apart === undefined) return waiting.splice(0, max)
    const batch = new Map<string, (typeof waiting)[number]>()
    waiting = waiting.filter(each => {
      const name = apart(each.key)
      if (batch.size === max || batch.has(name)) return true
      batch.set(name, each)
      return false
    })
    return [...batch.values()]
  }

  async function runBatch(): Promise<void> {
    const batch = takeBatch()
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      startNext()
    }, maxWaitMs)
    try {
      const results = await findAll(batch.map(({ key }) => key))
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Found)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
    clearTimeout(timer)
    if (!isLate) startNext()
  }

  return key =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (isBusy) return
      isBusy = true
      setImmediate(runBatch)
    })
}
