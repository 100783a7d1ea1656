/**
 * Whether the caller of a waiting request is still connected. An AbortController would do the same with a dozen more
 * objects, and the garbage collector visits the objects of thousands of waiting requests again and again.
 */
export class Presence {
  hasLeft = false
  /** Called when the caller leaves; set while its request waits. */
  onLeave: (() => void) | undefined

  /** Listener for the end of the connection or of the program. */
  readonly leave = (): void => {
    this.hasLeft = true
    this.onLeave?.()
  }
}
