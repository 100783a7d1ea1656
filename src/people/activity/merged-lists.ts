import type { EpochMs } from '../../core/clock.ts'

/** Two lists of a candidate, each newest first, that are shown as one: what was sent here, and what elsewhere. */

export interface SentHere {
  submittedAt: EpochMs
  applicationId: number
}

export type MergedEntry<Here, Elsewhere> =
  | { kind: 'here'; at: EpochMs; id: string; here: Here }
  | { kind: 'elsewhere'; at: EpochMs; id: string; elsewhere: Elsewhere }

/** The end of a page: what follows is older. */
export interface MergedPosition {
  kind: 'here' | 'elsewhere'
  at: EpochMs
  id: string
}

/** Newest first, and whether there are older ones. */
export async function mergedPage<Here extends SentHere, Elsewhere extends { id: string }>({
  before,
  shown,
  here,
  elsewhere,
  timeOf,
}: {
  before: MergedPosition | undefined
  shown: number
  here(before: SentHere | undefined, most: number): Promise<Here[]>
  elsewhere(before: { at: EpochMs; id: string } | undefined, most: number): Promise<Elsewhere[]>
  timeOf(entry: Elsewhere): EpochMs
}) {
  // The page may be all of one kind, and one more tells whether another follows.
  const most = shown + 1
  const [ours, theirs] = await Promise.all([
    here(before && hereBefore(before), most),
    elsewhere(before && elsewhereBefore(before), most),
  ])
  const entries: MergedEntry<Here, Elsewhere>[] = [
    ...ours.map(each => ({
      kind: 'here' as const,
      at: each.submittedAt,
      id: String(each.applicationId),
      here: each,
    })),
    ...theirs.map(each => ({
      kind: 'elsewhere' as const,
      at: timeOf(each),
      id: each.id,
      elsewhere: each,
    })),
  ]
  // Each kind is in its order, and sorting is stable: of the same moment, those from here come first.
  entries.sort((a, b) => b.at - a.at)
  return { entries: entries.slice(0, shown), hasMore: entries.length > shown }
}

/** After one from elsewhere nothing from here of the same moment follows: no ID is 0 or less. */
function hereBefore({ kind, at, id }: MergedPosition): SentHere {
  return { submittedAt: at, applicationId: kind === 'here' ? Number(id) : 0 }
}

/** After one from here all from elsewhere of the same moment follow: no ID comes before the empty one. */
function elsewhereBefore({ kind, at, id }: MergedPosition) {
  return kind === 'elsewhere' ? { at, id } : { at: at + 1, id: '' }
}

export function positionText({ at, id }: MergedPosition): string {
  return `${at}.${id}`
}

/** What cannot be read begins anew. */
export function readPosition(text: string | undefined): MergedPosition | undefined {
  const [, at, id = ''] = /^(\d{1,15})\.([1-9]\d{0,14}|[0-9a-f-]{36})$/.exec(text ?? '') ?? []
  if (at === undefined) return undefined
  return { at: Number(at), id, kind: id.length === 36 ? 'elsewhere' : 'here' }
}
