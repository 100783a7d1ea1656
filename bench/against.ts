// `node bench/against.ts <folder>`: this checkout against another one, in turn: sign-in, page, idle poll and submission
// in the demo; the candidates' form without the demo, whose webhooks would be measured with it; and submissions, prefills and
// token exchanges on SQLite at several numbers of connections.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { startMailServer } from '../test/harness/mail-server.ts'
import { type Postgres, startPostgres } from '../test/harness/postgres.ts'
import { openApplyingWorld } from './applying-world.ts'
import type { Step } from './connection.ts'
import { anyOf, asking, getRequest, postRequest } from './load.ts'
import { exchange } from './measure-authorization.ts'
import { lengthOfAnswer, prefill } from './measure-prefill.ts'
import { submission, usualResume } from './measure-submissions.ts'
import { fullPace, quickPace } from './pace.ts'
import { type Contender, connections, medianOf, medianRatio, type Round, takeTurns } from './rounds.ts'
import { type ServerProcess, startService } from './service.ts'
import { placeOf } from './sharing-world.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, rounds: { type: 'string' } },
})
const [other, ...named] = positionals
const parts = ['demo', 'form', 'form-with-mail', 'writes']
if (other === undefined || named.some(part => !parts.includes(part))) {
  console.error(
    `Usage: node bench/against.ts <folder of another checkout, with its node_modules> [${parts.join(' ')}] [--rounds 5] [--quick]`,
  )
  process.exit(2)
}
const wants = (part: string) => named.length === 0 || named.includes(part)
const { writing } = values.quick ? quickPace : fullPace
const turn = {
  ...writing,
  // A few hundred submissions are not enough: their code is still being compiled.
  firstMs: 3 * writing.firstMs,
  rounds: Number(values.rounds ?? writing.rounds),
}
const harbour = { id: 10000001, credential: 'SWS sws_demo_harbour' }
const member = { email: 'rae@example.com', password: 'demo-password' }
const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const resume = usualResume()

