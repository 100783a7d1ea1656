import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, request as forward, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import {
  type SampleLanguage,
  type SampleProgram,
  sampleLanguages,
  samplePath,
  samplePrograms,
} from '../../src/developers/sample-list.ts'
import { call, harbour } from '../harness/http.ts'
import { Browser, doorOf } from '../harness/oauth.ts'
import { hasPythonAndCurl } from '../harness/python.ts'
import { root } from '../harness/repository.ts'
import { onOneEngine } from '../harness/service.ts'

/** Those that are run here; the others are read by people. */
const commands: Partial<Record<SampleLanguage, string>> = {
  curl: 'sh',
  typescript: process.execPath,
  python: 'python3',
}
const languages = Object.keys(commands) as SampleLanguage[]

interface Listed {
  ID: number
  Attachments: { Type: string; Hash: string; Href: string }[]
}

test('every program is there in every language, and nothing else', () => {
  const expected = sampleLanguages.flatMap(language =>
    samplePrograms.map(program => samplePath(language, program)),
  )
  const found = globSync('samples/**/*.*', { cwd: root }).filter(path => !path.endsWith('.md'))
  assert.deepEqual(found.toSorted(), expected.toSorted())
})

onOneEngine('code samples', service => {
  let folder: string
  let network: Network
  /** Mary's, who signs in once. */
  let browser: Browser
  before(async () => {
    assert.ok(hasPythonAndCurl(), 'Python 3 and curl are needed to run the samples')
    folder = mkdtempSync(join(tmpdir(), 'dossier-samples-'))
    network = await openNetwork(service().baseUrl)
    browser = new Browser(doorOf(service()))
  })
  after(() => {
    network.server.close()
    rmSync(folder, { recursive: true })
  })

  function run(language: SampleLanguage, program: SampleProgram, settings: Record<string, string> = {}) {
    const env = { PATH: process.env['PATH'], DOSSIER_URL: service().baseUrl, ...settings }
    return new Promise<{ isDone: boolean; stdout: string; stderr: string }>(resolve => {
      const args = [join(root, samplePath(language, program))]
      execFile(commands[language] ?? '', args, { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ isDone: error === null, stdout, stderr }),
      )
    })
  }

  const listed = async (): Promise<Listed[]> => {
    const answer = await call(service(), '/v1/advertiser/applications', { headers: harbour })
    return answer.json().JobApplications.JobApplicationsList
  }

  for (const language of languages) {
    test(`${language}: collects each once, whatever happens on the way`, async () => {
      const store = join(folder, `store-${language}`)
      const settings = { DOSSIER_URL: network.url, STORE: store }
      // The first list breaks off half-way. curl gives up on that, and the next round goes on.
      network.cutNext()
      const first = await run(language, 'collect', settings)
      assert.ok(network.wasCut())
      if (language !== 'curl') assert.ok(first.isDone, first.stderr)
      else assert.ok((await run(language, 'collect', settings)).isDone)
      assert.deepEqual(storedIds(store), idsOf(await listed()))

      const sent = await run(language, 'apply')
      assert.ok(sent.isDone, sent.stderr)
      const { id } = JSON.parse(sent.stdout)
      // What a crash in the middle of a write leaves behind.
      for (const file of globSync(`${store}/*.ndjson`)) appendFileSync(file, '{"ID": 99999999, "Att')
      const again = await run(language, 'collect', settings)
      assert.ok(again.isDone, again.stderr)
      assert.equal(again.stdout.trim(), `stored up to ${id}`)
      const expected = await listed()
      assert.deepEqual(storedIds(store), idsOf(expected))
      assertFiles(store, expected)

      assert.equal((await run(language, 'collect', settings)).stdout, '', 'nothing is new')
    })

    test(`${language}: sends one application, also when it is sent twice`, async () => {
      const settings = { KEY: `sample-${language}` }
      const answers = [await run(language, 'apply', settings), await run(language, 'apply', settings)]
      const ids = answers.map(({ stdout, stderr }) => {
        assert.notEqual(stdout, '', stderr)
        return JSON.parse(stdout).id
      })
      assert.equal(ids[0], ids[1])
    })

    test(`${language}: says where to send the candidate, and reads what they share`, async () => {
      const { stdout: told } = await run(language, 'share')
      const address = new URL(told.trim().split('\n').at(-1) ?? '')
      const location = await allowedBy(browser, address)
      const { isDone, stdout, stderr } = await run(language, 'share', {
        CODE: location.searchParams.get('code') ?? '',
      })
      assert.ok(isDone, stderr)
      assert.match(stdout, /"emailAddress": ?"mary@example\.com"/)
      assert.match(stdout, /told that it was handed in/)
      const resume = readdirSync(folder).find(name => /resume/i.test(name) && !name.startsWith('store'))
      assert.ok(resume !== undefined, 'the resume is there')
      assert.match(readFileSync(join(folder, resume), 'latin1'), /^%PDF-/)
      rmSync(join(folder, resume))
    })
  }
})

async function allowedBy(browser: Browser, { pathname, search }: URL): Promise<URL> {
  const answer = await browser.decide(pathname + search)
  return new URL(answer.headers.get('location') ?? '')
}

const idsOf = (applications: readonly Listed[]) => applications.map(({ ID }) => ID)

/** Whatever the program stores in: pages, or lines. */
function storedIds(store: string): number[] {
  const pages = globSync(`${store}/page-*.json`).map(file => JSON.parse(readFileSync(file, 'utf8')))
  const lines = globSync(`${store}/*.ndjson`).flatMap(file => readFileSync(file, 'utf8').trim().split('\n'))
  return [
    ...idsOf(pages.flatMap(page => page.JobApplications.JobApplicationsList)).toSorted((a, b) => a - b),
    ...idsOf(lines.map(line => JSON.parse(line))),
  ]
}

function assertFiles(store: string, applications: readonly Listed[]): void {
  const names = new Map(readdirSync(`${store}/files`).map(name => [name.toLowerCase(), name]))
  for (const { ID, Attachments } of applications) {
    for (const { Type, Hash } of Attachments) {
      const name = names.get(`${ID}-${Type}`.toLowerCase())
      assert.ok(name !== undefined, `${ID}-${Type}`)
      // The hash of a screen is that of its XML form; the programs ask for JSON.
      const hash = createHash('sha256')
        .update(readFileSync(join(store, 'files', name)))
        .digest('hex')
      if (Type !== 'screen') assert.equal(hash, Hash, name)
      names.delete(`${ID}-${Type}`.toLowerCase())
    }
  }
  assert.deepEqual([...names.keys()], [])
}

interface Network {
  url: string
  server: Server
  /** The next answer ends after half of its bytes. */
  cutNext(): void
  wasCut(): boolean
}

async function openNetwork(baseUrl: string): Promise<Network> {
  let isToBeCut = false
  const { hostname, port } = new URL(baseUrl)
  const server = createServer((incoming, outgoing) => {
    const { url = '', method = '', headers } = incoming
    const onward = forward({ host: hostname, port, path: url, method, headers }, async response => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      const body = Buffer.concat(chunks)
      const { 'transfer-encoding': _chunked, ...kept } = response.headers
      outgoing.writeHead(response.statusCode ?? 0, { ...kept, 'content-length': body.length })
      if (!isToBeCut) outgoing.end(body)
      else {
        isToBeCut = false
        outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy())
      }
    })
    incoming.pipe(onward)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    cutNext: () => {
      isToBeCut = true
    },
    wasCut: () => !isToBeCut,
  }
}
