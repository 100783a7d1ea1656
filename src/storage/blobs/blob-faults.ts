/** The bytes are there, and are not those that the row describes. */
export class NotAsDescribed extends Error {
  override readonly name = 'NotAsDescribed'
}

/** The file is not there, whatever it should be like; also when a wrapper tells so. */
export function isAbsent(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  return code === 'ENOENT' || (cause instanceof Error && isAbsent(cause))
}