/** What a person of a company, an ATS and a job board send to the demo of a checkout. */
async function stepsFor({ port }: ServerProcess): Promise<Record<string, () => Step>> {
  const url = `http://127.0.0.1:${port}`
  // Known browsers, each with its own count of attempts: those of one account at once are slowed down.
  const signIns: Buffer[] = []
  for (let browser = 0; browser < 4 * connections; browser++) {
    const page = await fetch(`${url}/sign-in`)
    const cookie =
      page.headers
        .getSetCookie()
        .find(each => each.startsWith('dossier-form='))
        ?.split(';')[0] ?? ''
    const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(await page.text()) ?? []
    const typed = new URLSearchParams({ ...member, form_token: token, continue: '/account' }).toString()
    const first = await fetch(`${url}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...form, cookie },
      body: typed,
    })
    const known = first.headers.getSetCookie().filter(each => !each.startsWith('dossier-session='))
    const cookies = [cookie, ...known.map(each => each.split(';')[0])].join('; ')
    signIns.push(postRequest('/sign-in', typed, { ...form, Cookie: cookies }))
  }
  let next = 0
  const signIn = () => signIns[next++ % signIns.length] as Buffer

  const path = '/v1/advertiser/applications?limit=100&afterid=999999'
  const headers = { Authorization: harbour.credential, Accept: 'application/json' }
  const list = await fetch(url + path, { headers })
  const page = getRequest('/v1/advertiser/applications?limit=100', headers)
  const poll = getRequest(path, { ...headers, 'If-None-Match': list.headers.get('etag') ?? '' })

  const asked = await fetch(`${url}/api/iam/oauth2/token`, {
    method: 'POST',
    headers: {
      ...form,
      authorization: `Basic ${Buffer.from('demo-board:demo-board-secret').toString('base64')}`,
    },
    body: 'grant_type=client_credentials&scope=w_applications',
  })
  const { access_token } = (await asked.json()) as { access_token: string }
  const board = { token: access_token, advertiserIds: [harbour.id] }
  return {
    'sign-in of a person of a company': () => ({
      request: signIn(),
      status: 303,
      minBytes: 0,
      maxBytes: 2_000,
    }),
    'page of version 1': () => ({ request: page, status: 200, minBytes: 1_000, maxBytes: 1_000_000 }),
    'idle poll (304)': () => ({ request: poll, status: 304, minBytes: 0, maxBytes: 0 }),
    submission: () => submission(board, resume, false),
  }
}

const folder = await mkdtemp(join(tmpdir(), 'dossier-bench-'))
const here = fileURLToPath(new URL('../bin/dossier', import.meta.url))
/** The other first. */
const programs = [join(resolve(other), 'bin/dossier'), here]

async function compare(
  what: string,
  contenders: readonly Contender[],
  { lengths = turn, clients = connections } = {},
): Promise<void> {
  const [theirs = [], ours = []] = await takeTurns(contenders, lengths, clients)
  const ratio = (figure: (round: Round) => number | null) => {
    const each = ours.map((round, index) => (figure(round) ?? 0) / (figure(theirs[index] as Round) ?? 0))
    const [least = 0, most = 0] = [Math.min(...each), Math.max(...each)]
    return `${medianRatio(ours, theirs, figure)?.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`
  }
  const perSecond = medianOf(ours, round => round.perSecond)?.toFixed(0)
  const byClock = ratio(round => round.perSecond)
  const byCpu = ratio(round => round.perCpuSecond)
  console.log(`${what}: ${perSecond}/s; this against other: ${byClock} by the clock, ${byCpu} by CPU time`)
}

async function compareDemos(): Promise<void> {
  const services: ServerProcess[] = []
  try {
    for (const [index, program] of programs.entries()) {
      const settings = { DATA_DIR: join(folder, `demo-${index}`), LOG_FORMAT: 'json' }
      await mkdir(settings.DATA_DIR)
      services.push(await startService(folder, settings, ['--demo'], program))
    }
    const steps = await Promise.all(services.map(stepsFor))
    for (const what of Object.keys(steps[0] ?? {})) {
      await compare(
        what,
        services.map(({ port, pid }, index) => ({
          name: index === 0 ? `${what}, other` : `${what}, this`,
          load: asking({ port, next: steps[index]?.[what] as () => Step }),
          serverPid: pid,
        })),
      )
    }
  } finally {
    for (const service of services) await service.stop()
  }
}

/** With a mail server, the receipts are part of the CPU time, though no candidate waits for them. */
async function compareForms(label: string, databases: readonly Database[], smtpUrl?: string): Promise<void> {
  const what = `form with a 100 kB resume, ${label}, ${smtpUrl === undefined ? 'no mail server' : 'with its receipt'}`
  const services: ServerProcess[] = []
  try {
    const contenders: Contender[] = []
    for (const [index, program] of programs.entries()) {
      const { settings: where, pid: behindPid } = databases[index] as Database
      const mail = smtpUrl === undefined ? {} : { SMTP_URL: smtpUrl }
      const settings = { ...where, ...mail, LOG_FORMAT: 'json', RATE_LIMIT_APPLICATIONS_PER_HOUR: '99999' }
      await promisify(execFile)(process.execPath, [program, 'migrate'], {
        env: { ...process.env, ...settings },
      })
      const service = await startService(folder, settings, [], program)
      services.push(service)
      const world = await openApplyingWorld(service.port, placeOf(settings), resume)
      contenders.push({
        name: index === 0 ? `${what}, other` : `${what}, this`,
        load: asking({ port: service.port, next: world.send }),
        prepare: world.refill,
        serverPid: service.pid,
        behindPid,
      })
    }
    await compare(what, contenders)
  } finally {
    for (const service of services) await service.stop()
  }
}

/** How a checkout adds to its own schema. */
async function fillersOf(program: string) {
  const bench = join(dirname(program), '../bench')
  const { openBoard }: typeof import('./measure-submissions.ts') = await import(
    join(bench, 'measure-submissions.ts')
  )
  const sharing: typeof import('./sharing-world.ts') = await import(join(bench, 'sharing-world.ts'))
  return { openBoard, ...sharing }
}

/** What boards and clients write, on SQLite without the demo. Their credentials and candidates are added beside the services. */
async function compareWrites(): Promise<void> {
  await using cleanup = new AsyncDisposableStack()
  const each: Record<string, Omit<Contender, 'name'>>[] = []
  for (const program of programs) {
    const settings = { DATA_DIR: await mkdtemp(join(folder, 'writes-')), LOG_FORMAT: 'json' }
    const service = await startService(folder, settings, [], program)
    cleanup.defer(service.stop)
    const { openBoard, openSharingWorld, asAuthorizationServer } = await fillersOf(program)
    const board = await openBoard({ settings, service })
    const world = { large: { advertiserId: anyOf(board.advertiserIds) } }
    const subject = { label: 'SQLite', settings, service, databasePid: undefined, world } as const
    const sharing = await openSharingWorld(subject)
    cleanup.defer(() => sharing.writer.close())
    const server = asAuthorizationServer(subject, sharing)
    const bytes = await lengthOfAnswer(subject, sharing)
    const asks = (next: () => Step, prepare = async () => {}) => ({
      load: asking({ port: service.port, next }),
      serverPid: service.pid,
      prepare,
    })
    each.push({
      submission: asks(() => submission(board, resume, false), board.renewToken),
      prefill: asks(() => prefill(subject, anyOf(sharing.people), bytes)),
      'token exchange': asks(() => exchange(server, server.codes.take()), server.codes.refill),
    })
  }
  // Long enough for a few checkpoints.
  const lengths = values.quick ? turn : { ...turn, measureMs: 4 * turn.measureMs }
  for (const what of Object.keys(each[0] ?? {})) {
    for (const clients of [1, connections, 64]) {
      const contenders = each.map((asks, index) => ({
        name: index === 0 ? `${what}, other` : `${what}, this`,
        ...(asks[what] as Omit<Contender, 'name'>),
      }))
      await compare(`${what}, SQLite, connections: ${clients}`, contenders, { lengths, clients })
    }
  }
}

interface Database {
  settings: Record<string, string>
  pid?: number
}

const sqliteDatabases = () =>
  Promise.all(programs.map(async () => ({ settings: { DATA_DIR: await mkdtemp(join(folder, 'form-')) } })))

async function postgresDatabases(postgres: Postgres): Promise<Database[]> {
  const [row] = await postgres.query("select split_part(pg_read_file('postmaster.pid'), e'\\n', 1) as pid")
  const databases: Database[] = []
  for (const { settings } of await sqliteDatabases()) {
    const DATABASE_URL = postgres.url(await postgres.createDatabase())
    databases.push({ settings: { ...settings, DATABASE_URL }, pid: Number(row?.['pid']) })
  }
  return databases
}

try {
  if (wants('demo')) await compareDemos()
  if (wants('writes')) await compareWrites()
  if (wants('form') || wants('form-with-mail')) {
    const mailServer = await startMailServer()
    const postgres = await startPostgres()
    try {
      for (const smtpUrl of [
        ...(wants('form') ? [undefined] : []),
        ...(wants('form-with-mail') ? [mailServer.url] : []),
      ]) {
        await compareForms('SQLite', await sqliteDatabases(), smtpUrl)
        await compareForms('PostgreSQL', await postgresDatabases(postgres), smtpUrl)
      }
    } finally {
      await postgres.stop()
      await mailServer.stop()
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
