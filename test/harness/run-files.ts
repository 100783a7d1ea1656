// Runs test files in this process: node test/harness/run-files.ts <report> <milliseconds of the longest test> <file>...
import type { HookCallbacks } from 'node:async_hooks'
import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import './cheap-passwords.ts'
import { eventLine, eventLines, readable } from './event-lines.ts'
import { seed } from './random.ts'

fc.configureGlobal({ seed })

const hooks = process.getBuiltinModule('node:async_hooks')
const { createHook } = hooks
// node:test follows every promise, to know the test of an error that is not caught. That takes a sixth of the time of
// all tests. Without it such an error still fails the run, and its stack names the test.
Object.assign(hooks, {
  createHook: (callbacks: HookCallbacks) => createHook({ ...callbacks, trackPromises: false }),
})
const { run } = await import('node:test')
Object.assign(hooks, { createHook })
const { spec } = await import('node:test/reporters')

const [report = '', longestMs, ...files] = process.argv.slice(2)
let running = files[0] ?? ''

/** Synchronous for a pipe, so that nothing is lost when the process dies. */
const tell = (event: Parameters<typeof eventLine>[0]) => process.stdout.write(eventLine(event))

function fail(file: string, name: string, error: unknown): void {
  process.exitCode = 1
  tell({ file, name, outcome: 'failed', fault: readable(error), ms: 0 })
}

for (const event of ['uncaughtExceptionMonitor', 'unhandledRejection'])
  process.on(event, error => fail(running, 'an error that no test caught', error))

const events = run({ files, isolation: 'none', timeout: Number(longestMs) })
events.on('test:fail', () => {
  process.exitCode = 1
})
events.on('test:dequeue', ({ file, nesting }) => {
  // A test that the harness declares belongs to the file that is running.
  if (
    nesting > 0 ||
    file === undefined ||
    file === running ||
    !files.map(path => resolve(path)).includes(file)
  )
    return
  running = file
  tell({ running })
})
// All files are loaded before the first test begins.
let unfinished = 0
events.on('test:enqueue', ({ nesting }) => {
  if (nesting === 0) unfinished += 1
})
events.on('test:complete', ({ nesting }) => {
  if (nesting > 0) return
  unfinished -= 1
  // What a test that passed leaves open is a fault, which the run reports as a process that hangs. A failed one had no chance to close it.
  if (unfinished === 0) setTimeout(endIfFailed, 2_000).unref()
})
await Promise.all([
  pipeline(events.compose(eventLines), process.stdout, { end: false }),
  pipeline(events.compose(spec), createWriteStream(report)),
])
await conclude()

async function conclude(): Promise<void> {
  // node:test says nothing of an error that a file throws after it has declared a test. Each is loaded once, and its error kept.
  for (const file of files) {
    await import(pathToFileURL(resolve(file)).href).catch(error =>
      fail(resolve(file), 'the file is loaded', error),
    )
  }
  tell({ isOver: true })
}

async function endIfFailed(): Promise<void> {
  if (process.exitCode !== 1) return
  await conclude()
  process.exit()
}
