import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { run as runCommand } from '../../src/assembly/commands/program.ts'
import { createTestDatabase, type TestDatabase } from '../harness/database.ts'
import { isLongRun, times } from '../harness/effort.ts'
import { createImportFolder, type ImportFolder, importLine } from '../harness/import-lines.ts'
import { type Finished, startDossier } from '../harness/process.ts'
import { listPath, prepareTenant, type Tenant } from '../harness/tenant.ts'
import { type Outcome, run, serveHereFor } from './support.ts'

const applications = times(5_000, 100_000)
const filesEvery = applications / 5
const start = Date.parse('2020-01-01T00:00:00Z')

let database: TestDatabase
let folder: ImportFolder
let tenants: Tenant[]
before(async () => {
  database = await createTestDatabase('sqlite', 'empty')
  folder = await createImportFolder()
  tenants = [await prepareTenant(database), await prepareTenant(database), await prepareTenant(database)]
})
after(async () => {
  await database.remove()
  await folder.remove()
})

/** The command in this process, which is never asked to stop. */
async function importHere(...args: string[]): Promise<Outcome> {
  const outcome = { stdout: '', stderr: '' }
  const code = await runCommand(['import', ...args], {
    environment: database.settings,
    print: text => {
      outcome.stdout += text
    },
    complain: text => {
      outcome.stderr += text
    },
    isTerminal: false,
    user: 'tester',
    untilStopRequested: () => new Promise(() => {}),
    onRestartRequested: () => {},
    openWorkers: () => Promise.reject(new Error('no workers here')),
  })
  return { code, ...outcome }
}

/** Sends the process this signal as soon as this share of the applications is stored. */
async function interrupted(path: string, signal: NodeJS.Signals, share: number): Promise<Finished> {
  const running = startDossier(['import', path], database.settings)
  const db = openDatabase()
  const stored = db.prepare('select count(*) as count from applications')
  while (running.child.exitCode === null && Number(stored.get()?.['count']) < share * applications)
    await sleep(5)
  running.child.kill(signal)
  db.close()
  return running.finished
}

const openDatabase = () =>
  new DatabaseSync(join(String(database.settings['DATA_DIR']), 'dossier.db'), { readOnly: true })

test(`${applications} applications, interrupted and resumed: each exactly once`, async t => {
  let sumOfDates = 0
  const lines = Array.from({ length: applications }, (_, index) => {
    // Backwards and with repetitions: the order of the file is not that of the dates.
    const at = start + Math.floor((applications - index) / 3) * 1_000 + (index % 7)
    sumOfDates += at - start
    const { advertiserId } = tenants[index % 3] as Tenant
    const files = index % filesEvery === 0 ? { files: [{ type: 'resume', path: 'resume.txt' }] } : {}
    return importLine(advertiserId, index, new Date(at).toISOString(), files)
  })
  await folder.write('resume.txt', 'Casey Ng, barista')
  const path = await folder.write('history.ndjson', lines.join('\n'))

  assert.equal((await interrupted(path, 'SIGKILL', 0.1)).signal, 'SIGKILL')
  if (isLongRun) assert.equal((await interrupted(path, 'SIGKILL', 0.4)).signal, 'SIGKILL')
  const stopped = await interrupted(path, 'SIGTERM', 0.6)
  assert.equal(stopped.code, 1)
  assert.match(
    stopped.stderr,
    /^dossier: Stopped by SIGTERM after [\d,]+ of \d+,000 lines\. Run the same command to continue\.$/m,
  )
  assert.match(stopped.stderr, /^Stopping \(SIGTERM\)/m)
  // A line for every 10,000.
  if (isLongRun) assert.match(stopped.stderr, /^lines done: [\d,]+ of 100,000/m)
  const whole = await importHere(path, '--json')
  assert.equal(whole.code, 0, whole.stderr)
  assert.deepEqual(JSON.parse(whole.stdout), {
    outcome: 'finished',
    lines: applications,
    linesDone: applications,
    imported: applications,
    refused: 0,
  })

  const db = openDatabase()
  const count = (sql: string) => Object.values(db.prepare(sql).get() ?? {})
  assert.deepEqual(
    count(`select count(*), count(distinct job_seeker_id), sum(submitted_at - ${start}) from applications`),
    [applications, applications, sumOfDates],
  )
  assert.deepEqual(
    count(`select count(*) from (
      select submitted_at, lag(submitted_at) over (partition by advertiser_id order by id) as previous
      from applications) where submitted_at < previous`),
    [0],
  )
  assert.deepEqual(count('select count(*), count(distinct blob) from application_files'), [5, 5])
  db.close()

  const { baseUrl } = await serveHereFor(t, database)
  let listed = 0
  let checked = 0
  for (const { headers } of tenants) {
    const text = await (await fetch(`${baseUrl}${listPath}`, { headers })).text()
    const list: { ID: number; Attachments: { Href: string }[] }[] =
      JSON.parse(text).JobApplications.JobApplicationsList
    listed += list.length
    for (const { Attachments } of list) {
      for (const { Href } of Attachments) {
        const file = await fetch(`${baseUrl}/v1/${Href}`, { headers })
        assert.equal(await file.text(), 'Casey Ng, barista')
        checked += 1
      }
    }
  }
  assert.deepEqual([listed, checked], [applications, 5])
})

