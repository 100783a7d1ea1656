import type { EpochMs } from '../../platform/core/clock.ts'

/** Merges two lists of a candidate, each newest first: applications sent here, and entries from elsewhere. */

export interface SentHere {
  submittedAt: EpochMs
  applicationId: number
}

export type MergedEntry<Here, Elsewhere> =
  | { kind: 'here'; at: EpochMs; id: string; here: Here }
  | { kind: 'elsewhere'; at: EpochMs; id: string; elsewhere: Elsewhere }

/** The last entry of a page; older entries follow. */
export interface MergedPosition {
  kind: 'here' | 'elsewhere'
  at: EpochMs
  id: string
}

/** Returns a page, newest first, and whether there are older entries. */
export async function mergedPage<Here extends SentHere, Elsewhere extends { id: string }>({
  before,
  shown,
  here,
  elsewhere,
  timeOf,
}: {
  before: MergedPosition | undefined
  shown: number
  here(before: SentHere | undefined, max: number): Promise<Here[]>
  elsewhere(before: { at: EpochMs; id: string } | undefined, max: number): Promise<Elsewhere[]>
  timeOf(entry: Elsewhere): EpochMs
}) {
  // All entries may be of one kind; one more shows whether another page follows.
  const max = shown + 1
  const [ours, theirs] = await Promise.all([
    here(before && hereBefore(before), max),
    elsewhere(before && elsewhereBefore(before), max),
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
  // Each list is in order and sorting is stable, so at the same moment entries from here come first.
  entries.sort((a, b) => b.at - a.at)
  return { entries: entries.slice(0, shown), hasMore: entries.length > shown }
}

/** After an entry from elsewhere, no entry from here of the same moment follows: no ID is 0 or less. */
function hereBefore({ kind, at, id }: MergedPosition): SentHere {
  return { submittedAt: at, applicationId: kind === 'here' ? Number(id) : 0 }
}

/** After an entry from here, all entries from elsewhere of the same moment follow: no ID sorts before the empty one. */
function elsewhereBefore({ kind, at, id }: MergedPosition) {
  return kind === 'elsewhere' ? { at, id } : { at: at + 1, id: '' }
}

export function positionText({ at, id }: MergedPosition): string {
  return `${at}.${id}`
}

/** Undefined, which means the first page, if the text is invalid. */
export function readPosition(text: string | undefined): MergedPosition | undefined {
  const [, at, id = ''] = /^(\d{1,15})\.([1-9]\d{0,14}|[0-9a-f-]{36})$/.exec(text ?? '') ?? []
  if (at === undefined) return undefined
  return { at: Number(at), id, kind: id.length === 36 ? 'elsewhere' : 'here' }
}
