// Everything that must hold, in one command: types, style, and all tests on both databases.
//   npm test                      every behaviour once, and short forms of the tests that repeat themselves
//   npm test -- test/contract     the tests of one folder or file
//   npm test -- --times 20 FILE   repeats these files with other random values, and stops at the first failure
//   npm run test:long             the tests that repeat themselves (races, kills, fuzzing), at full numbers
// TEST_SEED chooses the random values, and the order of the files unless it is 1: see test/harness/random.ts.
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
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { type Component, components, installMissing, type TestFile } from '../test/harness/components.ts'
import { compileCache } from '../test/harness/process.ts'
import { Progress } from '../test/harness/progress.ts'
import { seeded } from '../test/harness/random.ts'
import { findTests } from '../test/harness/test-files.ts'
import { TestRun } from '../test/harness/test-run.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values: options, positionals: chosen } = parseArgs({
  options: { long: { type: 'boolean', default: false }, times: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const isLong = options.long
const times = Number(options.times)
if (!Number.isInteger(times) || times < 1) throw new Error('--times takes a whole number from 1.')
mkdirSync(`${root}test-results`, { recursive: true })

// Many processes load the same modules, of which the set-up of the run compiles most before they start. A cache belongs to the
// flags of V8, and this one of the processes of tests is part of its key.
const heapFlag = '--initial-old-space-size=500'
process.env['NODE_COMPILE_CACHE'] = compileCache
setFlagsFromString(heapFlag)
enableCompileCache(compileCache)
if (isLong) process.env['TEST_LONG'] = 'yes'
// What a round finds for the first time must not stop those who change something else.
const seed = Number(process.env['TEST_SEED'] ?? (isLong ? Date.now() % 2 ** 31 : 1))
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

const found = findTests(root, chosen.length > 0 ? chosen : ['src', 'test'])
const wanted = isLong ? found.filter(({ imports }) => imports.has('test/harness/effort.ts')) : found
if (wanted.length === 0) throw new Error(`No tests in ${chosen.join(', ')}.`)

/** Collecting garbage rarely and on one thread takes a fifth less processor time. Does not reach the processes of a test. */
const gcFlags = ['--single-threaded-gc', '--min-semi-space-size=64', '--max-semi-space-size=64', heapFlag]
// Machines may be three times slower than usual.
const longestTestMs = (isLong ? 30 : 10) * 60_000
const progress = new Progress(process.stdout)
const run = new TestRun({
  root,
  progress,
  flags: gcFlags,
  longestTestMs,
  // What a failed test has left open, such as a timer, keeps a process alive after its last test.
  silentMs: longestTestMs + 60_000,
  again: paths =>
    [`TEST_SEED=${process.env['TEST_SEED']}`, isLong ? 'npm run test:long' : 'npm test', '--', ...paths].join(
      ' ',
    ),
})

/** Everything but the tests, beside them and what they install: the processors are never idle. */
const checked =
  chosen.length === 0 && !isLong
    ? [
        // Several threads check much of it twice, and collecting garbage takes a third of the time.
        run.check('types', 'tsc', ['--singleThreaded'], { GOGC: '400' }),
        run.check('style', 'biome', ['check', '--error-on-warnings']),
      ]
    : []
const { globalSetup, globalTeardown } = await import('../test/harness/global-setup.ts')

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
    run.kill()
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
const chance = seeded(seed)
/** Files share processes: another order finds tests that depend on what ran before them. */
const files = wanted
  .filter(file => !leftOut.includes(file))
  .map(file => ({ file, place: seed === 1 ? 0 : chance() }))
  .toSorted((a, b) => a.place - b.place)
  .map(({ file }) => file)
progress.expect(files.length * times)

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

/** The name of the full report says that it is not of the first file alone. */
function reportOf([path = '', ...others]: readonly string[]): string {
  const first = path.replace(/\.test\.ts$/, '').replaceAll('/', '-')
  return `test-results/tests-${first}${others.length > 0 ? `-and-${others.length}-more` : ''}.txt`
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
await ready
await Promise.all(commonModules().map(path => import(resolve(root, path))))
flushCompileCache()
for (let round = 0; round < times && !progress.hasFailures && !isInterrupted; round++) {
  process.env['TEST_SEED'] = String(seed + round)
  progress.print(`${times > 1 ? `Round ${round + 1} of ${times}, ` : ''}TEST_SEED=${seed + round}`)
  const left = [...runs]
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (left.length > 0 && !isInterrupted && !(times > 1 && progress.hasFailures)) {
        const paths = left.shift() ?? []
        await run.files(paths, reportOf(paths))
      }
    }),
  )
}
await Promise.all(checked)
await globalTeardown()
for (const [{ name, advice, skipsTests }, needing] of missing) {
  const what = skipsTests ? 'Tests with it are skipped in' : 'Not run'
  const text = [`${what}:`, ...needing.map(({ path }) => `  ${path}`)].join('\n')
  if (process.env['CI'] === 'true') {
    progress.fail({ what: `${name} is missing, and under CI=true every test must run`, text, again: advice })
  } else progress.print(`Missing: ${name} (${advice}). ${text}`)
}
writeFileSync(`${root}test-results/files.txt`, progress.table())
progress.print(`All of it took ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`)
progress.end()
process.exitCode = progress.hasFailures ? 1 : 0
