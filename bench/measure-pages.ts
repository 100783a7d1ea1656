import { Browser, doorOf } from '../test/harness/oauth.ts'
import type { Bench } from './bench.ts'
import type { PageFigures } from './findings.ts'
import { type AskOptions, askOnce, getRequest, type OneAnswer } from './load.ts'
import { type Visit, visitsOf } from './page-addresses.ts'
import { addPageWorld, useSecondFactor } from './page-world.ts'
import { median } from './rounds.ts'
import type { ServerProcess } from './service.ts'
import type { Subject } from './subject.ts'

const serverTimeTargetMs = 20
const firstLoadTargetKb = 60
const warmUps = 2
/** Bytes are counted as every browser asks for them. */
const compressed = { 'Accept-Encoding': 'gzip' }
const bytesPerKb = 1_000

/** Loaded after the page, and heavy by nature; and the typeface, which no text waits for. */
const asideFiles = /\/pdf(\.worker)?\.min\.mjs$|\.woff2$/

/** Without a mail server or a key some pages only say that there is none. No email is sent. */
const pageSettings = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  SECRETS_KEY: Buffer.alloc(32, 's').toString('base64'),
}

type Filled = Pick<Subject, 'label' | 'settings' | 'world'>

/**
 * Every page, one after the other and round after round, as a signed-in person sees it: from the start of the connection
 * to the end of the response, which is more than the server itself logs.
 */
export async function measurePeoplesPages(
  { report, pace, start }: Bench,
  subjects: readonly Filled[],
): Promise<void> {
  let heaviest: PageFigures | undefined
  for (const subject of subjects) {
    report.say(`every page, ${subject.label}`)
    const figures = await visitAll(
      subject,
      await start({ ...subject.settings, ...pageSettings }),
      pace.pageRounds,
    )
    report.addPages(subject.label, figures)
    const slowest = highest(figures, ({ ms }) => ms)
    report.add({
      name: `slowest page, ${subject.label}`,
      which: `${slowest.name}, of ${figures.length} pages`,
      value: slowest.ms,
      unit: 'ms',
      target: serverTimeTargetMs,
      direction: 'max',
    })
    heaviest = highest(heaviest === undefined ? figures : [heaviest, ...figures], ({ kb }) => kb ?? 0)
  }
  if (heaviest === undefined) return
  report.add({
    name: 'heaviest first load of a page',
    which: heaviest.name,
    value: heaviest.kb ?? 0,
    unit: 'kB',
    target: firstLoadTargetKb,
    direction: 'max',
  })
}

function highest(figures: readonly PageFigures[], figure: (page: PageFigures) => number): PageFigures {
  return figures.reduce((most, page) => (figure(page) > figure(most) ? page : most))
}

async function visitAll(subject: Filled, { port }: ServerProcess, rounds: number): Promise<PageFigures[]> {
  const world = await addPageWorld(subject)
  const visits = await visitsOf(subject.settings, world)
  const browser = new Browser(doorOf({ baseUrl: `http://127.0.0.1:${port}` }))
  await browser.signIn(world.email, world.password)
  await useSecondFactor(subject.settings)
  const cookie = { Cookie: `dossier-session=${browser.session}` }
  const ask = ({ path, audience, kind }: Visit, options: AskOptions, accepted = {}) => {
    const headers = { Accept: 'text/html', ...accepted, ...(audience === 'strangers' ? {} : cookie) }
    return askOnce(port, getRequest(path, headers), { ...options, isBeginningEnough: kind === 'stream' })
  }

  const load = firstLoads(path => askOnce(port, getRequest(path, compressed)))
  const pages: (Visit & { kb: number | null; times: number[] })[] = []
  for (const visit of visits) {
    const answer = await ask(visit, { keepBody: true })
    assertRight(visit, answer)
    const kb = visit.kind === 'page' ? await load(answer, await ask(visit, {}, compressed)) : null
    pages.push({ ...visit, kb, times: [] })
  }
  for (let round = -warmUps; round < rounds; round++) {
    for (const page of pages) {
      const { path, kind, status, times } = page
      const answer = await ask(page, {})
      // The server notices a hang-up between two chunks: wait, so that its last read does not count for the next page.
      if (kind === 'stream') await afterTurns(port)
      if (answer.status !== status) throw new Error(`${path} suddenly gave ${answer.status}`)
      if (round >= 0) times.push(kind === 'stream' ? answer.firstByteMs : answer.totalMs)
    }
  }
  return pages.map(({ name, times, kb }) => ({ name, ms: median(times), kb }))
}

async function afterTurns(port: number): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await askOnce(port, getRequest('/health/live'))
}

/** Checks that this is the page itself, and not one that says why it cannot be shown. */
function assertRight({ path, status, kind, audience }: Visit, answer: OneAnswer): void {
  const text = answer.body.toString()
  const isWhole = kind !== 'page' || status === 303 || text.endsWith('</html>\n')
  // The page that asks for a proof has no header with a way out.
  const hasPerson = /action="\/sign-out"|name="proof_username"/.test(text)
  const isTheirs = kind !== 'page' || status === 303 || audience !== 'members' || hasPerson
  if (answer.status !== status || !isWhole || !isTheirs) {
    throw new Error(`${path} gave ${answer.status} instead of ${status}:\n${text.slice(0, 3_000)}`)
  }
}

/** The page and every file of ours that it loads, for a browser with an empty cache. */
function firstLoads(ask: (path: string) => Promise<OneAnswer>) {
  const sizes = new Map<string, number>()
  return async ({ body }: OneAnswer, counted: OneAnswer): Promise<number> => {
    const named = body.toString().match(/(?<=(?:src|href)=")\/assets\/[^"]+/g) ?? []
    let bytes = counted.bytes
    for (const path of new Set(named)) {
      if (asideFiles.test(path)) continue
      const size = sizes.get(path) ?? (await ask(path)).bytes
      sizes.set(path, size)
      bytes += size
    }
    return bytes / bytesPerKb
  }
}
