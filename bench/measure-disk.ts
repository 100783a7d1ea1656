import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { compileLibrary, findsCompiler } from '../test/harness/native-library.ts'
import type { Bench } from './bench.ts'
import type { Step } from './connection.ts'
import { getRequest } from './load.ts'
import { submission, usualResume } from './measure-submissions.ts'
import { askAtRate, latenciesOf, type Window } from './open-loop.ts'
import type { ServerProcess } from './service.ts'

const harbour = 10000001
const southern = 'SWS sws_demo_southern'
const [perSecond, submissionsBeside] = [300, 5]
const resume = usualResume()

/** The p99 beside submissions, against the same on a disk that is not slowed down. */
const targetSlow = 1.2

interface Reads {
  poll: () => Step
  page: () => Step
  submit: () => Step
}

async function readsOf(port: number): Promise<Reads> {
  const url = `http://127.0.0.1:${port}`
  const headers = { Authorization: southern, Accept: 'application/json' }
  const path = '/v1/advertiser/applications?limit=100&afterid=999999'
  const list = await fetch(url + path, { headers })
  const poll = getRequest(path, { ...headers, 'If-None-Match': list.headers.get('etag') ?? '' })
  const asked = await fetch(`${url}/api/iam/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('demo-board:demo-board-secret')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'w_applications' }),
  })
  const { access_token: token } = (await asked.json()) as { access_token: string }
  let first = 0
  return {
    poll: () => ({ request: poll, status: 304, minBytes: 0, maxBytes: 0 }),
    // A different query each time: none is in the cache of pages.
    page: () => ({
      request: getRequest(`/v1/advertiser/applications?limit=100&afterid=${++first}`, headers),
      status: 200,
      minBytes: 1,
      maxBytes: 1_000_000,
    }),
    submit: () => submission({ token, advertiserIds: [harbour] }, resume, false),
  }
}

/**
 * Polls and pages of an advertiser beside submissions to another one, on SQLite: each flush takes 50 ms longer, or one in
 * twenty 300 ms, against this machine's disk. A library that is preloaded delays the flushes.
 */
export async function measureDisk({ report, folder, pace, start }: Bench): Promise<void> {
  if (!findsCompiler()) return report.say('there is no C compiler: nothing is measured on a slow disk')
  const LD_PRELOAD = compileLibrary(new URL('slow-disk.c', import.meta.url), folder)
  const disks: Record<string, Record<string, string>> = {
    fast: { LD_PRELOAD },
    slow: { LD_PRELOAD, SLOW_MS: '50' },
    stalling: { LD_PRELOAD, SLOW_ONE_IN: '20', SLOW_MOST_MS: '300' },
  }
  const services: { disk: string; service: ServerProcess; reads: Reads }[] = []
  for (const [disk, env] of Object.entries(disks)) {
    const settings = { DATA_DIR: join(folder, `disk-${disk}`), LOG_FORMAT: 'json', ...env }
    await mkdir(settings.DATA_DIR)
    const service = await start(settings, ['--demo'])
    services.push({ disk, service, reads: await readsOf(service.port) })
  }
  for (const [what, name] of [
    ['poll', 'idle poll (304)'],
    ['page', 'page of the demo'],
  ] as const) {
    report.say(`on slow disks: ${name}`)
    const windows: Record<string, Window[]> = {}
    for (let round = 0; round < pace.beside.rounds; round++) {
      for (const { disk, service, reads } of services) {
        const target = (next: () => Step) => ({ port: service.port, next })
        const beside = [{ target: target(reads.submit), perSecond: submissionsBeside }]
        const window = await askAtRate(target(reads[what]), perSecond, pace.beside.ms, beside)
        windows[disk] = [...(windows[disk] ?? []), window]
      }
    }
    const tails = Object.entries(windows).map(([disk, each]) => ({ disk, tail: latenciesOf(each) }))
    for (const { disk, tail } of tails)
      report.addTail({
        name: `${name} with submissions, ${disk} disk`,
        label: 'SQLite',
        rate: perSecond,
        ...tail,
      })
    const [fast, ...others] = tails
    for (const { disk, tail } of fast === undefined ? [] : others) {
      report.add({
        name: `${name} with submissions, SQLite: p99 on a ${disk} disk against a fast one`,
        value: tail.p99,
        unit: 'ms',
        floor: fast?.tail.p99 ?? null,
        ratio: tail.p99 / (fast?.tail.p99 ?? Number.NaN),
        target: targetSlow,
        direction: 'max',
      })
    }
  }
  for (const { service } of services) await service.stop()
}
