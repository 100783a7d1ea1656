/** Why something failed, in the words of whatever failed first: wrappers and bundles of errors say little. */
export function reasonOf(error: unknown): string {
  const { cause, errors, message, code } = error as {
    cause?: unknown
    errors?: unknown[]
    message?: string
    code?: string
  }
  if (cause instanceof Error) return reasonOf(cause)
  // A name with several addresses fails once for each, and the bundle itself has no message.
  if (Array.isArray(errors) && errors.length > 0) return errors.map(reasonOf).join('; ')
  return message || code || String(error)
}
