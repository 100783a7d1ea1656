import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { Engine, TestDatabase } from '../harness/database.ts'
import { oneEngine } from '../harness/one-engine.ts'
import { findLogLine, startDossier } from '../harness/process.ts'
import { type LogLine, logLines } from '../harness/serving.ts'
import { databaseFor, run, runHere, runSql, serveHereFor } from './support.ts'

/** The demo world, with an expired session of Mary's. */
async function demoFor(t: TestContext, engine: Engine): Promise<TestDatabase> {
  const database = await databaseFor(t, engine, 'demo')
  await addOldSession(database, 'first')
  return database
}

function addOldSession(database: TestDatabase, name: string): Promise<void> {
  return runSql(
    database,
    `insert into sessions (hash, id, candidate_id, browser, created_at, last_used_at, expires_at)
      select '${name}', '${name}', min(id), '', 0, 0, 1 from candidates`,
  )
}

const done = (task: string) => (stdout: string) =>
  logLines(stdout).find(
    (line): line is LogLine => line.msg === 'background work done' && line['task'] === task,
  )

/** Without the tasks whose work depends on the time of day, and the one that these tests are not about. */
const withoutEmails = (stdout: string) =>
  stdout
    .replaceAll(/^(digests|unanswered|deliveries|webhooks|tombstones|audit) .*\n/gm, '')
    // How many of the demo's events are older than they are kept depends on the day.
    .replace(/, \d+ events$/m, '')

for (const engine of oneEngine) {
  describe(`dossier work [${engine}]`, { concurrency: 2 }, () => {
    test('--once runs each task once and prints its result', async t => {
      const database = await demoFor(t, engine)
      const { code, stdout, stderr } = await run(['work', '--once', '--json'], database.settings)
      assert.deepEqual([code, stderr], [0, ''])
      const [
        expiry,
        retention,
        erasure,
        cleanUp,
        digests,
        unanswered,
        deliveries,
        webhooks,
        tombstones,
        audit,
        ...others
      ] = JSON.parse(stdout)
      assert.deepEqual([expiry.task, expiry.outcome, expiry.did.sessions], ['expiry', 'done', 1])
      assert.deepEqual(retention, { task: 'retention', outcome: 'done', did: { planned: 0, reminded: 0 } })
      assert.deepEqual(erasure, { task: 'erasure', outcome: 'done', did: { erased: 0 } })
      assert.deepEqual(cleanUp, { task: 'clean-up', outcome: 'done', did: { loose: 0, uploads: 0 } })
      // Whether the demo's people are due for an email depends on the time of day.
      assert.deepEqual([digests.task, deliveries.task], ['digests', 'deliveries'])
      assert.deepEqual([unanswered.task, unanswered.outcome], ['unanswered', 'done'])
      assert.deepEqual([webhooks.task, webhooks.outcome], ['webhooks', 'done'])
      assert.deepEqual(tombstones, { task: 'tombstones', outcome: 'done', did: {} })
      assert.deepEqual([audit.task, audit.outcome], ['audit', 'done'])
      assert.deepEqual(others, [], 'without a scanner nothing is scanned')

      const again = await runHere(['work', '--once'], database.settings)
      assert.deepEqual(
        { ...again, stdout: withoutEmails(again.stdout) },
        {
          code: 0,
          stdout:
            'expiry     nothing to do\nretention  nothing to do\nerasure    nothing to do\nclean-up   nothing to do\n',
          stderr: '',
        },
      )
      const { stdout: health } = await runHere(['doctor', '--deep'], database.settings)
      assert.doesNotMatch(health, /WRONG/)
    })

    test('works until it is asked to stop', async t => {
      const database = await demoFor(t, engine)
      const running = startDossier(['work'], { ...database.settings, EXPIRY_SECONDS: '1' })
      t.after(() => running.child.kill('SIGKILL'))
      const start = await running.until(stdout => findLogLine(stdout, 'background work runs in this process'))
      assert.equal(
        start['tasks'],
        'expiry, retention, erasure, clean-up, digests, unanswered, deliveries, webhooks, tombstones, audit',
      )
      assert.equal((await running.until(done('expiry')))['sessions'], 1)
      running.child.kill('SIGTERM')
      const { code, stdout, stderr } = await running.finished
      assert.deepEqual([code, stderr], [0, ''])
      assert.ok(findLogLine(stdout, 'stopped'))
    })
  })
}

