import type { TestReport } from './event-lines.ts'

const slowestShown = 10
const linesEveryMs = 15_000

/** What the end of the run says about it: a test, a check of types or style, or a process that died or hung. */
export interface Failure {
  what: string
  text: string
  /** The command that shows it again, without everything else. */
  again: string
}

/** Prints how far the run is, and at its end the slowest files, every failure, and the counts as the last line. */
export class Progress {
  readonly #out: Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean }
  readonly #startedAt = performance.now()
  readonly #msOf = new Map<string, number>()
  readonly #cpuOf = new Map<string, number>()
  readonly #failures: Failure[] = []
  readonly #counts = { passed: 0, failed: 0, skipped: 0 }
  readonly #timer: NodeJS.Timeout
  #files = 0
  #finished = 0

  constructor(out: Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean }) {
    this.#out = out
    // A terminal gets one line that changes; a log gets a line now and then.
    this.#timer = setInterval(() => this.#show(), out.isTTY ? 500 : linesEveryMs)
  }

  expect(files: number): void {
    this.#files = files
  }

  get hasFailures(): boolean {
    return this.#failures.length > 0
  }

  add(file: string, { outcome, ms }: Pick<TestReport, 'outcome' | 'ms'>): void {
    this.#msOf.set(file, (this.#msOf.get(file) ?? 0) + ms)
    if (outcome === 'passed' || outcome === 'skipped') this.#counts[outcome] += 1
  }

  fail(failure: Failure): void {
    this.#counts.failed += 1
    this.#failures.push(failure)
  }

  /** Processor time that a file took, with the processes that it started. */
  addCpu(file: string, seconds: number): void {
    this.#cpuOf.set(file, (this.#cpuOf.get(file) ?? 0) + seconds)
  }

  /** Every file with its seconds and its processor seconds, the slowest first. */
  table(): string {
    const rows = this.#slowest().map(([file, ms]) => {
      const columns = [ms / 1000, this.#cpuOf.get(file) ?? 0].map(seconds => seconds.toFixed(1).padStart(8))
      return `${columns.join('')}  ${file}\n`
    })
    const cpu = [...this.#cpuOf.values()].reduce((sum, seconds) => sum + seconds, 0)
    const head = `${['seconds', 'CPU'].map(name => name.padStart(8)).join('')}  file\n`
    return `${head}${rows.join('')}\nCPU of all: ${cpu.toFixed(0)} s, without the servers of the run\n`
  }

  finish(files: number): void {
    this.#finished += files
  }

  print(text: string): void {
    this.#clear()
    this.#out.write(`${text}\n`)
  }

  end(): void {
    clearInterval(this.#timer)
    this.print('The slowest files, in seconds:')
    for (const [file, ms] of this.#slowest().slice(0, slowestShown))
      this.print(`${(ms / 1000).toFixed(1).padStart(7)}  ${file}`)
    const { passed, failed, skipped } = this.#counts
    const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`
    // Readers of a long log look at its end: the failures are there, with their number before and after them.
    if (this.hasFailures) this.print(`\n${counts}:`)
    for (const { what, text, again } of this.#failures) {
      this.print(`\n✖ ${what}\n${text.replace(/^/gm, '    ')}\n    Alone: ${again}`)
    }
    if (this.hasFailures) this.print('')
    this.print(counts)
  }

  #slowest(): [file: string, ms: number][] {
    return [...this.#msOf].toSorted(([, one], [, other]) => other - one)
  }

  #show(): void {
    const { passed, failed } = this.#counts
    const done = this.#finished
    const msEach = (performance.now() - this.#startedAt) / done
    const left = done === 0 ? '' : `, about ${Math.round((msEach * (this.#files - done)) / 1000)} s left`
    const text = `${done} of ${this.#files} files, ${passed} tests passed, ${failed} failed${left}`
    this.#clear()
    this.#out.write(this.#out.isTTY ? text : `${text}\n`)
  }

  #clear(): void {
    if (this.#out.isTTY) this.#out.write('\r\u001b[K')
  }
}
