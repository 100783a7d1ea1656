/** Resolves when the work is done, or after `ms` at the latest; rejects if the work fails first. */
export async function withTimeout(ms: number, work: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, ms)
  try {
    await Promise.race([work, over.promise])
  } finally {
    clearTimeout(timer)
  }
}
