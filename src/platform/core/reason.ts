/** The message of the innermost cause: wrappers and aggregate errors say little themselves. */
export function reasonOf(error: unknown): string {
  const { cause, errors, message, code } = error as {
    cause?: unknown
    errors?: unknown[]
    message?: string
    code?: string
  }
  if (cause instanceof Error) return reasonOf(cause)
  // A host name with several addresses fails once per address, and the AggregateError has no message.
  if (Array.isArray(errors) && errors.length > 0) return errors.map(reasonOf).join('; ')
  return message || code || String(error)
}