test('refused lines are printed with their reasons, and can be written to a file', async () => {
  const { advertiserId } = await prepareTenant(database)
  const wrong = importLine(advertiserId, 'x', '2021-01-02T00:00:00Z', { contact: 5 })
  const stranger = importLine(99, 'y', '2021-01-01T00:00:00Z')
  const good = importLine(advertiserId, 'z', '2021-01-01T00:00:00Z')
  const path = await folder.write('partly.ndjson', `\uFEFF${wrong}\r\n\r\n${good}\r\n${stranger}`)
  const reasons = ['line 1: contact must be a JSON object.', 'line 4: There is no advertiser 99.']

  const checked = await importHere(path, '--check')
  assert.equal(checked.code, 1)
  assert.equal(checked.stdout, '1 lines can be imported, 2 cannot.\n')
  for (const reason of reasons) assert.ok(checked.stderr.includes(`${reason}\n`), checked.stderr)

  const imported = await importHere(path)
  assert.equal(imported.code, 1)
  assert.equal(imported.stdout, '1 applications imported, 2 lines rejected.\n')
  for (const reason of reasons) assert.ok(imported.stderr.includes(`${reason}\n`), imported.stderr)
  assert.match(imported.stderr, /^dossier: 2 lines were rejected\. .* run the same command with --refused/m)

  const again = await importHere(path, '--refused', folder.path('refused.ndjson'))
  assert.deepEqual(again, {
    code: 1,
    stdout: 'This file has been imported before: 1 applications, 2 lines rejected.\n',
    stderr: `dossier: 2 lines were rejected. Fix them in ${folder.path('refused.ndjson')} and import that file.\n`,
  })
  assert.equal((await importHere(path, '--check')).code, 1)
  assert.equal(await readFile(folder.path('refused.ndjson'), 'utf8'), `${wrong}\n${stranger}\n`)
})

test('a missing file, or a path that is not a file, is reported as such', async () => {
  const nothing = await importHere(folder.path('nothing.ndjson'))
  assert.deepEqual([nothing.code, nothing.stdout], [3, ''])
  assert.match(nothing.stderr, /^dossier: There is no file or folder .*nothing\.ndjson\.\n$/)
  const aFolder = await importHere(folder.path(''))
  assert.equal(aFolder.code, 1)
  assert.match(aFolder.stderr, /is not a file/)
  execFileSync('mkfifo', [folder.path('pipe')])
  // In its own process: one that waits for a pipe cannot be ended from within.
  const aPipe = await run(['import', folder.path('pipe')], database.settings)
  assert.equal(aPipe.code, 1)
  assert.match(aPipe.stderr, /is not a file/)
  const path = await folder.write('one.ndjson', 'x')
  const noFolder = await importHere(path, '--files', folder.path('nowhere'))
  assert.equal(noFolder.code, 3)
  assert.equal((await importHere()).code, 2)
})
