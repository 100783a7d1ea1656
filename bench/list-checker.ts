const needle = Buffer.from('{"ID":')
const comma = 44
const zero = 48

/** Reads a list in JSON as it arrives, and checks that it has exactly these applications in this order. */
export class ListChecker {
  readonly #ids: readonly number[]
  #found = 0
  #rest = Buffer.alloc(0)

  constructor(ids: readonly number[]) {
    this.#ids = ids
  }

  look(part: Buffer): void {
    const text = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part])
    let from = 0
    for (;;) {
      const at = text.indexOf(needle, from)
      const end = at === -1 ? -1 : text.indexOf(comma, at)
      if (end === -1) {
        // Keep a possible beginning of an ID for the next piece.
        const keepFrom = at === -1 ? Math.max(from, text.length - needle.length + 1) : at
        this.#rest = Buffer.from(text.subarray(keepFrom))
        return
      }
      const id = numberIn(text, at + needle.length, end)
      if (id !== this.#ids[this.#found]) {
        throw new Error(`application ${id} where ${this.#ids[this.#found]} belongs`)
      }
      this.#found++
      from = end
    }
  }

  finish(): void {
    if (this.#found !== this.#ids.length || !this.#rest.toString().endsWith(']}}')) {
      throw new Error(`${this.#found} applications of ${this.#ids.length}, or no proper end`)
    }
  }
}

function numberIn(text: Buffer, from: number, to: number): number {
  let number = 0
  for (let at = from; at < to; at++) number = number * 10 + (text[at] as number) - zero
  return number
}
