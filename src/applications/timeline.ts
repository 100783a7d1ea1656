import type { EpochMs } from '../core/clock.ts'
import type { SharingHistory, StartedApplication } from '../sharing/ports.ts'
import type { ListedApplication, OwnApplicationStore } from './applying-ports.ts'

/** An application of a candidate: sent on the board itself, or begun on somebody else's website. */
export type TimelineEntry =
  | { kind: 'here'; at: EpochMs; id: string; application: ListedApplication }
  | { kind: 'elsewhere'; at: EpochMs; id: string; application: StartedApplication }

/** The end of a page: what follows is older. */
export type TimelinePosition = Pick<TimelineEntry, 'kind' | 'at' | 'id'>

export type Timeline = ReturnType<typeof createTimeline>

/** Everything that a candidate has applied for with us, in one list. */
export function createTimeline({
  sent,
  begun,
  limits,
}: {
  sent: Pick<OwnApplicationStore, 'list'>
  begun: Pick<SharingHistory, 'applications'>
  limits: { applicationsShown: number }
}) {
  return {
    /** Newest first, and whether there are older ones. */
    async page(candidateId: string, before: TimelinePosition | undefined) {
      // The page may be all of one kind, and one more tells whether another follows.
      const most = limits.applicationsShown + 1
      const [here, elsewhere] = await Promise.all([
        sent.list(candidateId, before && sentBefore(before), most),
        begun.applications(candidateId, most, before && begunBefore(before)),
      ])
      const entries = [...here.map(entryHere), ...elsewhere.map(entryElsewhere)]
        // Each kind is in its order, and sorting is stable: of the same moment, those from here come first.
        .toSorted((a, b) => b.at - a.at)
      return {
        entries: entries.slice(0, limits.applicationsShown),
        hasMore: entries.length > limits.applicationsShown,
      }
    },
  }
}

function entryHere(application: ListedApplication): TimelineEntry {
  const { submittedAt, applicationId } = application
  return { kind: 'here', at: submittedAt, id: String(applicationId), application }
}

function entryElsewhere(application: StartedApplication): TimelineEntry {
  return { kind: 'elsewhere', at: application.createdAt, id: application.id, application }
}

/** After one from elsewhere nothing from here of the same moment follows: no ID is 0 or less. */
function sentBefore({ kind, at, id }: TimelinePosition) {
  return { submittedAt: at, applicationId: kind === 'here' ? Number(id) : 0 }
}

/** After one from here all from elsewhere of the same moment follow: no ID comes before the empty one. */
function begunBefore({ kind, at, id }: TimelinePosition) {
  return kind === 'elsewhere' ? { at, id } : { at: at + 1, id: '' }
}

export function positionText({ at, id }: TimelinePosition): string {
  return `${at}.${id}`
}

/** What cannot be read begins anew. */
export function readPosition(text: string | undefined): TimelinePosition | undefined {
  const [, at, id = ''] = /^(\d{1,15})\.([1-9]\d{0,14}|[0-9a-f-]{36})$/.exec(text ?? '') ?? []
  if (at === undefined) return undefined
  return { at: Number(at), id, kind: id.length === 36 ? 'elsewhere' : 'here' }
}
