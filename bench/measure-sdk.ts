import { Dossier } from '../sdk/typescript/src/index.ts'
import type { Bench } from './bench.ts'
import { measure } from './comparison.ts'
import { measureWork, type Run } from './load.ts'
import { type Contender, medianOf, medianRatio, type Round } from './rounds.ts'

/** A follower may cost twice as much as asking by hand. */
const most = 2

/** The CPU time of an event with the SDK, against a loop of fetch that does the same without any care. */
export async function measureSdk({ report, pace, startScript }: Bench): Promise<void> {
  const server = await startScript('feed-server')
  const baseUrl = `http://127.0.0.1:${server.port}`
  const contenders: Contender[] = [
    {
      name: 'a bare loop of fetch',
      load: options => measureWork(run => [followByHand(baseUrl, run)], options),
    },
    { name: 'the SDK', load: options => measureWork(run => [follow(baseUrl, run)], options) },
  ]
  const [byHand = [], bySdk = []] = await measure(report, contenders, pace.reading)
  const microseconds = ({ perCpuSecond }: Round) => (perCpuSecond === null ? null : 1e6 / perCpuSecond)
  report.add({
    name: 'CPU time of an event, SDK against a bare loop of fetch',
    value: medianOf(bySdk, microseconds) ?? Number.NaN,
    unit: 'µs',
    floor: medianOf(byHand, microseconds),
    ratio: medianRatio(bySdk, byHand, microseconds),
    target: most,
    isAgainstPeer: true,
    direction: 'max',
  })
}

async function followByHand(baseUrl: string, run: Run): Promise<void> {
  for (let cursor = 'start'; run.isRunning(); ) {
    const response = await fetch(`${baseUrl}/v1/advertiser/events?cursor=${cursor}&wait=45`, {
      headers: { authorization: 'SWS sws_demo_harbour' },
    })
    const page = (await response.json()) as { events: unknown[]; cursor: string }
    for (const _event of page.events) run.onDone(0)
    cursor = page.cursor
  }
}

async function follow(baseUrl: string, run: Run): Promise<void> {
  const { events } = new Dossier({ baseUrl, credential: 'sws_demo_harbour' })
  for await (const batch of events.follow({ cursor: 'start' })) {
    for (const _event of batch.events) run.onDone(0)
    if (!run.isRunning()) return
  }
}
