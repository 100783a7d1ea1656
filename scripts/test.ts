// Everything that must hold, in one command: types, style, generated files, and all tests on both databases.
// `npm test -- test/contract` runs the tests of one folder or file only.
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const chosen = process.argv.slice(2)
mkdirSync(`${root}test-results`, { recursive: true })

function run(what: string, command: string, args: string[], summary = () => ''): void {
  const startedAt = performance.now()
  // Each test file is a process of its own, and all of them load the same modules.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') }
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env })
  process.stdout.write(summary())
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`${status === 0 ? 'ok' : 'FAILED'}: ${what} (${seconds} s)`)
  if (status !== 0) process.exit(status ?? 1)
}

if (chosen.length === 0) {
  run('types', 'tsc', [])
  run('style', 'biome', ['check', '--error-on-warnings'])
  run('generated files', process.execPath, ['scripts/generate.ts', '--check'])
}
/** The counts at the end of the long report: the dots leave them out. */
function counts(): string {
  const lines = readFileSync(`${root}test-results/tests.txt`, 'utf8').split('\n')
  return lines
    .filter(line => /^ℹ (tests|pass|fail|cancelled|skipped|todo) /.test(line))
    .join('\n')
    .concat('\n')
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
run(
  'tests',
  process.execPath,
  [
    '--test',
    '--test-global-setup=test/harness/global-setup.ts',
    // Two more than there are processors: some wait, for a browser, a database or a process.
    `--test-concurrency=${availableParallelism() + 2}`,
    '--test-reporter=dot',
    '--test-reporter-destination=stdout',
    '--test-reporter=spec',
    '--test-reporter-destination=test-results/tests.txt',
    ...files,
  ],
  counts,
)
