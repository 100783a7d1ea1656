import type { Bench } from './bench.ts'
import { addAgainstFloor, measure } from './comparison.ts'
import { askOnce } from './load.ts'
import type { Contender } from './rounds.ts'
import { around, asksFor, listRequest, randomPages, randomSearch, type Subject } from './subject.ts'

const codings = ['identity', 'gzip', 'br', 'zstd']
const bytesPerKb = 1_000

/** What compression saves on the wire, and what it costs; a kept page is kept compressed, at no further cost. */
export async function measureCompression({ report, pace }: Bench, subject: Subject): Promise<void> {
  const { large } = subject.world
  const contenders: Contender[] = []
  const bytesOf = new Map<string, number>()
  for (const coding of codings) {
    const headers = { 'Accept-Encoding': coding }
    const request = listRequest(large, 'json', randomSearch(large), headers)
    const answer = await askOnce(subject.service.port, request)
    const isEncoded = new RegExp(`\r\ncontent-encoding: ${coding}\r\n`, 'i').test(answer.head)
    if (answer.status !== 200 || isEncoded !== (coding !== 'identity')) {
      throw new Error(`asked for ${coding}, and got\n${answer.head}`)
    }
    bytesOf.set(coding, answer.bytes)
    const pages = randomPages(large, 'json', headers)
    contenders.push(asksFor(subject, `random pages, ${coding}`, pages, around(answer.bytes)))
  }
  const rounds = await measure(report, contenders, pace.brief)
  const [asItIs = []] = rounds
  for (const [index, coding] of codings.entries()) {
    const name = `${coding}, page of 100, JSON, ${subject.label}`
    report.add({
      name: `${name}: bytes`,
      value: (bytesOf.get(coding) ?? 0) / bytesPerKb,
      unit: 'kB',
      floor: (bytesOf.get('identity') ?? 0) / bytesPerKb,
      ratio: (bytesOf.get(coding) ?? 0) / (bytesOf.get('identity') ?? 1),
      direction: 'max',
    })
    if (coding === 'identity') continue
    addAgainstFloor(report, name, rounds[index] ?? [], asItIs, undefined)
  }
}
