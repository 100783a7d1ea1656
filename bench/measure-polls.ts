import type { Bench } from './bench.ts'
import { addAgainstFloor, measure } from './comparison.ts'
import type { Step } from './connection.ts'
import { asking, askOnce, getRequest } from './load.ts'
import { openPointReads, type PointReads } from './point-reads.ts'
import { type Contender, connections } from './rounds.ts'
import type { ServerProcess } from './service.ts'
import { placeOf } from './sharing-world.ts'
import { asks, bare, listRequest, pageSize, type Subject } from './subject.ts'

/** A poll that finds nothing new, against an empty response, and against the engine's own reads of one row. */
export async function measurePolls(
  { report, pace }: Bench,
  floor: ServerProcess,
  subjects: readonly Subject[],
): Promise<void> {
  const opened: PointReads[] = []
  try {
    const empty = bare304()
    const contenders: Contender[] = [
      {
        name: 'floor /empty',
        load: asking({ port: floor.port, next: () => empty }),
        serverPid: floor.pid,
      },
    ]
    for (const subject of subjects) {
      const poll = await idlePoll(subject)
      const { credential } = subject.world.large
      const reads = await openPointReads(placeOf(subject.settings), credential, connections)
      opened.push(reads)
      contenders.push(
        asks(subject, 'idle poll', () => poll),
        bare(subject, "the engine's own point reads", reads),
      )
    }
    const [floorRounds = [], ...rounds] = await measure(report, contenders, pace.reading)
    for (const [index, { label }] of subjects.entries()) {
      const [polls = [], reads = []] = rounds.slice(index * 2)
      addAgainstFloor(report, `idle poll (304), ${label}`, polls, floorRounds, '034')
      addAgainstFloor(report, `idle poll (304) against the engine's own point reads, ${label}`, polls, reads)
    }
  } finally {
    for (const reads of opened) await reads.close()
  }
}

/** What a poller that has seen everything sends. */
export async function idlePoll({ service, world }: Subject): Promise<Step> {
  const { large } = world
  const search = `?limit=${pageSize}&afterid=${large.ids.at(-1)}`
  const { head } = await askOnce(service.port, listRequest(large, 'json', search))
  const tag = /\r\netag: *(\S+)/i.exec(head)?.[1]
  if (tag === undefined) throw new Error(`a list without an ETag:\n${head}`)
  return emptyStep(listRequest(large, 'json', search, { 'If-None-Match': tag }))
}

/** Of the floor. */
export const bare304 = () => emptyStep(getRequest('/empty'))

function emptyStep(request: Buffer): Step {
  return { request, status: 304, minBytes: 0, maxBytes: 0 }
}
