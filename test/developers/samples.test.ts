import assert from 'node:assert/strict'
import { type ChildProcess, execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type SampleLanguage,
  type SampleProgram,
  sampleLanguages,
  samplePath,
  samplePrograms,
} from '../../src/site/docs/sample-list.ts'
import { some } from '../harness/effort.ts'
import { freePort } from '../harness/free-port.ts'
import { call, harbour } from '../harness/http.ts'
import { openNetwork } from '../harness/network.ts'
import { Browser, doorOf } from '../harness/oauth.ts'
import { hasPhp } from '../harness/php.ts'
import { compileCache } from '../harness/process.ts'
import { root } from '../harness/repository.ts'
import { onOneEngine } from '../harness/service.ts'
import { registerClient } from '../oauth/registering.ts'

/** The ones executed here; the others are for people to read. */
const commands: Partial<Record<SampleLanguage, string>> = {
  typescript: process.execPath,
  curl: 'sh',
  python: 'python3',
  ...(hasPhp ? { php: 'php' } : {}),
}
const languages = some(1, Object.keys(commands) as SampleLanguage[])

interface Listed {
  ID: number
  FirstName: string
  LastName: string
  Attachments: { Type: string; Hash: string; Href: string; HasVirus: boolean | null }[]
}

test('every program exists in every language, and nothing else', () => {
  const expected = sampleLanguages.flatMap(language =>
    samplePrograms.map(program => samplePath(language, program)),
  )
  const found = globSync('samples/**/*.*', { cwd: root }).filter(path => !path.endsWith('.md'))
  assert.deepEqual(found.toSorted(), expected.toSorted())
})

/** Longer than the programs wait by default. */
const busySeconds = 2

