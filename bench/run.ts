// `npm run bench`: the service as it is, as its own process, against the least that could serve the same bytes.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { arch, availableParallelism, cpus, platform, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../test/harness/postgres.ts'
import { createCleanup } from './cleanup.ts'
import { fill, type Settings, type World } from './fill.ts'
import { measurePeoplesPages, rounds as pageRounds } from './measure-pages.ts'
import { measureApply, measureStart, measureWholeList, wholeLists } from './measure-process.ts'
import { measureAttachments, measurePages, usualPage } from './measure-rates.ts'
import { measureSubmissions, measureUploads } from './measure-submissions.ts'
import { createReport } from './report.ts'
import { howLoaded, longTurn, shortTurn } from './rounds.ts'
import type { Place } from './row-writer.ts'
import { startFloor, startService } from './service.ts'
import { measureSharing } from './sharing.ts'
import type { Subject } from './subject.ts'

const labels = ['SQLite', 'PostgreSQL'] as const
const cleanup = createCleanup()
const report = createReport(new URL('./', import.meta.url))
const startedAt = performance.now()
/** `npm run bench -- pages` measures the pages for people alone, and writes nothing. */
const isPagesOnly = process.argv[2] === 'pages'

async function run(): Promise<void> {
  const folder = await cleanup.own(mkdtemp(join(tmpdir(), 'dossier-bench-')), path =>
    rm(path, { recursive: true, force: true }),
  )
  const database = await openDatabase()
  // Of the same kind as those of the service, on the same disk and on the same server.
  const places: Place[] = [{ file: join(folder, 'oidc-provider.db') }, { url: database.secondUrl }]
  const settings = [{}, { DATABASE_URL: database.url }].map((own, index) => ({
    DATA_DIR: join(folder, `data-${index}`),
    ...own,
  }))
  report.say('filling SQLite and PostgreSQL with 100,000 applications and more')
  const worlds = await fill(settings)
  // The fill went without: whatever is measured from here on must not.
  if ((await ask(database.url, 'show fsync')) !== 'on') throw new Error('fsync is off')

  const startFor = (own: Settings) => cleanup.own(startService(folder, own), service => service.stop())
  if (isPagesOnly) {
    const filled = labels.map((label, index) => ({
      label,
      settings: settings[index] ?? {},
      world: worlds[index] as World,
    }))
    return measurePeoplesPages(report, filled, startFor)
  }

  const subjects: Subject[] = []
  for (const [index, label] of labels.entries()) {
    const own = settings[index] as (typeof settings)[number]
    const start = () => startFor(own)
    report.say(`starting on ${label}, and whole lists`)
    subjects.push({
      label,
      settings: own,
      world: worlds[index] as World,
      service: await measureStart(report, label, start),
      databasePid: label === 'PostgreSQL' ? database.pid : undefined,
    })
    await measureWholeList(report, subjects[index] as Subject)
  }

  const [first] = subjects as [Subject, ...Subject[]]
  const files = { json: join(folder, 'page.json'), xml: join(folder, 'page.xml') }
  await writeFile(files.json, await usualPage(first, first.world.large, 'json'))
  await writeFile(files.xml, await usualPage(first, first.world.large, 'xml'))
  const floor = await cleanup.own(
    startFloor(folder, { ...files, attachment: first.world.attachment.path }),
    server => server.stop(),
  )
  await measurePages(report, floor, subjects, 'json')
  await measurePages(report, floor, subjects, 'xml')
  await measureAttachments(report, floor, subjects)
  await measurePeoplesPages(report, subjects, startFor)
  await measureSharing({ report, cleanup, folder }, subjects, places)
  await measureSubmissions(report, subjects)
  for (const subject of subjects) {
    await measureUploads(report, subject, await startFor(subject.settings))
    await measureApply(report, subject)
  }
  report.write({
    machine: machineFacts(database.version),
    method,
    seconds: (performance.now() - startedAt) / 1000,
  })
}

async function openDatabase() {
  // As it comes, but for a larger max_wal_size, which spares the fill some checkpoints.
  const postgres = await cleanup.own(startPostgres({ max_wal_size: '4GB' }), server => server.stop())
  const url = postgres.url(await postgres.createDatabase())
  const secondUrl = postgres.url(await postgres.createDatabase())
  const pid = await ask(url, "select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)")
  return { url, secondUrl, pid: Number(pid), version: await ask(url, 'show server_version') }
}

/** The one value that a query gives. */
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

