// Everything that must hold, in one command: types, style, generated files, and all tests on both databases.
// `npm test -- test/contract` runs the tests of one folder or file only.
import { spawn, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { globalSetup, globalTeardown } from '../test/harness/global-setup.ts'
import { compileCache } from '../test/harness/process.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const chosen = process.argv.slice(2)
mkdirSync(`${root}test-results`, { recursive: true })

// Many processes, which load the same modules. Set here, since the set-up of the run adds to it.
process.env['NODE_COMPILE_CACHE'] = compileCache

function run(what: string, command: string, args: string[]): void {
  const startedAt = performance.now()
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  finish(what, startedAt, status ?? 1)
}

function finish(what: string, startedAt: number, status: number): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`${status === 0 ? 'ok' : 'FAILED'}: ${what} (${seconds} s)`)
  if (status !== 0) process.exit(status)
}

if (chosen.length === 0) {
  run('types', 'tsc', [])
  run('style', 'biome', ['check', '--error-on-warnings'])
  run('generated files', process.execPath, ['scripts/generate.ts', '--check'])
}
/** The counts at the end of the long reports, together: the dots leave them out. */
function counts(): string {
  const sums = new Map<string, number>()
  for (const report of globSync('test-results/tests-*.txt', { cwd: root })) {
    const text = readFileSync(resolve(root, report), 'utf8')
    for (const [, what = '', count] of text.matchAll(
      /^ℹ (tests|pass|fail|cancelled|skipped|todo) (\d+)$/gm,
    )) {
      sums.set(what, (sums.get(what) ?? 0) + Number(count))
    }
  }
  return [...sums].map(([what, count]) => `${what} ${count}\n`).join('')
}

const pattern = (path: string) => (path.endsWith('.test.ts') ? path : `${path}/**/*.test.ts`)
const files = (chosen.length > 0 ? chosen : ['src', 'test']).flatMap(path =>
  globSync(pattern(path), { cwd: root }),
)
if (files.some(file => file.startsWith('test/browser/'))) {
  run('a browser', process.execPath, ['test/harness/install-chromium.ts'])
}
if (files.some(file => readFileSync(resolve(root, file), 'utf8').includes('harness/clamd.ts'))) {
  run('a scanner', process.execPath, ['test/harness/install-clamd.ts'])
}
if (files.some(file => readFileSync(resolve(root, file), 'utf8').includes('harness/python.ts'))) {
  run('Python and curl', process.execPath, ['test/harness/install-python.ts'])
}
if (files.some(file => /withStores|onEveryEngine/.test(readFileSync(resolve(root, file), 'utf8')))) {
  run('pgbouncer', process.execPath, ['test/harness/install-pgbouncer.ts'])
}
if (files.some(file => readFileSync(resolve(root, file), 'utf8').includes('harness/nginx.ts'))) {
  run('nginx', process.execPath, ['test/harness/install-nginx.ts'])
}

/**
 * Most files share a process with others, one file after the other: loading the service takes longer than many of
 * them run. What starts processes or browsers of its own, or changes what a process has only once, runs apart.
 */
function runsApart(file: string): boolean {
  if (/^test\/(browser|cluster|crash|developers|hostile|process|race)\//.test(file)) return true
  const text = readFileSync(resolve(root, file), 'utf8')
  return /^(before|after)(Each)?\(/m.test(text) || /\bmock\b|\bprocess\.(env|chdir|on)\b/.test(text)
}

/** What takes longest begins first, so that nothing long is left for the end. */
const longest = [
  /^test\/browser\/pages-/,
  /^test\/(crash|process\/import)\b/,
  /^test\/(browser|cluster|developers|hostile)\//,
  /^test\//,
  /^src\//,
]

/** The tests of these files in one process; what comes of it is in `tests-<name>.txt`. */
function runTests(name: string, these: string[]): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-isolation=none',
      '--test-reporter=dot',
      '--test-reporter-destination=stdout',
      '--test-reporter=spec',
      `--test-reporter-destination=test-results/tests-${name}.txt`,
      ...these,
    ],
    { cwd: root, stdio: 'inherit' },
  )
  return new Promise(resolve =>
    child.on('close', code => {
      if (code !== 0) console.log(`FAILED: test-results/tests-${name}.txt`)
      resolve(code ?? 1)
    }),
  )
}

const startedAt = performance.now()
for (const old of globSync('test-results/tests*.txt', { cwd: root })) rmSync(resolve(root, old))
const place = (file: string) => longest.findIndex(pattern => pattern.test(file))
const apart = files.filter(runsApart).toSorted((one, other) => place(one) - place(other))
const together = files.filter(file => !apart.includes(file))
const lanes = availableParallelism()
const runs = [
  ...Array.from({ length: lanes }, (_, lane) => ({
    name: `together-${lane}`,
    these: together.filter((_, index) => index % lanes === lane),
  })).filter(({ these }) => these.length > 0),
  ...apart.map(file => ({ name: file.replace(/\.test\.ts$/, '').replaceAll('/', '-'), these: [file] })),
]
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await globalTeardown()
    process.exit(1)
  })
}
await globalSetup()
const codes: number[] = []
// More processes than processors: some wait, for a browser, a database or another process.
await Promise.all(
  Array.from({ length: 2 * lanes + 1 }, async () => {
    for (let next = runs.shift(); next !== undefined; next = runs.shift())
      codes.push(await runTests(next.name, next.these))
  }),
)
await globalTeardown()
process.stdout.write(counts())
finish('tests', startedAt, Math.max(...codes))
