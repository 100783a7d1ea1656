// `node bench/against.ts <folder>`: this checkout against another one, in turn: sign-in, idle poll and submission.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Step } from './connection.ts'
import { asking, getRequest, postRequest } from './load.ts'
import { submission, usualResume } from './measure-submissions.ts'
import { fullPace, quickPace } from './pace.ts'
import { connections, medianOf, medianRatio, takeTurns } from './rounds.ts'
import { type ServerProcess, startService } from './service.ts'

const [other, option] = process.argv.slice(2)
if (other === undefined) {
  console.error('Usage: node bench/against.ts <folder of another checkout, with its node_modules> [--quick]')
  process.exit(2)
}
const pace = option === '--quick' ? quickPace : fullPace
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
      ...{ method: 'POST', redirect: 'manual', headers: { ...form, cookie }, body: typed },
    })
    const known = first.headers.getSetCookie().filter(each => !each.startsWith('dossier-session='))
    const cookies = [cookie, ...known.map(each => each.split(';')[0])].join('; ')
    signIns.push(postRequest('/sign-in', typed, { ...form, Cookie: cookies }))
  }
  let turn = 0
  const signIn = () => signIns[turn++ % signIns.length] as Buffer

  const path = '/v1/advertiser/applications?limit=100&afterid=999999'
  const headers = { Authorization: harbour.credential, Accept: 'application/json' }
  const list = await fetch(url + path, { headers })
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
    'idle poll (304)': () => ({ request: poll, status: 304, minBytes: 0, maxBytes: 0 }),
    submission: () => submission(board, resume, false),
  }
}

const folder = await mkdtemp(join(tmpdir(), 'dossier-bench-'))
const services: ServerProcess[] = []
try {
  for (const [name, program] of [
    ['other', join(resolve(other), 'bin/dossier')],
    ['this', undefined],
  ] as const) {
    await mkdir(join(folder, name))
    const settings = { DATA_DIR: join(folder, name), LOG_FORMAT: 'json' }
    services.push(await startService(folder, settings, ['--demo'], program))
  }
  const steps = await Promise.all(services.map(stepsFor))
  for (const what of Object.keys(steps[0] ?? {})) {
    const contenders = services.map(({ port, pid }, index) => ({
      name: index === 0 ? `${what}, other` : `${what}, this`,
      load: asking({ port, next: steps[index]?.[what] as () => Step }),
      serverPid: pid,
    }))
    const [theirs = [], ours = []] = await takeTurns(contenders, pace.writing)
    const byClock = medianRatio(ours, theirs, round => round.perSecond)
    const byCpu = medianRatio(ours, theirs, round => round.perCpuSecond)
    const perSecond = medianOf(ours, round => round.perSecond)
    console.log(
      `${what}: ${perSecond?.toFixed(0)}/s; this against other: ${byClock?.toFixed(2)} by the clock, ${byCpu?.toFixed(2)} by CPU time`,
    )
  }
} finally {
  for (const service of services) await service.stop()
  await rm(folder, { recursive: true, force: true })
}
