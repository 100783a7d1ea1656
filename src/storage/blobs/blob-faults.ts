/** The stored bytes are not those that the row describes. */
export class NotAsDescribed extends Error {
  override readonly name = 'NotAsDescribed'
}

/** Whether the file does not exist; also recognises a wrapped error. */
export function isAbsent(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  return code === 'ENOENT' || (cause instanceof Error && isAbsent(cause))
}