onOneEngine('code samples', service => {
  let folder: string
  /** Mary's, who signs in once. */
  let browser: Browser
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'dossier-samples-'))
    browser = new Browser(doorOf(service()))
  })
  after(() => rmSync(folder, { recursive: true }))

  function start(language: SampleLanguage, program: SampleProgram, settings: Record<string, string> = {}) {
    const surroundings = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache }
    const env = { ...surroundings, DOSSIER_URL: service().baseUrl, ...settings }
    const args = [join(root, samplePath(language, program))]
    const { promise: ended, resolve } = Promise.withResolvers<Ended>()
    const child = execFile(
      commands[language] ?? '',
      args,
      // A program that waits for a candidate forever would keep this process alive.
      { cwd: folder, env, timeout: 240_000 },
      (error, stdout, stderr) => resolve({ isDone: error === null, stdout, stderr }),
    )
    return { child, ended }
  }

  const run = (language: SampleLanguage, program: SampleProgram, settings: Record<string, string> = {}) =>
    start(language, program, settings).ended

  const listed = async (): Promise<Listed[]> => {
    const answer = await call(service(), '/v1/advertiser/applications', { headers: harbour })
    return answer.json().JobApplications.JobApplicationsList
  }

  /** The name under which a file is downloaded. Programs that support only ASCII get the other one. */
  async function nameOf(href: string, isAscii: boolean): Promise<string> {
    const { headers } = await call(service(), `/v1/${href}`, { headers: harbour })
    const disposition = headers.get('content-disposition') ?? 'filename=screen.json'
    const encoded = isAscii ? undefined : /filename\*=UTF-8''(.*)$/.exec(disposition)?.[1]
    return encoded === undefined
      ? (/filename="?([^"]*?)("|; filename\*|$)/.exec(disposition)?.[1] ?? '')
      : decodeURIComponent(encoded)
  }

  async function assertFiles(
    store: string,
    applications: readonly Listed[],
    isAscii: boolean,
  ): Promise<void> {
    const folders = new Set(readdirSync(`${store}/files`).map(name => name.toLowerCase()))
    for (const { ID, Attachments } of applications) {
      for (const { Type, Hash, Href, HasVirus } of Attachments) {
        const [name = ''] = globSync(`${ID}-*`, { cwd: `${store}/files` }).filter(
          each => each.toLowerCase() === `${ID}-${Type}`.toLowerCase(),
        )
        assert.equal(folders.delete(name.toLowerCase()), HasVirus !== true, `${ID}-${Type}`)
        if (HasVirus === true) continue
        const [file = '', ...others] = readdirSync(join(store, 'files', name))
        assert.deepEqual([file, others], [await nameOf(Href, isAscii), []])
        const bytes = readFileSync(join(store, 'files', name, file))
        // The hash of a screen is that of its XML form; the programs ask for JSON.
        if (Type !== 'screen') assert.equal(createHash('sha256').update(bytes).digest('hex'), Hash, name)
      }
    }
    assert.deepEqual([...folders], [])
  }

  for (const language of languages) {
    test(`${language}: collects each once, whatever happens on the way`, async t => {
      const network = await openNetwork(t, service().baseUrl)
      const store = join(folder, `store-${language}`)
      const settings = { DOSSIER_URL: network.url, STORE: store }
      // The first list breaks off half-way. curl gives up then, and the next round continues.
      network.changeNext('/advertiser/applications', { isCut: true })
      const first = await run(language, 'collect', settings)
      if (language !== 'curl') assert.ok(first.isDone, first.stderr)
      const { stdout } = language === 'curl' ? await run(language, 'collect', settings) : first
      assert.ok(network.askedAt('/advertiser/applications').length > 1)
      const expected = await listed()
      assert.deepEqual(storedIds(store), idsOf(expected))
      const lines = stdout.trim().split('\n')
      assert.equal(lines.length, expected.length, stdout)
      for (const [index, { ID, FirstName, LastName }] of expected.entries()) {
        assert.ok(lines[index]?.startsWith(`${ID} ${FirstName} ${LastName}`), lines[index])
      }
      await assertFiles(store, expected, language === 'curl')

      const sent = await run(language, 'apply')
      assert.ok(sent.isDone, sent.stderr)
      const { id } = JSON.parse(sent.stdout)
      // The remains of a crash in the middle of a write.
      for (const file of globSync(`${store}/*.ndjson`)) appendFileSync(file, '{"ID": 99999999, "Att')
      const again = await run(language, 'collect', settings)
      assert.ok(again.isDone, again.stderr)
      assert.match(again.stdout, new RegExp(`^${id} Casey Lim\\b.*\n$`))
      const all = await listed()
      assert.deepEqual(storedIds(store), idsOf(all))
      await assertFiles(store, all, language === 'curl')

      assert.equal((await run(language, 'collect', settings)).stdout, '', 'nothing is new')
    })

    test(`${language}: follows events without gap or repetition, over a bad network and through kills`, async t => {
      const network = await openNetwork(t, service().baseUrl)
      const store = join(folder, `events-${language}`)
      const path = '/advertiser/events'
      const pages = () =>
        globSync('*.json', { cwd: store })
          .toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
          .map((name): FeedPage => JSON.parse(readFileSync(join(store, name), 'utf8')))
      const apply = async () => assert.ok((await run(language, 'apply')).isDone)
      /** Runs it until it has stored so many answers. */
      async function follow(count: number, act: () => Promise<unknown> = async () => {}): Promise<Ended> {
        const { child, ended } = start(language, 'follow', { DOSSIER_URL: network.url, STORE: store })
        let isOver = false
        void ended.then(() => {
          isOver = true
        })
        const stored = async (min: number) => {
          while (pages().length < min && !isOver) await sleep(20)
        }
        await stored(1)
        await act()
        await stored(count)
        child.kill('SIGKILL')
        return ended
      }
      network.changeNext(path, { isCut: true })
      await follow(2, async () => {
        network.changeNext(path, { isOurs: true, status: 503, headers: { 'retry-after': '1' } })
        await apply()
      })
      await apply()
      await follow(3)
      const [first, ...others] = pages()
      const idsOfEvents = (answers: readonly FeedPage[]) =>
        answers.flatMap(each => each.events.map(({ id }) => id))
      const expected = await call(service(), `/v1/advertiser/events?cursor=${first?.cursor}`, {
        headers: harbour,
      })
      assert.equal(expected.status, 200, expected.text)
      assert.deepEqual(idsOfEvents(others), idsOfEvents([expected.json()]))
      assert.deepEqual([first?.events.length, idsOfEvents(others).length], [0, 2])

      network.changeNext(path, { isOurs: true, status: 410 })
      const { stdout, stderr } = await follow(4)
      assert.match(stderr, /no longer kept/)
      assert.ok(stdout === '' || stdout.startsWith('evt_10000001_'))
      assert.ok(idsOfEvents(pages().slice(3)).includes(idsOfEvents(others)[0] ?? ''))
    })

    test(`${language}: reports each new application back, over a bad network`, async t => {
      const network = await openNetwork(t, service().baseUrl)
      const store = join(folder, `reports-${language}`)
      const changes = async (cursor: string) => {
        const path = `/v1/advertiser/events?cursor=${cursor}&types=application.status-changed`
        const answer = await call(service(), path, { headers: harbour })
        return answer.json() as { cursor: string; events: { data: Record<string, unknown> }[] }
      }
      const { cursor } = await changes('now')
      network.changeNext('/advertiser/progress', { isLost: true })
      network.changeNext('/advertiser/progress', { status: 503, headers: { 'retry-after': '1' }, body: '{}' })
      const { child, ended } = start(language, 'follow', {
        DOSSIER_URL: network.url,
        STORE: store,
        REPORT: 'viewed',
      })
      while (globSync('*.json', { cwd: store }).length < 1) await sleep(20)
      const sent = await run(language, 'apply')
      // Stored when its report was answered.
      while (globSync('*.json', { cwd: store }).length < 2) await sleep(20)
      child.kill('SIGKILL')
      await ended
      const { events } = await changes(cursor)
      const told = events.map(({ data }) => [data['applicationId'], data['from'], data['to']])
      assert.deepEqual(told, [[JSON.parse(sent.stdout).id, 'received', 'viewed']])
      assert.equal(network.askedAt('/advertiser/progress').length, 3)
    })

    test(`${language}: keeps each file in its folder whatever its name, and skips infected, withheld and missing files`, async t => {
      const network = await openNetwork(t, service().baseUrl)
      const home = join(folder, language)
      const store = join(home, 'store')
      const settings = { DOSSIER_URL: network.url, STORE: store }
      const named = (name: string) => ({
        headers: { 'content-disposition': `attachment; filename="${name}"` },
      })
      network.changeNext('/resume/1', named('../../../escaped.pdf'))
      network.changeNext('/resume/3', named('..\\..\\escaped.pdf'))
      network.changeNext('/resume/5', named('..'))
      network.changeNext('/resume/6', { headers: { 'x-has-virus': 'true' }, body: '' })
      network.changeNext('/resume/7', {
        status: 503,
        headers: { 'retry-after': '600' },
        body: '{"code":"not-yet-scanned"}',
      })
      network.changeNext('/resume/10', { status: 404, body: '{}' })
      network.changeNext('/resume/11', { status: 403, body: '{"code":"file-not-judged"}' })
      const { isDone, stderr } = await run(language, 'collect', settings)
      assert.ok(isDone, stderr)
      const namesIn = (id: number) => readdirSync(`${store}/files/${id}-resume`)
      const escaped = globSync('**/*escaped*', { cwd: home })
      assert.deepEqual(
        escaped.toSorted(),
        [1, 3].map(id => join(`store/files/${id}-resume`, namesIn(id)[0] ?? '')),
      )
      assert.deepEqual([6, 10, 11].map(namesIn), [[], [], []])
      // The list says that 8 is infected; the scanner holds 7 until the next round.
      for (const id of [7, 8]) assert.equal(existsSync(`${store}/files/${id}-resume`), false)
      assert.ok((await run(language, 'collect', settings)).isDone)
      assert.equal(namesIn(7).length, 1)
      const times = [6, 7, 8, 10, 11].map(id => network.askedAt(`/resume/${id}`).length)
      assert.deepEqual(times, [1, 2, 0, 1, 1])
    })

    test(`${language}: sends one application, even when a response is lost and when it is sent twice`, async t => {
      const network = await openNetwork(t, service().baseUrl)
      network.changeNext('/intake/applications', { isLost: true })
      const settings = { DOSSIER_URL: network.url, KEY: `sample-${language}` }
      const answers = [await run(language, 'apply', settings), await run(language, 'apply', settings)]
      const ids = answers.map(({ stdout, stderr }) => {
        assert.notEqual(stdout, '', stderr)
        return JSON.parse(stdout).id
      })
      assert.equal(ids[0], ids[1])
      assert.equal(network.askedAt('/intake/applications').length, 3)
    })

    test(`${language}: waits for the candidate, and reads the shared profile`, async t => {
      const network = await openNetwork(t, service().baseUrl)
      const redirectUri = `http://127.0.0.1:${await freePort()}/callback`
      const { id, secret } = await registerClient(service(), `sample-${language}`, { redirectUri })
      const settings = {
        DOSSIER_URL: network.url,
        DOSSIER_AUTH_URL: service().baseUrl,
        CLIENT_ID: id,
        CLIENT_SECRET: secret,
        REDIRECT_URI: redirectUri,
      }
      network.changeNext('/prefilled', { status: 429, headers: { 'retry-after': '0' }, body: '{}' })
      const { child, ended } = start(language, 'share', settings)
      const location = await allowedBy(browser, await addressIn(child, ended))
      const forged = new URL(location)
      forged.searchParams.set('state', 'forged')
      if (language === 'curl') {
        const refused = start(language, 'share', settings)
        refused.child.stdin?.end(`${forged}\n`)
        assert.equal((await refused.ended).isDone, false)
        child.stdin?.end(`${location}\n`)
      } else {
        assert.equal((await fetch(forged)).status, 400)
        assert.equal((await fetch(location)).status, 200)
      }
      const { isDone, stdout, stderr } = await ended
      assert.ok(isDone, stderr)
      assert.equal(network.askedAt('/prefilled').length, 2)
      assert.match(stdout, /"emailAddress": ?"mary@example\.com"/)
      assert.match(stdout, /reported as submitted/)
      assert.match(readFileSync(join(folder, 'resume'), 'latin1'), /^%PDF-/)
      rmSync(join(folder, 'resume'))
    })
  }

  test('every program waits as long as Retry-After says', async t => {
    async function assertWaits(language: SampleLanguage, program: SampleProgram, path: string, code: string) {
      const network = await openNetwork(t, service().baseUrl)
      const status = code === 'idempotency-key-in-use' ? 409 : code === 'rate-limited' ? 429 : 503
      const headers = { 'retry-after': String(busySeconds) }
      network.changeNext(path, { status, headers, body: JSON.stringify({ code }) })
      const store = join(folder, `${code}-${language}`)
      const { isDone, stderr } = await run(language, program, { DOSSIER_URL: network.url, STORE: store })
      assert.ok(isDone, stderr)
      const [first = 0, second = 0, ...others] = network.askedAt(path)
      assert.ok(second - first >= 950 * busySeconds, `${language} ${program} ${code}: ${second - first} ms`)
      assert.deepEqual(others, [])
    }
    const answers: [SampleProgram, path: string, code: string][] = [
      ['collect', '/advertiser/applications', 'rate-limited'],
      ['apply', '/intake/applications', 'idempotency-key-in-use'],
      ['collect', '/advertiser/applications', 'unavailable'],
      ['apply', '/oauth2/token', 'unavailable'],
    ]
    await Promise.all(
      languages.flatMap(language => some(1, answers).map(answer => assertWaits(language, ...answer))),
    )
  })
})

