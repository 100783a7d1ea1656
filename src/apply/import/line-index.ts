import type { EpochMs } from '../../platform/core/clock.ts'
import type { LinePlace } from './line.ts'

/** The position of a line in the file. `line` counts from 1 and includes empty lines. */
export interface LineRange {
  line: number
  offset: number
  length: number
}

export interface IndexedLine extends LineRange {
  advertiserId: number
  /** -Infinity for a line without a valid place, so that these come first and are rejected first. */
  at: EpochMs
}

const numbersPerLine = 5

/** Keeps 40 bytes per line in memory, so that a file of millions of lines can be imported in date order. */
export class LineIndex {
  #numbers = new Float64Array(1024 * numbersPerLine)
  #count = 0

  get count(): number {
    return this.#count
  }

  add({ line, offset, length }: LineRange, place: LinePlace | undefined): void {
    const start = this.#count * numbersPerLine
    if (start === this.#numbers.length) {
      const larger = new Float64Array(this.#numbers.length * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers.set([line, offset, length, place?.advertiserId ?? 0, place?.at ?? -Infinity], start)
    this.#count += 1
  }

  at(index: number): IndexedLine {
    const start = index * numbersPerLine
    const [line = 0, offset = 0, length = 0, advertiserId = 0, at = 0] = this.#numbers.subarray(
      start,
      start + numbersPerLine,
    )
    return { line, offset, length, advertiserId, at }
  }

  /** Finds a line that was added, by its number. */
  ofLine(line: number): IndexedLine {
    let low = 0
    let high = this.#count - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#number(middle, 0) < line) low = middle + 1
      else high = middle
    }
    return this.at(low)
  }

  /** The indexes sorted by date; lines with equal dates stay in file order. */
  inDateOrder(): Uint32Array {
    const order = Uint32Array.from({ length: this.#count }, (_, index) => index)
    return order.sort((one, other) => this.#number(one, 4) - this.#number(other, 4) || one - other)
  }

  #number(index: number, which: number): number {
    return this.#numbers[index * numbersPerLine + which] ?? 0
  }
}
