import type { TestReport } from './event-lines.ts'

const slowestShown = 10
const failuresRepeated = 20
const linesEveryMs = 15_000

/** Prints how far the run is, each failure at once and again at the end, where a long log is read, and the slowest files. */
export class Progress {
  readonly #files: number
  readonly #out: NodeJS.WriteStream
  readonly #startedAt = performance.now()
  readonly #msOf = new Map<string, number>()
  readonly #cpuOf = new Map<string, number>()
  readonly #finished = new Set<string>()
  readonly #failures: string[] = []
  readonly #counts = { passed: 0, failed: 0, skipped: 0 }
  readonly #timer: NodeJS.Timeout

  constructor(files: number, out: NodeJS.WriteStream) {
    this.#files = files
    this.#out = out
    // A terminal gets one line that changes; a log gets a line now and then.
    this.#timer = setInterval(() => this.#show(), out.isTTY ? 500 : linesEveryMs)
  }

  add(file: string, { name, outcome, fault, ms }: Omit<TestReport, 'file'>): void {
    this.#msOf.set(file, (this.#msOf.get(file) ?? 0) + ms)
    if (outcome !== undefined) this.#counts[outcome] += 1
    if (outcome !== 'failed') return
    const failure = `✖ ${file}: ${name}\n${fault?.replace(/^/gm, '    ')}`
    this.#failures.push(failure)
    this.print(failure)
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

  finish(files: readonly string[]): void {
    for (const file of files) this.#finished.add(file)
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
    for (const failure of this.#failures.slice(0, failuresRepeated)) this.print(failure)
    const { passed, failed, skipped } = this.#counts
    this.print(`${passed} passed, ${failed} failed, ${skipped} skipped`)
  }

  #slowest(): [file: string, ms: number][] {
    return [...this.#msOf].toSorted(([, one], [, other]) => other - one)
  }

  #show(): void {
    const { passed, failed } = this.#counts
    const done = this.#finished.size
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
