import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Progress } from './progress.ts'
import { TestRun } from './test-run.ts'

interface Run {
  add(path: string, text: string): string
  run: TestRun
  /** What the run prints at its end. */
  end(): string[]
}

/** A run in a folder of its own. Only planted tests and processes that stand still reach the two bounds. */
function startRun(bounds: { longestTestMs?: number; silentMs?: number } = {}): Run {
  const root = mkdtempSync(join(tmpdir(), 'planted-'))
  let printed = ''
  const progress = new Progress({
    write(text) {
      printed += text
      return true
    },
  })
  const again = (paths: readonly string[]) => `npm test -- ${paths.join(' ')}`
  const run = new TestRun({
    root,
    progress,
    flags: [],
    longestTestMs: 600_000,
    silentMs: 600_000,
    ...bounds,
    again,
  })
  return {
    run,
    add(path, text) {
      writeFileSync(join(root, path), text)
      return path
    },
    end() {
      printed = ''
      progress.end()
      return printed.trimEnd().split('\n')
    },
  }
}

const imports = `import { test } from 'node:test'\n`
const passing = `${imports}test('passes', () => {})\n`

describe('the end of a run says what failed:', () => {
  test('an assertion, with the counts before and after it, and the command that runs its file alone', async () => {
    const { add, run, end } = startRun()
    const path = add(
      'sum.test.ts',
      `import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
describe('sums', () => {
  test('passes', () => {})
  test['skip']('is not done', () => {})
  test('are right', () => assert.equal(1 + 1, 3))
  test('are long', () => { throw new Error(Array.from({ length: 40 }, (_, line) => 'line ' + line).join('\\n')) })
})
`,
    )
    await run.files([path], join(tmpdir(), 'planted-report.txt'))
    const lines = end()
    assert.equal(lines.at(-1), '1 passed, 2 failed, 1 skipped')
    const failures = lines.slice(lines.indexOf('1 passed, 2 failed, 1 skipped:'))
    const place = failures.indexOf('✖ sum.test.ts: sums > are right')
    assert.match(String(failures[place + 1]), /^ {4}AssertionError/)
    const long = failures.slice(failures.indexOf('✖ sum.test.ts: sums > are long') + 1)
    assert.match(String(long[14]), /^ {4}line 14$/)
    assert.match(String(long[15]), /^ {4}\.\.\. and \d+ lines more$/)
    assert.equal(long[16], '    Alone: npm test -- sum.test.ts')
  })

  test('an error outside of a test', async () => {
    const { add, run, end } = startRun()
    const paths = [
      add('import.test.ts', `${passing}throw new Error('thrown while it was loaded')\n`),
      add('later.test.ts', passing),
    ]
    await run.files(paths, join(tmpdir(), 'planted-report.txt'))
    const text = end().join('\n')
    assert.match(
      text,
      /^✖ .*import\.test\.ts(?:.|\n)*?thrown while it was loaded(?:.|\n)*?Alone: npm test -- /m,
    )
    assert.match(text, /\n\d passed, [1-9] failed, 0 skipped$/)
  })

  test('an error in a callback that no test waits for', async () => {
    const { add, run, end } = startRun()
    const path = add(
      'callback.test.ts',
      `${imports}test('goes on', done => new Promise(resolve => {
  setImmediate(() => { throw new Error('thrown in a callback') })
  setTimeout(resolve, 5)
}))\n`,
    )
    await run.files([path], join(tmpdir(), 'planted-report.txt'))
    const text = end().join('\n')
    assert.match(
      text,
      /^✖ callback\.test\.ts(?:.|\n)*?thrown in a callback(?:.|\n)*?Alone: npm test -- callback\.test\.ts/m,
    )
    assert.match(text, /\n\d passed, [1-9] failed, 0 skipped$/)
  })

  for (const [how, statement, said] of [
    ['exits as if all were well', 'process.exit(0)', 'ended with code 0'],
    ['exits with an error', 'process.exit(7)', 'ended with code 7'],
    ['is killed', "process.kill(process.pid, 'SIGKILL')", 'was ended by SIGKILL'],
  ] as const) {
    test(`a process that ${how}, with what it printed last`, async () => {
      const { add, run, end } = startRun()
      const paths = [
        add('first.test.ts', passing),
        add(
          'leaving.test.ts',
          `import { writeSync } from 'node:fs'
${imports}test('leaves', () => { writeSync(1, 'last words\\n'); ${statement} })\n`,
        ),
      ]
      await run.files(paths, join(tmpdir(), 'planted-report.txt'))
      const lines = end()
      assert.match(lines.at(-1) ?? '', /^[01] passed, 1 failed, 0 skipped$/)
      const place = lines.findIndex(line => line.includes(`its process ${said}`))
      assert.match(String(lines[place]), /^✖ /)
      assert.equal(lines[place + 1], '    last words')
      assert.match(String(lines[place + 2]), /^ {4}Alone: npm test -- .*leaving\.test\.ts$/)
    })
  }

  test('a test that waits for ever, by its name', async () => {
    const { add, run, end } = startRun({ longestTestMs: 200 })
    const path = add(
      'waiting.test.ts',
      `${imports}test('waits', () => new Promise(resolve => { setTimeout(resolve, 3_600_000) }))\n`,
    )
    await run.files([path], join(tmpdir(), 'planted-report.txt'))
    const text = end().join('\n')
    assert.match(text, /^✖ waiting\.test\.ts: waits\n {4}.*200ms/m)
    assert.match(text, /\n0 passed, 1 failed, 0 skipped$/)
  })

  test('a process that stands still, with what it printed last', async () => {
    const { add, run, end } = startRun({ silentMs: 2_000 })
    const path = add(
      'standing.test.ts',
      `import { writeSync } from 'node:fs'
${imports}test('stands still', () => { writeSync(2, 'before the loop\\n'); for (;;); })\n`,
    )
    await run.files([path], join(tmpdir(), 'planted-report.txt'))
    const lines = end()
    const place = lines.indexOf(
      '✖ standing.test.ts: its process was ended because it reported nothing for 2 s',
    )
    assert.deepEqual(lines.slice(place + 1), [
      '    before the loop',
      '    Alone: npm test -- standing.test.ts',
      '',
      '0 passed, 1 failed, 0 skipped',
    ])
  })

  test('types and style, each as one failure', async () => {
    const { add, run, end } = startRun()
    const path = add('wrong.ts', `export const count: number = 'three'\ndebugger\n`)
    await run.check('types', 'tsc', ['--noEmit', '--ignoreConfig', path])
    await run.check('style', 'biome', ['check', path])
    const text = end().join('\n')
    assert.match(
      text,
      /^✖ types: tsc ended with code \d\n {4}wrong\.ts.*error TS2322(?:.|\n)*?Alone: npx tsc/m,
    )
    assert.match(text, /^✖ style: biome ended with code 1\n(?:.|\n)*?Alone: npx biome check wrong\.ts/m)
    assert.match(text, /\n0 passed, 2 failed, 0 skipped$/)
  })
})

test('a run without failures ends with the counts, once', async () => {
  const { add, run, end } = startRun()
  await run.files([add('fine.test.ts', passing)], join(tmpdir(), 'planted-report.txt'))
  assert.deepEqual(
    end().filter(line => line.includes('passed')),
    ['1 passed, 0 failed, 0 skipped'],
  )
})