describe('dossier work --once', () => {
  test('ends with 1 when a task fails, after the others', async t => {
    const database = await demoFor(t, 'sqlite')
    const blobs = join(String(database.settings['DATA_DIR']), 'blobs')
    await rm(blobs, { recursive: true })
    await writeFile(blobs, 'no folder')
    const { code, stdout, stderr } = await runHere(['work', '--once'], database.settings)
    assert.equal(code, 1)
    assert.equal(
      withoutEmails(stdout),
      'expiry     1 sessions\nretention  nothing to do\nerasure    nothing to do\nclean-up   failed\n',
    )
    assert.match(stderr, /background work failed.*ENOTDIR.*dossier: 3 of 10 tasks failed\.\n$/s)
  })

  test('leaves a task to the process that runs it', async t => {
    const database = await demoFor(t, 'sqlite')
    await runSql(database, `insert into leases values ('expiry', 'somebody', ${Date.now() + 60_000})`)
    const { code, stdout } = await runHere(['work', '--once'], database.settings)
    assert.equal(code, 0)
    assert.equal(
      withoutEmails(stdout),
      'expiry     not done: another process is running it\nretention  nothing to do\nerasure    nothing to do\nclean-up   nothing to do\n',
    )
  })

  test('runs one task by its name, which goes into the audit log', async t => {
    const { settings } = await demoFor(t, 'sqlite')
    const { code, stdout } = await runHere(['work', '--once', '--task', 'expiry'], settings)
    assert.deepEqual([code, stdout.replace(/, \d+ events/, '')], [0, 'expiry     1 sessions\n'])
    const log = await runHere(['audit', 'list'], settings)
    assert.match(log.stdout, /task\.run +task:expiry/)
    const unknown = await runHere(['work', '--once', '--task', 'other'], settings)
    assert.equal(unknown.code, 2)
    assert.match(unknown.stderr, /There is no task other\. The tasks: expiry, /)
  })

  test('has the only use for --json and --task', async t => {
    const { settings } = await databaseFor(t, 'sqlite', 'empty')
    for (const option of [['--json'], ['--task', 'expiry']]) {
      const { code, stderr } = await runHere(['work', ...option], settings)
      assert.deepEqual([code, stderr], [2, `dossier: ${option[0]} requires --once.\n`])
    }
  })
})

describe('dossier serve', () => {
  test('does the background work, unless that is configured elsewhere', async t => {
    const database = await demoFor(t, 'sqlite')
    const env = { EXPIRY_SECONDS: '1' }
    const idle = await serveHereFor(t, database, { args: ['--demo'], env: { ...env, WORK: 'elsewhere' } })
    const busy = await serveHereFor(t, database, { args: ['--demo'], env })
    assert.ok(findLogLine(idle.log(), 'background work is left to "dossier work" (WORK=elsewhere)'))
    assert.ok(findLogLine(busy.log(), 'background work runs in this process'))
    assert.equal((await busy.running.until(done('expiry')))['sessions'], 1)

    const runs = async ({ adminUrl }: { adminUrl: string }) => {
      const text = await (await fetch(`${adminUrl}/metrics`)).text()
      return text.split('\n').filter(line => line.startsWith('dossier_work_'))
    }
    const counted = await runs(busy)
    assert.match(counted.join('\n'), /^dossier_work_runs_total\{task="expiry",outcome="done"\} [1-9]/m)
    assert.match(counted.join('\n'), /^dossier_work_items_total\{task="expiry",what="sessions"\} 1$/m)
    // It has been there for longer than the other.
    assert.deepEqual(await runs(idle), [])
    await Promise.all([idle.stop(), busy.stop()])
  })
})
