// `npm run bench`: measures the service as shipped, in its own process, against the least that could do the same.
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { arch, availableParallelism, cpus, loadavg, platform, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { makePackage } from '../scripts/package.ts'
import { startPostgres } from '../test/harness/postgres.ts'
import type { Bench } from './bench.ts'
import { writeCapacity } from './capacity.ts'
import { createCleanup } from './cleanup.ts'
import { fill, type World } from './fill.ts'
import type { Soaked } from './findings.ts'
import { readKept, writeKept } from './kept-results.ts'
import { measureAlternatives } from './measure-alternatives.ts'
import { measureBackup } from './measure-backup.ts'
import { measureCompression } from './measure-compression.ts'
import { measureCountry } from './measure-country.ts'
import { measureDisk } from './measure-disk.ts'
import { measureFeed, measureLatency } from './measure-events.ts'
import { measureFanOut } from './measure-fan-out.ts'
import { measureAttachments } from './measure-files.ts'
import { measureGrowth } from './measure-growth.ts'
import { type ListSubject, measurePages, measureXmlPages } from './measure-lists.ts'
import { measurePeoplesPages } from './measure-pages.ts'
import { measurePolls } from './measure-polls.ts'
import { measureApply, measureStart, measureWholeList } from './measure-process.ts'
import { measureProgress } from './measure-progress.ts'
import { measureSdk } from './measure-sdk.ts'
import { measureSoak } from './measure-soak.ts'
import { measureSubmissions, measureUploads } from './measure-submissions.ts'
import { measureTails } from './measure-tails.ts'
import { measureWaiting } from './measure-waiting.ts'
import { measureWorkers } from './measure-workers.ts'
import { methodOf } from './method.ts'
import { type Part, readOptions } from './options.ts'
import { fullPace, quickPace } from './pace.ts'
import { createReport } from './report.ts'
import type { Place } from './row-writer.ts'
import { type ServerProcess, startScript, startService } from './service.ts'
import { measureSharing, openSharing } from './sharing.ts'
import { placeOf } from './sharing-world.ts'
import { usualPage } from './subject.ts'

const labels = ['SQLite', 'PostgreSQL'] as const
const options = readOptions(process.argv.slice(2))
const wants = (part: Part) => options.parts.includes(part)
const cleanup = createCleanup()
const startedAt = performance.now()
/** Processes that wanted a core in the last minute, before ours started. */
const [loadBefore = 0] = loadavg()

async function run(): Promise<void> {
  const folder = await cleanup.own(mkdtemp(join(tmpdir(), 'dossier-bench-')), path =>
    rm(path, { recursive: true, force: true }),
  )
  const program = await makeProgram(folder)
  const startFrom =
    (executable?: string): Bench['start'] =>
    (settings, args) =>
      cleanup.own(startService(folder, settings, args, executable), service => service.stop())
  const bench: Bench = {
    report: createReport(),
    cleanup,
    folder,
    pace: options.isQuick ? quickPace : fullPace,
    start: startFrom(program),
    startCheckout: startFrom(),
    startScript: (...script) => cleanup.own(startScript(folder, ...script), server => server.stop()),
  }
  const database = await openDatabase()
  const subjects = await openSubjects(bench, database)

  if (wants('lists') || wants('files')) await measureReading(bench, subjects)
  if (wants('pages')) await measurePeoplesPages(bench, subjects)
  // The same kind as the service's, on the same disk and on the same server.
  const places: Place[] = [{ file: join(folder, 'oidc-provider.db') }, { url: database.secondUrl }]
  if (wants('oauth') || wants('tails')) {
    const sharing = await openSharing(bench, subjects, places)
    if (wants('oauth')) await measureSharing(bench, sharing)
    if (wants('tails')) await measureTails(bench, await openFloor(bench, subjects), subjects, sharing.pairs)
  }
  if (wants('disk')) await measureDisk(bench)
  if (wants('apply')) {
    await measureSubmissions(bench, subjects)
    for (const subject of subjects) {
      await measureUploads(bench, subject, await bench.start(subject.settings))
      await measureApply(bench, subject)
    }
  }
  if (wants('alternatives')) await measureAlternatives(bench, subjects)
  if (wants('sdk')) await measureSdk(bench)
  if (wants('events')) {
    await measureFeed(bench, subjects)
    await measureLatency(bench, subjects)
    for (const subject of subjects) await measureWaiting(bench, subject)
    for (const subject of subjects)
      await measureFanOut(bench, subject, subject.label === 'SQLite' ? undefined : database.thirdUrl)
  }
  // It changes every status and writes as many events, so it comes after what reads them.
  if (wants('progress')) await measureProgress(bench, subjects)
  if (wants('backup')) await measureBackup(bench, subjects)
  const soaked = wants('soak') ? await soak(bench, subjects) : undefined
  const compared = wants('country')
    ? await measureCountry(bench, subjects[1] as ListSubject, options.minutes ?? 10)
    : undefined
  for (const figure of compared?.figures ?? []) bench.report.add(figure)
  const facts = {
    at: new Date().toISOString(),
    commit: commitHere(),
    machine: machineFacts(database.version),
    method: methodOf(bench.pace),
    seconds: (performance.now() - startedAt) / 1000,
  }
  const here = new URL('./', import.meta.url)
  bench.report.finish(facts, options.isWhole ? here : undefined)
  if (options.isWhole) writeCapacity()
  if (options.isQuick) return
  const kept = readKept(here)
  if (soaked !== undefined)
    writeKept({ ...kept, soaks: { ...kept.soaks, [soaked.label]: { ...facts, ...soaked } } }, here)
  if (compared !== undefined) writeKept({ ...kept, country: { ...facts, ...compared } }, here)
  if (soaked !== undefined || compared !== undefined) console.log('It is written to bench/results.md.')
}

/** The package as it is shipped, with the dependencies of this checkout; returns its executable. */
async function makeProgram(folder: string): Promise<string> {
  const place = join(folder, 'package')
  await makePackage(place)
  await symlink(fileURLToPath(new URL('../node_modules', import.meta.url)), join(place, 'node_modules'))
  return join(place, 'bin/dossier')
}

async function soak(bench: Bench, subjects: readonly ListSubject[]): Promise<Soaked> {
  const subject = subjects[options.isOnPostgres ? 1 : 0]
  if (subject === undefined) throw new Error('nothing to measure')
  const floor = await openFloor(bench, subjects)
  const soaked = await measureSoak(bench, subject, floor, options.minutes ?? 30)
  for (const figure of soaked.figures) bench.report.add(figure)
  for (const { name, p50, p99 } of soaked.kinds) {
    const [median, tail] = [p50, p99].map(both => both.map(ms => ms.toFixed(1)).join(' and '))
    bench.report.say(`${name}: p50 ${median} ms, p99 ${tail} ms at begin and end`)
  }
  return soaked
}

/** Fills the databases, starts the services, and measures them while idle. */
async function openSubjects(bench: Bench, database: OpenDatabase): Promise<ListSubject[]> {
  const { report, folder } = bench
  const settings = [{}, { DATABASE_URL: database.url }].map((own, index) => ({
    DATA_DIR: join(folder, `data-${index}`),
    ...own,
  }))
  report.say('filling SQLite and PostgreSQL')
  const worlds = await fill(settings, options.isQuick)
  // The fill ran without fsync; measurements must not. Flush its writes now, so that they do not reach the disk later.
  if ((await ask(database.url, 'show fsync')) !== 'on') throw new Error('fsync is off')
  if (platform() !== 'win32') execFileSync('sync')

  const subjects: ListSubject[] = []
  for (const [index, label] of labels.entries()) {
    const own = settings[index] as (typeof settings)[number]
    report.say(`starting on ${label}`)
    const subject = {
      label,
      settings: own,
      world: worlds[index] as World,
      service: wants('process')
        ? await measureStart(bench, { label, settings: own })
        : await bench.start(own),
      databasePid: label === 'PostgreSQL' ? database.pid : undefined,
      plain: await bench.startScript('plain-server', [JSON.stringify(placeOf(own))]),
    }
    if (wants('process')) await measureWholeList(bench, subject)
    subjects.push(subject)
  }
  return subjects
}

async function measureReading(bench: Bench, subjects: readonly ListSubject[]): Promise<void> {
  const [onSqlite, onPostgres] = subjects as [ListSubject, ListSubject]
  const floor = await openFloor(bench, subjects)
  if (wants('lists')) {
    await measurePages(bench, floor, subjects)
    await measureXmlPages(bench, floor, subjects)
    await measureGrowth(bench, subjects)
    await measurePolls(bench, floor, subjects)
    await measureCompression(bench, onSqlite)
    await measureWorkers(bench, onPostgres)
  }
  if (wants('files')) await measureAttachments(bench, floor, subjects)
}

async function openFloor(
  { folder, startScript }: Bench,
  [onSqlite]: readonly ListSubject[],
): Promise<ServerProcess> {
  if (onSqlite === undefined) throw new Error('nothing to measure')
  const { large, attachment } = onSqlite.world
  const [json, xml] = [join(folder, 'page.json'), join(folder, 'page.xml')]
  await writeFile(json, await usualPage(onSqlite, large, 'json'))
  await writeFile(xml, await usualPage(onSqlite, large, 'xml'))
  return startScript('floor-server', [json, xml, attachment.path])
}

type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>

async function openDatabase() {
  // Default settings, except for a larger max_wal_size, which saves the fill some checkpoints.
  const postgres = await cleanup.own(startPostgres({ max_wal_size: '2GB' }), server => server.stop())
  const url = postgres.url(await postgres.createDatabase())
  const secondUrl = postgres.url(await postgres.createDatabase())
  const thirdUrl = postgres.url(await postgres.createDatabase())
  const pid = await ask(url, "select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)")
  return { url, secondUrl, thirdUrl, pid: Number(pid), version: await ask(url, 'show server_version') }
}

/** Returns the single value of a query. */
async function ask(url: string, sql: string): Promise<string> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' })
    return String(rows[0]?.[0])
  } finally {
    await client.end()
  }
}

/** The code that is measured; another run can be made of it. */
function commitHere(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' }).trim()
  try {
    const isChanged = git('status', '--porcelain', '--', '../src', '.', ':!results*', ':!charts') !== ''
    return `${git('rev-parse', '--short=8', 'HEAD')}${isChanged ? ' with changes' : ''}`
  } catch {
    return 'commit unknown'
  }
}

function machineFacts(postgresVersion: string): string[] {
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() || 'model unknown'}, ${arch()}), ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${platform()}, Node ${process.version}, SQLite ${process.versions['sqlite']}, PostgreSQL ${postgresVersion}`,
    `Load when the run began: ${loadBefore.toFixed(2)}`,
  ]
}

try {
  await run()
} catch (error) {
  if (!cleanup.isRunning()) console.error(error)
  process.exitCode = 1
} finally {
  await cleanup.run()
}
