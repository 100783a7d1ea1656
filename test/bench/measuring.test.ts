import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { arch, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { capacityPage, pageWithCapacity } from '../../bench/capacity.ts'
import { Connection, type Step } from '../../bench/connection.ts'
import { type Facts, judge, type Run, type Soaked, type SoakedKind } from '../../bench/findings.ts'
import { readKept, writeKept } from '../../bench/kept-results.ts'
import { ListChecker } from '../../bench/list-checker.ts'
import { getRequest } from '../../bench/load.ts'
import { askAtRate, latenciesOf } from '../../bench/open-loop.ts'
import { createReport } from '../../bench/report.ts'
import { ResponseReader } from '../../bench/response-reader.ts'
import { listenLocally } from '../harness/listen-locally.ts'

const answers =
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello' +
  'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n' +
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n' +
  'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'

test('responses are found wherever the bytes are split', () => {
  const whole = Buffer.from(answers)
  for (let size = 1; size <= whole.length; size++) {
    const found: string[] = []
    const bodies: Buffer[] = []
    const reader = new ResponseReader(
      bytes => found.push(`${reader.status} ${bytes}${reader.isLast ? ' last' : ''}`),
      part => bodies.push(Buffer.from(part)),
    )
    for (let at = 0; at < whole.length; at += size) {
      const piece = whole.subarray(at, at + size)
      reader.feed(piece, piece.length)
    }
    assert.deepEqual(found, ['200 5', '304 0', '200 13', '204 0 last'], `pieces of ${size}`)
    assert.equal(Buffer.concat(bodies).toString(), 'helloabc0123456789')
  }
})

function listOf(ids: readonly number[]): Buffer {
  const list = ids.map(ID => ({ ID, Email: 'a@example.com', Attachments: [{ Href: `resume/${ID}` }] }))
  return Buffer.from(JSON.stringify({ JobApplications: { JobApplicationsList: list } }))
}

function check(ids: readonly number[], list: Buffer, size: number): void {
  const checker = new ListChecker(ids)
  for (let at = 0; at < list.length; at += size) checker.look(list.subarray(at, at + size))
  checker.finish()
}

test('a whole list is recognised by its IDs, wherever it is split', () => {
  const ids = [7, 12, 123_456, 123_457]
  for (let size = 1; size < 60; size++) check(ids, listOf(ids), size)
  const wrong = [ids.slice(0, -1), [...ids, 123_458], [12, 7, 123_456, 123_457], [7, 12, 12, 123_457]]
  for (const other of wrong) assert.throws(() => check(ids, listOf(other), 10))
  assert.throws(() => check(ids, listOf(ids).subarray(0, -1), 10))
})

const step: Step = { request: getRequest('/'), status: 200, minBytes: 2, maxBytes: 2 }

test('requests at a fixed rate are sent on time, answered or not', async () => {
  // No request gets a response until all have arrived: a user that waited for responses in turn would wait forever.
  const together = 20
  const held: ServerResponse[] = []
  const server = createServer((_request, response) => {
    held.push(response)
    if (held.length < together) return
    for (const one of held.splice(0)) one.end('ok')
  })
  const port = await listenLocally(server)
  try {
    // 100 of a warm-up, and 100 that count.
    const { samples, p50, max } = latenciesOf([await askAtRate({ port, next: () => step }, 1000 / 3, 300)])
    assert.equal(samples, 100)
    assert.ok(p50 > 0 && p50 <= max)
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

test('requests at a fixed rate follow responses, and others go on beside them', async () => {
  const asked = new Map<string, number>()
  let serial = 0
  const server = createServer(({ url = '' }, response) => {
    const path = url.replace(/\d+/, '')
    asked.set(path, (asked.get(path) ?? 0) + 1)
    if (path === '/code') response.setHeader('location', `/next?code=${1000 + serial++}`)
    response.end('ok')
  })
  const port = await listenLocally(server)
  try {
    const follow = {
      find: /location: *\S+code=(\d+)/i,
      placeholder: 'xxxx',
      step: { ...step, request: getRequest('/redeem/xxxx') },
    }
    const kinds = ['a', 'b'].map(kind => ({ ...step, request: getRequest('/code'), follow, kind }))
    let turn = 0
    const target = { port, next: () => kinds[turn++ % 2] as (typeof kinds)[number] }
    const plain: Step = { ...step, request: getRequest('/beside') }
    const beside = { target: { port, next: () => plain }, perSecond: 50 }
    const { answers } = await askAtRate(target, 100, 200, [beside])
    assert.equal(answers.length, 20)
    assert.deepEqual(
      answers.slice(0, 4).map(({ step: { kind } }) => kind),
      ['a', 'b', 'a', 'b'],
    )
    assert.deepEqual(Object.fromEntries(asked), { '/code': 50, '/redeem/': 50, '/beside': 25 })
  } finally {
    server.close()
    server.closeAllConnections()
  }
})

test('a connection that the server has closed properly is replaced', async () => {
  let connections = 0
  const server = createServer((_request, response) => response.setHeader('connection', 'close').end('ok'))
  server.on('connection', () => connections++)
  const port = await listenLocally(server)
  try {
    await new Promise<void>((resolve, reject) => {
      let answers = 0
      const connection = new Connection(port, {
        onDone: () => (++answers < 3 ? connection.ask(step) : resolve()),
        onError: reject,
      })
      connection.ask(step)
    })
    assert.equal(connections, 3)
  } finally {
    server.close()
  }
})

test('a target is met or missed by the printed figure', () => {
  const share = { name: 'a', value: 1, unit: 'x', direction: 'min' } as const
  assert.equal(judge({ ...share, ratio: 0.4, target: 0.4 }).met, true)
  assert.equal(judge({ ...share, ratio: 0.3994, target: 0.4 }).met, false)
  assert.equal(judge({ ...share, direction: 'max', value: 50.1, target: 50 }).met, false)
  assert.equal(judge(share).met, null)
})

const facts = {
  at: '2026-11-17T12:00:00.000Z',
  commit: '12345678',
  seconds: 300,
  machine: ['a machine'],
  method: ['a method'],
}

test('the last run on each architecture is kept, and an older one is judged by the targets of the newest', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dossier-report-'))
  try {
    const where = pathToFileURL(`${folder}/`)
    const runOf = (at: string, ratio: number, target: number): Run => {
      const measured = { name: 'poll: by CPU time', value: 5, unit: 'x', floor: 9, direction: 'min' } as const
      const results = [judge({ ...measured, ratio, target })]
      return { ...facts, at, results, busy: [], pages: {}, growth: [], tails: [] }
    }
    const row = async () =>
      /^\| poll.*$/m.exec(await readFile(join(folder, 'results.md'), 'utf8'))?.[0].replace(/ \(.*?\)/g, '')
    const heads = async () =>
      /^\| what \| target.*$/m.exec(await readFile(join(folder, 'results.md'), 'utf8'))?.[0]

    writeKept({ runs: { arm64: runOf('2026-11-01', 3, 2) } }, where)
    assert.equal(await heads(), '| what | target | arm64, 2026-11-01, 12345678 | met |')
    assert.equal(await row(), '| poll: by CPU time | at least 2 × | 3 × | yes |')

    const memory = { name: 'private memory, SQLite', value: 90, unit: 'MiB', floor: 80 } as const
    const kind: SoakedKind = { name: 'prefill', share: 4, p50: [1, 2], p99: [3, 4] }
    const soak: Facts & Soaked = {
      ...facts,
      label: 'SQLite',
      minutes: 30,
      rate: 400,
      requests: 720_000,
      kinds: [kind],
      figures: [judge({ ...memory, direction: 'max', ratio: 1.125, target: 1.1 })],
    }
    const kept = readKept(where)
    const soaks = { SQLite: soak }
    writeKept({ runs: { ...kept.runs, x64: runOf('2026-11-17T01:00', 5, 4) }, soaks }, where)
    assert.equal(await row(), '| poll: by CPU time | at least 4 × | 3 × | NO | 5 × | yes |')
    const text = await readFile(join(folder, 'results.md'), 'utf8')
    assert.match(text, /from the run on x64, 2026-11-17, 12345678/)
    assert.match(text, /720,000 requests in 30 minutes/)
    assert.match(text, /^\| private memory, SQLite \| 80 \| 90 MiB \| 1.13 \| at most 1.10 \| NO \|$/m)
    assert.match(text, /^\| prefill \| 4 \| 1.00 \| 2.00 \| 3.00 \| 4.00 \|$/m)
    assert.deepEqual(readKept(where).soaks, soaks)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a missed target is printed as missed, and comparisons stand by what they are for', async t => {
  const printed = t.mock.method(console, 'log', () => {})
  const folder = await mkdtemp(join(tmpdir(), 'dossier-report-'))
  try {
    const report = createReport()
    const page = {
      unit: 'requests/CPU s',
      floor: 1_000,
      direction: 'min',
      target: 0.4,
      isAgainstPeer: true,
    } as const
    report.add({
      name: 'idle poll',
      value: 4,
      unit: 'x',
      floor: 16,
      ratio: 0.25,
      record: '034',
      direction: 'min',
    })
    report.add({ name: 'slowest page', which: '/x', value: 9, unit: 'ms', target: 20, direction: 'max' })
    report.add({ name: 'p99 of polls', value: 2, unit: 'ms', floor: 1.5, target: 3, direction: 'max' })
    report.add({ ...page, name: 'hot page of 100, JSON, SQLite: by CPU time', value: 500, ratio: 0.5 })
    report.add({ ...page, name: 'hot page of 100, JSON, PostgreSQL: by CPU time', value: 300, ratio: 0.3 })
    report.addGrowth({ label: 'SQLite', points: [{ applications: 1_000, microseconds: 512.345 }] })
    report.addBusy({ name: 'floor /json', client: 0.4, server: 0.5, behind: null })
    report.finish(facts, pathToFileURL(`${folder}/`))

    const text = await readFile(join(folder, 'results.md'), 'utf8')
    assert.match(
      text,
      /\| hot page of 100, JSON, SQLite: by CPU time \| at least 40.0 % \|.* 50.0 % \(500 requests\/CPU s against 1,000\) \| yes \|/,
    )
    assert.match(text, /\| hot page of 100, JSON, PostgreSQL: by CPU time \| .* \| NO \|/)
    assert.match(text, /## What people feel[^#]*\| slowest page \| at most 20 ms \|.* 9 ms \(\/x\) \| yes \|/)
    assert.match(text, /## Against what people would use instead[^#]*\| hot page of 100, JSON, SQLite/)
    assert.match(text, /## Against the floor[^#]*\| idle poll \| 25.0 % \| 4 x \| 16 \| 034 \|/)
    assert.match(text, /3 of 4 targets met/)
    assert.match(text, /\| p99 of polls \| at most 3 ms \|.* 2 ms \(floor 1.5\) \| yes \|/)
    assert.match(text, /something else used the machine/)
    const { results, growth } = JSON.parse(await readFile(join(folder, 'results.json'), 'utf8')).runs[arch()]
    assert.deepEqual(
      results.map(({ met }: { met: boolean }) => met),
      [null, true, true, true, false],
    )
    assert.equal(growth[0].points[0].microseconds, 512.3)
    const last = printed.mock.calls.map(({ arguments: [line] }) => line).join('\n')
    assert.match(last, /3 targets met, 1 missed: hot page of 100, JSON, PostgreSQL: by CPU time\./)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('what a node carries is on its page as the program computes it from the newest run', async () => {
  assert.equal(await readFile(capacityPage, 'utf8'), pageWithCapacity())
})
