import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { relative } from 'node:path'
import { createInterface } from 'node:readline'
import { cpuSeconds } from './cpu-time.ts'
import { eventMark, type RunnerEvent } from './event-lines.ts'
import type { Progress } from './progress.ts'

const runFiles = new URL('run-files.ts', import.meta.url).pathname
const linesOfError = 15
const linesOfCheck = 20
const linesOfProcess = 20

interface Options {
  /** The checkout with the tests. */
  root: string
  progress: Progress
  flags: readonly string[]
  /** A test that waits longer fails by its name. Holds for suites as well. */
  longestTestMs: number
  /** A process that reports nothing for so long is ended. */
  silentMs: number
  /** The command that runs these test files alone. */
  again(paths: readonly string[]): string
}

/** The processes of one run, and what becomes of them: each failure of a test, of a check or of a process is reported once. */
export class TestRun {
  readonly #options: Options
  /** Each leads a group, so that what a test has started can be ended with it. */
  readonly #started = new Set<ChildProcess>()

  constructor(options: Options) {
    this.#options = options
  }

  #start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    const child = spawn(command, args, { cwd: this.#options.root, detached: true, ...options })
    this.#started.add(child)
    child.once('exit', () => this.#started.delete(child))
    return child
  }

  kill(): void {
    for (const child of this.#started) killGroup(child)
  }

  /** Prints what the command says when it has ended, because others run beside it. */
  async check(what: string, command: string, args: readonly string[], env = {}): Promise<void> {
    const startedAt = performance.now()
    const child = this.#start(command, args, { env: { ...process.env, ...env } })
    const chunks: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => chunks.push(chunk))
    const failure = await once(child, 'close').then(
      ([code, signal]) => (code === 0 ? undefined : howEnded(code, signal)),
      // There is no such command.
      error => String(error),
    )
    const printed = `${Buffer.concat(chunks)}`
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    const { progress } = this.#options
    progress.print(`${printed}${failure === undefined ? 'ok' : 'FAILED'}: ${what} (${seconds} s)`)
    if (failure === undefined) return
    progress.fail({
      what: `${what}: ${command} ${failure}`,
      text: first(linesOfCheck, printed.trimEnd()),
      again: ['npx', command, ...args].join(' '),
    })
  }

  /** Runs the tests of these files in one process. `report` is the file for all that its tests print. */
  async files(paths: readonly string[], report: string): Promise<void> {
    const { root, flags, longestTestMs, silentMs, progress, again } = this.#options
    const child = this.#start(
      process.execPath,
      [...flags, runFiles, report, String(longestTestMs), ...paths],
      {},
    )
    const closed = once(child, 'close')
    let isSilent = false
    const silence = setTimeout(() => {
      isSilent = true
      killGroup(child)
    }, silentMs)
    const printed: string[] = []
    const print = (line: string) => {
      silence.refresh()
      printed.push(line)
      progress.print(line)
    }
    // The files run in this order. `running` is ahead of what has been reported.
    let running = 0
    let reported = 0
    let cpu = 0
    let hasFailure = false
    let isOver = false
    const placeOf = (file: string) => paths.indexOf(relative(root, file))
    const take = (event: RunnerEvent) => {
      silence.refresh()
      if ('isOver' in event) {
        isOver = true
        return
      }
      if ('running' in event) {
        running = placeOf(event.running)
        return
      }
      // A test that the harness declares belongs to the file that is being reported.
      const own = placeOf(event.file)
      const place = own < 0 ? reported : own
      if (place > reported) {
        progress.finish(place - reported)
        reported = place
      }
      const path = String(paths[place])
      progress.add(path, event)
      if (event.outcome === 'failed') {
        hasFailure = true
        progress.print(`✖ ${path}: ${event.name}\n${indented(event.fault ?? '')}`)
        progress.fail({
          what: `${path}: ${event.name}`,
          text: first(linesOfError, event.fault ?? ''),
          again: again([path]),
        })
      }
      // Reading the time of every process takes milliseconds itself. What is not counted here, the next test counts.
      if (event.ms < 50) return
      const spent = cpuSeconds(Number(child.pid))
      progress.addCpu(path, spent - cpu)
      cpu = spent
    }
    const reading = [child.stdout, child.stderr].map(async stream => {
      if (stream === null) return
      for await (const line of createInterface({ input: stream })) {
        if (line.startsWith(eventMark)) take(JSON.parse(line.slice(eventMark.length)))
        else print(line)
      }
    })
    const [code, signal] = await closed
    await Promise.all(reading)
    clearTimeout(silence)
    progress.finish(paths.length - reported)
    if (code !== 0) progress.print(`FAILED: ${report}`)
    // Tests that failed have said so themselves.
    if (isOver && (code === 0 || (code === 1 && hasFailure))) return
    const path = String(paths[running])
    const how = isSilent
      ? `was ended because it reported nothing for ${silentMs / 1000} s`
      : howEnded(code, signal)
    progress.fail({
      what: `${isOver ? `one of ${paths.length} files` : path}: its process ${how}${isOver ? ' after its tests' : ''}`,
      text: printed.slice(-linesOfProcess).join('\n') || 'It printed nothing.',
      again: again(isOver ? paths : [path]),
    })
  }
}

const howEnded = (code: number | null, signal: NodeJS.Signals | null): string =>
  signal === null ? `ended with code ${code}` : `was ended by ${signal}`

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

function first(count: number, text: string): string {
  const lines = text.split('\n')
  const left = lines.length - count
  return left > 0 ? [...lines.slice(0, count), `... and ${left} lines more`].join('\n') : text
}

export const indented = (text: string): string => text.replace(/^/gm, '    ')