interface FeedPage {
  events: { id: string }[]
  cursor: string
}

interface Ended {
  isDone: boolean
  stdout: string
  stderr: string
}

/** The address that a running program asks the candidate to open. */
function addressIn({ stdout }: ChildProcess, ended: Promise<Ended>): Promise<URL> {
  let text = ''
  const printed = new Promise<URL>(resolve => {
    stdout?.on('data', chunk => {
      text += chunk
      const address = /^(http\S+)\n/m.exec(text)?.[1]
      if (address !== undefined) resolve(new URL(address))
    })
  })
  return Promise.race([printed, ended.then(({ stderr }) => assert.fail(stderr))])
}

async function allowedBy(browser: Browser, { pathname, search }: URL): Promise<URL> {
  const answer = await browser.decide(pathname + search)
  return new URL(answer.headers.get('location') ?? '')
}

const idsOf = (applications: readonly Listed[]) => applications.map(({ ID }) => ID)

/** The program's storage: pages or lines. */
function storedIds(store: string): number[] {
  const pages = globSync(`${store}/page-*.json`).map(file => JSON.parse(readFileSync(file, 'utf8')))
  const lines = globSync(`${store}/*.ndjson`).flatMap(file => readFileSync(file, 'utf8').trim().split('\n'))
  return [
    ...idsOf(pages.flatMap(page => page.JobApplications.JobApplicationsList)).toSorted((a, b) => a - b),
    ...idsOf(lines.map(line => JSON.parse(line))),
  ]
}
