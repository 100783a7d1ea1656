/** Whether the file does not exist; also recognises a wrapped error. */
export function isAbsent(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  return code === 'ENOENT' || (cause instanceof Error && isAbsent(cause))
}

/** For `catch`: undefined if the file does not exist. */
export function unlessAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error
}