function machineFacts(postgresVersion: string): string[] {
  return [
    `${availableParallelism()} cores (${cpus()[0]?.model.trim() || 'model unknown'}, ${arch()}), ${Math.round(totalmem() / 2 ** 30)} GiB`,
    `${platform()}, Node ${process.version}, SQLite ${process.versions['sqlite']}, PostgreSQL ${postgresVersion}`,
  ]
}

const method = [
  'One run on one machine. `dossier serve` (not the demo) with its default settings and its log written to a file, the floor, and PostgreSQL are processes of their own; the client is the bench itself, over loopback and raw sockets that only count bytes. All of them share the cores.',
  'Only the request rate limits are raised, by their settings. PostgreSQL is a real one with its default memory settings and fsync on.',
  'The databases hold 100,000 applications of one advertiser, 1,000 of another, and among them those of a third (one in five), loaded in bulk with the real rendering; most have three files, a screen and primary info.',
  `Rates: ${howLoaded(longTurn)}; where each request writes, ${howLoaded(shortTurn)}. Floor and service take turns within each round; the value is the median of the rounds, the ratio the median of the ratios of each round.`,
  'Floor of a page: a bare Fastify route that sends one such page from a Buffer, without log, authentication or database. Floor of an attachment: a bare Fastify route that sends a createReadStream of the same file.',
  'Every answer must have its status (200, or 303 on the way back to the client) and be as long as it should be, otherwise the run fails; samples of each kind are looked into.',
  'By CPU time: requests for each second of CPU that the server, and with PostgreSQL its processes too, used. It tells what a client at its limit would hide, and what several nodes would share.',
  'Cost at 100,000 against 1,000: wall time for each page, all connections together; its floor is the cost at 1,000.',
  `Growth: how far the resident memory of a freshly started process rose above its idle level (the high-water mark of the kernel) while it sent ${wholeLists} whole lists one after the other; four at once: the same with four more, one of which did not read for two seconds. First byte: from the start of the connection to the first byte of the body, median.`,
  `Pages: every GET page that the routes have, by somebody who has signed in, is an admin of the advertiser with 100,000 applications (600 ads on the board, 300 of them its own), and a candidate with 300 applications and 300 disclosures. Each is asked once in each of ${pageRounds} rounds, after a warm-up, on a connection of its own; the time is that of the client, from the move to connect until the whole answer is there, and the median counts. Of an export of many only the first byte is awaited. First load: the page and every style, script and picture that it names, uncompressed, but for the pdf viewer and the API reference.`,
  'Token exchange and full flow: the floor is `oidc-provider` in a process of its own, with an adapter as its documentation describes it and an atomic `consume`, on a database of its own of the same kind: SQLite with WAL and synchronous = FULL through node:sqlite, or another database of the same PostgreSQL server with as many connections and prepared statements. Both know 500 candidates with a session and a consent, take Basic authentication and give opaque tokens without an ID token. Whatever is a matter of choice costs oidc-provider nothing: its client is in its memory, accounts are not looked up, cookies are not signed, nothing is logged, tokens do not hang on the session. Each code is new; those of the exchange are put into the database before each turn, outside of what is timed. A full flow is a GET of the authorization endpoint and the exchange of the code that it gives.',
  "Prefill: a form of its own each time, so that each is a new application. The floor is what the engine does by itself: a transaction with the same three rows (application, released resume, disclosure) in the same tables, by prepared statements, one writer on SQLite, as many connections as there are clients on PostgreSQL; the bench runs it itself, so its CPU time is the client's.",
  'Bearer-token check: calls that are refused right after it, on the service in the process of the bench; statements as they go to the driver, and the plan as the database explains it.',
  "Submission: one POST of the intake API with a PDF of 100 kB, to one of eight advertisers, without a scanner. The floor is a bare file of the same bytes, written and synced by all clients at once, and then a commit of the same rows by prepared statements: one after the other on SQLite, on as many connections as there are clients on PostgreSQL. The service also syncs the file's folder, looks what kind of file it is, and, with an Idempotency-Key, keeps the key.",
  `Uploads at once: as many connections as uploads, each sending one file of 10 MiB as fast as it is taken, on a process that has served one before.`,
  'Apply: the use case called by the bench itself, files already stored; each application is durable before the next of the same writer.',
]

try {
  await run()
} catch (error) {
  if (!cleanup.isRunning()) console.error(error)
  process.exitCode = 1
} finally {
  await cleanup.run()
}
