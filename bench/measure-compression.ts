import type { Bench } from './bench.ts'
import { addAgainstFloor, addRatio, measure } from './comparison.ts'
import { askOnce } from './load.ts'
import type { Contender } from './rounds.ts'
import { around, asksFor, listRequest, randomPages, randomSearch, type Subject } from './subject.ts'

const codings = ['identity', 'gzip', 'br', 'zstd']
const bytesPerKb = 1_000

/** Of a page that was requested before in the same coding, by CPU time: it is kept compressed. */
const hotTarget = 0.9

/** What compression saves on the wire, and what it costs: for random pages, and for one that is requested repeatedly. */
export async function measureCompression({ report, pace }: Bench, subject: Subject): Promise<void> {
  const { large } = subject.world
  const random: Contender[] = []
  const hot: Contender[] = []
  const hotSearch = randomSearch(large)
  const bytesOf = new Map<string, number>()
  for (const coding of codings) {
    const headers = { 'Accept-Encoding': coding }
    const request = listRequest(large, 'json', hotSearch, headers)
    const answer = await askOnce(subject.service.port, request)
    const isEncoded = new RegExp(`\r\ncontent-encoding: ${coding}\r\n`, 'i').test(answer.head)
    if (answer.status !== 200 || isEncoded !== (coding !== 'identity')) {
      throw new Error(`asked for ${coding}, and got\n${answer.head}`)
    }
    bytesOf.set(coding, answer.bytes)
    const pages = randomPages(large, 'json', headers)
    random.push(asksFor(subject, `random pages, ${coding}`, pages, around(answer.bytes)))
    hot.push(asksFor(subject, `hot page, ${coding}`, [request], around(answer.bytes)))
  }
  const rounds = await measure(report, [...random, ...hot], pace.brief)
  const [asItIs = []] = rounds
  const hotRounds = rounds.slice(codings.length)
  const [hotAsItIs = []] = hotRounds
  for (const [index, coding] of codings.entries()) {
    const page = `page of 100, JSON, ${subject.label}`
    const name = `${coding}, ${page}`
    report.add({
      name: `${name}: bytes`,
      value: (bytesOf.get(coding) ?? 0) / bytesPerKb,
      unit: 'kB',
      floor: (bytesOf.get('identity') ?? 0) / bytesPerKb,
      ratio: (bytesOf.get(coding) ?? 0) / (bytesOf.get('identity') ?? 1),
      direction: 'max',
    })
    if (coding === 'identity') continue
    addAgainstFloor(report, name, rounds[index] ?? [], asItIs)
    const hotPages = hotRounds[index] ?? []
    addRatio(report, `${coding}, hot ${page}`, hotPages, hotAsItIs, { target: hotTarget })
  }
}
