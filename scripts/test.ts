// Everything that must hold, in one command: types, style, and all tests on both databases.
//   npm test                      every behaviour once, and short forms of the tests that repeat themselves
//   npm test -- test/contract     the tests of one folder or file
//   npm run test:long             the tests that repeat themselves (races, kills, fuzzing), at full numbers
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { availableParallelism, freemem, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { type Component, components, installMissing, type TestFile } from '../test/harness/components.ts'
import { cpuSeconds } from '../test/harness/cpu-time.ts'
import { eventMark, type TestReport } from '../test/harness/event-lines.ts'
import { compileCache } from '../test/harness/process.ts'
import { Progress } from '../test/harness/progress.ts'
import { findTests } from '../test/harness/test-files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const isLong = process.argv.includes('--long')
const chosen = process.argv.slice(2).filter(argument => argument !== '--long')
mkdirSync(`${root}test-results`, { recursive: true })

// Many processes load the same modules, of which the set-up of the run compiles most before they start. A cache belongs to the
// flags of V8, and this one of the processes of tests is part of its key.
const heapFlag = '--initial-old-space-size=500'
process.env['NODE_COMPILE_CACHE'] = compileCache
setFlagsFromString(heapFlag)
enableCompileCache(compileCache)
if (isLong) process.env['TEST_LONG'] = 'yes'
// Every commit waits for its disk, and what the tests write need not outlive them.
const temporary = mkdtempSync(join(process.env['TMPDIR'] ?? memoryFolder() ?? tmpdir(), 'dossier-run-'))
// PostgreSQL does not run as root.
chmodSync(temporary, 0o755)
process.env['TMPDIR'] = temporary
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }))

/** A file system in memory with enough room, from which programs can be run (PostgreSQL is copied); undefined if there is none. */
function memoryFolder(): string | undefined {
  const folder = '/dev/shm'
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : []
  const [, kind, options = ''] =
    mounts.map(line => line.split(' ').slice(1)).find(([at]) => at === folder) ?? []
  if (kind !== 'tmpfs' || options.split(',').includes('noexec')) return undefined
  const { bavail, bsize } = statfsSync(folder)
  return Math.min(bavail * bsize, freemem()) > 4 * 1024 ** 3 ? folder : undefined
}

/** The processes of this run. Each leads a group, so that what a test has started can be ended with it. */
const started = new Set<ChildProcess>()

function start(command: string, args: string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, { cwd: root, detached: true, ...options })
  started.add(child)
  child.once('exit', () => started.delete(child))
  return child
}

interface Check {
  what: string
  status: number
  printed: string
}

/** Keeps what the command prints until it has ended, because others run beside it. */
async function run(what: string, command: string, args: string[], env = {}): Promise<Check> {
  const startedAt = performance.now()
  const child = start(command, args, { env: { ...process.env, ...env } })
  const printed: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => printed.push(chunk))
  const [status] = await once(child, 'close')
  return {
    what,
    status: status ?? 1,
    printed: `${Buffer.concat(printed)}${outcome(what, startedAt, status ?? 1)}`,
  }
}

function outcome(what: string, startedAt: number, status: number): string {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  return `${status === 0 ? 'ok' : 'FAILED'}: ${what} (${seconds} s)`
}

/** Everything but the tests, beside them and what they install: the processors are never idle. */
const checks = (): Promise<Check>[] => [
  // Several threads check much of it twice, and collecting garbage takes a third of the time.
  run('types', 'tsc', ['--singleThreaded'], { GOGC: '400' }),
  run('style', 'biome', ['check', '--error-on-warnings']),
]

const begunChecks = chosen.length === 0 && !isLong ? checks() : []
const { globalSetup, globalTeardown } = await import('../test/harness/global-setup.ts')
const found = findTests(root, chosen.length > 0 ? chosen : ['src', 'test'])
const wanted = isLong ? found.filter(({ imports }) => imports.has('test/harness/effort.ts')) : found

const filesNeeding = ({ isNeededBy }: Component): TestFile[] => wanted.filter(isNeededBy)
const needed = components.filter(component => filesNeeding(component).length > 0)
const isOptional = ({ isForLongRun }: Component): boolean => isForLongRun === true && !isLong
const installing = installMissing(needed.filter(component => !isOptional(component)))
const ready = globalSetup(installing)
// Reported below, where the tests wait for it.
ready.catch(() => {})
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    isInterrupted = true
    for (const { pid } of started) if (pid !== undefined) process.kill(-pid, 'SIGKILL')
    // What is being set up could not be torn down.
    await Promise.race([ready.catch(() => {}).then(globalTeardown), sleep(20_000)])
    process.exit(1)
  })
}
const missing = new Map((await installing).map(component => [component, filesNeeding(component)]))
const notHere: TestFile[] = []
for (const component of needed.filter(isOptional)) {
  if (!component.skipsTests && !(await component.isInstalled())) notHere.push(...filesNeeding(component))
}
const leftOut = [
  ...notHere,
  ...[...missing].flatMap(([{ skipsTests }, needing]) => (skipsTests ? [] : needing)),
]
const files = wanted.filter(file => !leftOut.includes(file))

/**
 * Files that change the state of their process or have hooks around every test in it. What a test mocks through its
 * context ends with the test, and hooks before and after all tests of a process do no harm to those of other files.
 */
