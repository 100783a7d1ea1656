/** Resolves when the work is done, and at the latest when the time is over, whatever became of the work. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, ms)
  try {
    await Promise.race([work, over.promise])
  } finally {
    clearTimeout(timer)
  }
}
