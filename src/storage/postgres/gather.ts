/**
 * One statement for many: what is asked in one turn of the event loop, or while a statement is under way, shares the
 * next one. A round trip costs a database and its driver more than the look-up itself, and under load many ask at
 * once. Each question is put after it was asked, so nobody gets an answer that is older than the question.
 *
 * One at a time: the longer the database takes, the more share the next one. But whoever is held up, by a lock for
 * instance, holds up nobody else for longer than `patienceMs`.
 */
export function gather<Ask, Answer>(
  answerAll: (asks: Ask[]) => Promise<readonly Answer[]>,
  { most = 100, patienceMs = 50 } = {},
): (ask: Ask) => Promise<Answer> {
  let waiting: { ask: Ask; resolve(answer: Answer): void; reject(error: unknown): void }[] = []
  let isBusy = false

  function goOn(): void {
    if (waiting.length > 0) setImmediate(answerWaiting)
    else isBusy = false
  }

  async function answerWaiting(): Promise<void> {
    const some = waiting.slice(0, most)
    waiting = waiting.slice(most)
    let isHeldUp = false
    const timer = setTimeout(() => {
      isHeldUp = true
      goOn()
    }, patienceMs)
    try {
      const answers = await answerAll(some.map(({ ask }) => ask))
      for (const [index, { resolve }] of some.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
    clearTimeout(timer)
    if (!isHeldUp) goOn()
  }

  return ask =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject })
      if (isBusy) return
      isBusy = true
      setImmediate(answerWaiting)
    })
}

/** The same for what is found by a key, or not found; each row tells its `key`, which is nobody else's business. */
export function gatherByKey<Row>(
  findAll: (keys: string[]) => Promise<readonly (Row & { key: string })[]>,
): (key: string) => Promise<Row | undefined> {
  return gather(async keys => {
    const found = await findAll([...new Set(keys)])
    const rows = new Map(found.map(({ key, ...row }) => [key, row as Row]))
    return keys.map(key => rows.get(key))
  })
}