function runsAlone({ text }: TestFile): boolean {
  return /^(before|after)Each\(/m.test(text) || /(?<!\.)\bmock\.|\bprocess\.(chdir|on)\b/.test(text)
}

/**
 * Files that wait for other processes and for browsers, and how many processes run them for each processor. Each process loads the
 * service, but one that has too many files is the last to end.
 */
const waiting: readonly [pattern: RegExp, perProcessor: number][] = [
  [/^src\/platform\/(blobs\/s3|scanning)\//, 0.5],
  [/^test\/(developers|race|sdk|oauth\/crash)\b/, 0.5],
  [/^test\/(browser|hostile)\//, 1],
  [/^test\/(cluster|crash|deploy|process)\//, 1.5],
]
const othersPerProcessor = 2

/** The paths of these files, dealt to so many processes. */
const deal = (files: readonly TestFile[], processes: number): string[][] =>
  Array.from({ length: Math.min(processes, files.length) }, (_, index) =>
    files.filter((_, place) => place % processes === index).map(({ path }) => path),
  )

/** Collecting garbage rarely and on one thread takes a fifth less processor time. Does not reach the processes of a test. */
const gcFlags = ['--single-threaded-gc', '--min-semi-space-size=64', '--max-semi-space-size=64', heapFlag]

/** A test that waits forever fails by its name. Holds for suites as well, and machines may be three times slower than usual. */
const longestTestMs = (isLong ? 30 : 10) * 60_000

/** Runs the tests of these files in one process; the name of its full report says that it is not of the first file alone. */
async function runTests(paths: string[]): Promise<number> {
  const first = paths[0]?.replace(/\.test\.ts$/, '').replaceAll('/', '-')
  const others = paths.length > 1 ? `-and-${paths.length - 1}-more` : ''
  const report = `test-results/tests-${first}${others}.txt`
  const child = start(
    process.execPath,
    [...gcFlags, 'test/harness/run-files.ts', report, String(longestTestMs), ...paths],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const closed = once(child, 'close')
  // What a failed test has left open, such as a timer, keeps a process alive after its last test.
  const silence = setTimeout(() => process.kill(-Number(child.pid), 'SIGKILL'), longestTestMs + 60_000)
  let current = 0
  let cpu = 0
  for await (const line of createInterface({ input: child.stdout as Readable })) {
    silence.refresh()
    if (!line.startsWith(eventMark)) {
      progress.print(line)
      continue
    }
    const test: TestReport = JSON.parse(line.slice(eventMark.length))
    // The files run in this order. A test that the harness declares belongs to the file that is running.
    current = Math.max(current, paths.indexOf(relative(root, test.file)))
    progress.finish(paths.slice(0, current))
    progress.add(String(paths[current]), test)
    // Reading the time of every process takes milliseconds itself. What is not counted here, the next test counts.
    if (test.ms < 50) continue
    const spent = cpuSeconds(Number(child.pid))
    progress.addCpu(String(paths[current]), spent - cpu)
    cpu = spent
  }
  const [code] = await closed
  clearTimeout(silence)
  progress.finish(paths)
  if (code !== 0) progress.print(`FAILED: ${report}`)
  return code ?? 1
}

/**
 * Compiled here, with what they import, for the processes of tests: those that start together would each compile them. The service
 * loads its pages when it begins to serve.
 */
function commonModules(): string[] {
  const uses = Map.groupBy(
    files.flatMap(({ imports }) => [...imports]),
    path => path,
  )
  const common = [...uses].filter(([path, { length }]) => path.startsWith('test/harness/') && length > 20)
  return common.length === 0 ? [] : ['src/assembly/process/serve-process.ts', ...common.map(([path]) => path)]
}

const startedAt = performance.now()
for (const old of globSync('test-results/tests*.txt', { cwd: root })) rmSync(resolve(root, old))
const processors = availableParallelism()
// More processes than processors: some wait for a browser, a database or another process.
const lanes = isLong ? 2 * processors + 1 : 4 * processors
const kindOf = ({ path }: TestFile) => waiting.findIndex(([pattern]) => pattern.test(path))
const alone = files.filter(runsAlone)
// Loading the service takes longer than most files run.
const shared = files.filter(file => !runsAlone(file))
const runs = [
  ...waiting.flatMap(([, perProcessor], kind) => {
    const ofKind = shared.filter(file => kindOf(file) === kind)
    return deal(ofKind, isLong ? ofKind.length : Math.ceil(perProcessor * processors))
  }),
  ...alone.map(({ path }) => [path]),
  // They wait for next to nothing and end at about the same time, so that no processor is idle before the end.
  ...deal(
    shared.filter(file => kindOf(file) < 0),
    othersPerProcessor * processors,
  ),
]
const progress = new Progress(files.length, process.stdout)
const checked = Promise.all(
  begunChecks.map(async check => {
    const done = await check
    progress.print(done.printed)
    return done
  }),
)
await ready
await Promise.all(commonModules().map(path => import(resolve(root, path))))
flushCompileCache()
const codes: number[] = [0]
await Promise.all(
  Array.from({ length: lanes }, async () => {
    for (let next = runs.shift(); next !== undefined && !isInterrupted; next = runs.shift())
      codes.push(await runTests(next))
  }),
)
const failedChecks = (await checked).filter(({ status }) => status !== 0)
await globalTeardown()
progress.end()
writeFileSync(`${root}test-results/files.txt`, progress.table())
for (const [{ name, advice, skipsTests }, needing] of missing) {
  const what = skipsTests ? 'Tests with it are skipped in' : 'Not run'
  console.log(`Missing: ${name} (${advice}). ${what}:`)
  for (const { path } of needing) console.log(`  ${path}`)
}
const isIncomplete = process.env['CI'] === 'true' && missing.size > 0
if (isIncomplete) console.log('Under CI=true every test must run.')
const status = Math.max(...codes, isIncomplete ? 1 : 0)
console.log(outcome('tests', startedAt, status))
for (const { what } of failedChecks) console.log(`FAILED: ${what}, as reported above`)
process.exitCode = Math.max(status, ...failedChecks.map(check => check.status))
