/** Whether the file does not exist; also recognises a wrapped error. */
export function isAbsent(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  return code === 'ENOENT' || (cause instanceof Error && isAbsent(cause))
}
