import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { believableDraft } from './believable.ts'
import type { Bench } from './bench.ts'
import { openForBench } from './bench-services.ts'
import { askOnce, getRequest } from './load.ts'
import { feedRequest } from './measure-events.ts'
import { cpuSeconds, residentMib } from './process-figures.ts'
import type { ServerProcess } from './service.ts'
import type { Subject } from './subject.ts'

const perCredential = 8
const kibPerMib = 1024

/** Requests that wait: their memory, what they cost while nothing happens, and how long waking them takes. */
export async function measureWaiting(bench: Bench, subject: Subject): Promise<void> {
  const { report, pace, start, startScript } = bench
  const count = pace.isQuick ? 200 : 10_000
  const woken = pace.isQuick ? 100 : 1_000
  const followed = await addFollowed(subject, count)
  // Holds requests, as the least that waiting can cost.
  const holder = await startScript('holding-server')
  const service = await start(subject.settings, ['--workers', '2'])
  report.say(`${count} requests wait, ${subject.label}`)

  const bare = await holdAll(
    holder,
    Array.from({ length: count }, () => getRequest('/')),
  )
  // Both at once would need more files than a process may open.
  bare.close()
  // At first for a random time, so that they come back evenly spread, as they do after a while.
  const request = ({ credential, cursor }: Followed, wait: number) =>
    feedRequest({ credential }, `?cursor=${cursor}&wait=${wait}`)
  const begin = followed.map(each => request(each, Math.ceil(Math.random() * 50)))
  const ours = await holdAll(
    service,
    begin,
    followed.map(each => request(each, 50)),
  )
  report.add({
    name: `memory of a waiting request against a bare held one, two workers, ${subject.label}`,
    value: ours.kibEach,
    unit: 'KiB',
    floor: bare.kibEach,
    ratio: ours.kibEach / bare.kibEach,
    record: '083',
    direction: 'max',
  })
  // Until as many have come back as wait: at first, V8 compiles what follows the end of a wait while it is measured.
  if (!pace.isQuick) await ours.answered
  const before = cpuSeconds(service.pid)
  const answersBefore = ours.answers()
  const startedAt = performance.now()
  await sleep(pace.isQuick ? 1_000 : 15_000)
  const seconds = (performance.now() - startedAt) / 1000
  const busy = ((cpuSeconds(service.pid) ?? 0) - (before ?? 0)) / seconds
  report.add({
    name: `CPU of ${count} waiting requests while nothing happens, two workers, ${subject.label}`,
    value: busy * 100,
    unit: '% of a core',
    record: '083',
    direction: 'max',
  })
  report.add({
    name: `the same for each that asks again after its wait, two workers, ${subject.label}`,
    value: ((busy * seconds) / Math.max(1, ours.answers() - answersBefore)) * 1e6,
    unit: 'CPU µs',
    direction: 'max',
  })
  ours.close()
  await measureWake(bench, subject, holder, service, woken)
  await service.stop()
}

/** All of one advertiser: from the write to the last answer. */
async function measureWake(
  { report }: Bench,
  subject: Subject,
  holder: ServerProcess,
  service: ServerProcess,
  count: number,
): Promise<void> {
  const [one] = await addFollowed(subject, count, true)
  if (one === undefined) return
  await using services = await openForBench(subject.settings)
  const followers = one.credentials
    .flatMap(credential => Array(perCredential).fill(credential))
    .slice(0, count)
  const rounds: { ours: number; bare: number }[] = []
  for (let round = 0; round < 3; round++) {
    const plain = await holdAll(
      holder,
      followers.map(() => getRequest('/')),
    )
    const bareStart = performance.now()
    await askOnce(holder.port, getRequest('/wake'))
    await plain.answered
    const bare = performance.now() - bareStart
    plain.close()
    const { body } = await askOnce(service.port, feedRequest(one, ''), { keepBody: true })
    const { cursor } = JSON.parse(body.toString())
    const held = await holdAll(
      service,
      followers.map(credential => feedRequest({ credential }, `?cursor=${cursor}&wait=50`)),
    )
    await services.submissions.add(one.advertiserId, believableDraft(round, Date.now()))
    const startedAt = performance.now()
    await held.answered
    rounds.push({ ours: performance.now() - startedAt, bare })
    held.close()
  }
  const [, { ours, bare } = { ours: Number.NaN, bare: Number.NaN }] = rounds.toSorted(
    (a, b) => a.ours - b.ours,
  )
  report.add({
    name: `waking ${count} followers from another process, against node:http, ${subject.label}`,
    value: ours,
    unit: 'ms',
    floor: bare,
    ratio: ours / bare,
    direction: 'max',
  })
}

interface Followed {
  advertiserId: number
  credential: string
  credentials: string[]
  cursor: string
}

/** Callers, each with its credential: as many advertisers as credentials, or one. */
async function addFollowed(subject: Subject, count: number, isOne = false): Promise<Followed[]> {
  await using services = await openForBench(subject.settings)
  const credentials: { advertiserId: number; value: string }[] = []
  let advertiserId = 0
  for (let index = 0; index < Math.ceil(count / perCredential); index++) {
    if (index === 0 || (!isOne && index % 10 === 0))
      advertiserId = (await services.advertisers.add(`Followed ${index}`)).id
    const { value } = await services.credentials.issue(advertiserId, 'bench', null)
    credentials.push({ advertiserId, value })
  }
  const followed: Followed[] = []
  for (const { advertiserId, value } of credentials) {
    const { body } = await askOnce(subject.service.port, feedRequest({ credential: value }, ''), {
      keepBody: true,
    })
    const { cursor } = JSON.parse(body.toString())
    const all = credentials.map(each => each.value)
    for (let each = 0; each < perCredential; each++)
      followed.push({ advertiserId, credential: value, cursor, credentials: all })
  }
  return followed.slice(0, count)
}

interface Held {
  kibEach: number
  /** Resolves after as many answers as there are connections. */
  answered: Promise<void>
  /** How many were answered until now. */
  answers(): number
  close(): void
}

/** Sends a request on each of as many connections; with `again`, another one after each answer. */
async function holdAll(
  server: ServerProcess,
  requests: readonly Buffer[],
  again?: readonly Buffer[],
): Promise<Held> {
  const before = memoryOf(server.pid)
  const sockets: Socket[] = []
  const { promise: answered, resolve } = Promise.withResolvers<void>()
  let left = requests.length
  for (const [index, request] of requests.entries()) {
    const socket = connect({ host: '127.0.0.1', port: server.port, noDelay: true })
    sockets.push(socket)
    // The end of the run closes them.
    socket.on('error', () => {})
    socket.on('data', () => {
      left -= 1
      if (left === 0) resolve()
      if (again !== undefined) socket.write(again[index] ?? '')
    })
    socket.write(request)
    if (index % 200 === 199) await sleep(20)
  }
  // Until the last ones are held, too, and the garbage of the others is collected.
  await sleep(requests.length < 2_000 ? 1_500 : 6_000)
  const kibEach = ((memoryOf(server.pid) - before) * kibPerMib) / requests.length
  return {
    kibEach,
    answered,
    answers: () => requests.length - left,
    close: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Of the process and its children. */
function memoryOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return residentMib(pid) + children.reduce((sum, child) => sum + memoryOf(Number(child)), 0)
}
