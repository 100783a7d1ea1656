import { pageRoom } from '../../events/feed/ports.ts'

/** Stands before the number of an event in the place of its timestamp: no JSON contains it as it is. */
export const stampMark = '\u0001'
export const stampBytes = '2026-11-14T00:00:00.000Z'.length

const mark = stampMark.charCodeAt(0)
const [zero, nine] = ['0', '9'].map(digit => digit.charCodeAt(0)) as [number, number]
const [colon, point, zulu] = [':', '.', 'Z'].map(each => each.charCodeAt(0)) as [number, number, number]
const dayMs = 86_400_000
const dateBytes = '2026-11-14T'.length
let known = { day: Number.NaN, date: Buffer.alloc(dateBytes) }

/**
 * Writes the times of the events of a page over their marks and numbers, as `isoTimeOf` has them up to the year 9999.
 * Returns the number of the last event. Throws if the numbers do not ascend: no database promises the order in which it
 * joins rows, and a follower would lose events of a page in another order.
 */
export function writeStamps(json: Buffer): number | undefined {
  const end = json.length - pageRoom
  let last: number | undefined
  for (let at = json.indexOf(mark, pageRoom); at >= 0 && at < end; at = json.indexOf(mark, at + stampBytes)) {
    const number = numberAt(json, at + 1)
    if (last !== undefined && number <= last) throw new Error('events were read in another order')
    last = number
    writeStamp(json, at, number)
  }
  return last
}

function numberAt(json: Buffer, start: number): number {
  let number = 0
  for (let at = start; ; at++) {
    const byte = json[at] as number
    if (byte < zero || byte > nine) return number
    number = number * 10 + byte - zero
  }
}

function writeStamp(json: Buffer, at: number, number: number): void {
  const day = Math.floor(number / dayMs)
  if (day !== known.day)
    known = { day, date: Buffer.from(new Date(day * dayMs).toISOString().slice(0, dateBytes)) }
  for (let byte = 0; byte < dateBytes; byte++) json[at + byte] = known.date[byte] as number
  const ms = number - day * dayMs
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  writeTwo(json, at + 11, Math.floor(minutes / 60))
  json[at + 13] = colon
  writeTwo(json, at + 14, minutes % 60)
  json[at + 16] = colon
  writeTwo(json, at + 17, seconds % 60)
  json[at + 19] = point
  json[at + 20] = zero + Math.floor((ms % 1000) / 100)
  writeTwo(json, at + 21, ms % 100)
  json[at + 23] = zulu
}

function writeTwo(json: Buffer, at: number, value: number): void {
  json[at] = zero + Math.floor(value / 10)
  json[at + 1] = zero + (value % 10)
}
