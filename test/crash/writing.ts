import { fileURLToPath } from 'node:url'
import { type Running, startNode } from '../harness/process.ts'

const script = fileURLToPath(new URL('./writer.ts', import.meta.url))

export interface Acknowledged {
  id: number
  submittedAt: number
  email: string
  attachments: { type: string; sha256: string; size: number }[]
}

/** A writer process, and what it has printed so far. */
export interface Writer {
  running: Running
  acknowledged(): Acknowledged[]
  /** How often it found the database unavailable. */
  outages(): number
  untilAcknowledged(count: number): Promise<void>
  /** The highest acknowledged ID: below it nothing more can appear. */
  highest(): number
  untilAbove(id: number): Promise<void>
  untilOutages(count: number): Promise<void>
}

export function startWriter(advertiserId: number, loops: number, settings: Record<string, string>): Writer {
  const running = startNode(script, [String(advertiserId), String(loops)], settings)
  const acknowledged: Acknowledged[] = []
  let outages = 0
  let readUpTo = 0

  function readOn(stdout: string): void {
    // A line that the kill cut in two counts as unprinted: its reader has no acknowledgement.
    const end = stdout.lastIndexOf('\n') + 1
    for (const line of stdout.slice(readUpTo, end).split('\n').filter(Boolean)) {
      const told = JSON.parse(line)
      if (told.acknowledged !== undefined) acknowledged.push(told.acknowledged)
      else outages++
    }
    readUpTo = end
  }
  const highest = () => acknowledged.reduce((max, { id }) => Math.max(max, id), 0)
  const until = (isReached: () => boolean) =>
    running.until(stdout => {
      readOn(stdout)
      return isReached() ? true : undefined
    })

  return {
    running,
    acknowledged: () => {
      readOn(running.stdout())
      return acknowledged
    },
    outages: () => {
      readOn(running.stdout())
      return outages
    },
    untilAcknowledged: async count => void (await until(() => acknowledged.length >= count)),
    highest: () => {
      readOn(running.stdout())
      return highest()
    },
    untilAbove: async id => void (await until(() => highest() > id)),
    untilOutages: async count => void (await until(() => outages >= count)),
  }
}
