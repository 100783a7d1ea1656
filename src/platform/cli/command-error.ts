/** Exit codes for scripts; listed in `docs/reference/command-line.md`. */
export const exitCodes = { done: 0, failed: 1, usage: 2, notFound: 3, cannotStart: 4, diskFailed: 5 } as const

/** A failed command; the message says why and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number
  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}
