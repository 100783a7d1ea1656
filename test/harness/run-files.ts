// Runs test files in this process: node test/harness/run-files.ts <report> <milliseconds of the longest test> <file>...
import type { HookCallbacks } from 'node:async_hooks'
import { createWriteStream } from 'node:fs'
import './cheap-passwords.ts'
import eventLines from './event-lines.ts'

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

for (const event of ['uncaughtExceptionMonitor', 'unhandledRejection'])
  process.on(event, error => console.error('Not caught by a test:', error))

const [report = '', longestMs, ...files] = process.argv.slice(2)
const events = run({ files, isolation: 'none', timeout: Number(longestMs) })
events.on('test:fail', () => {
  process.exitCode = 1
})
events.compose(eventLines).pipe(process.stdout)
events.compose(spec).pipe(createWriteStream(report))
