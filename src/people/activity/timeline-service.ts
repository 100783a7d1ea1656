import type { ListedApplication, OwnApplicationStore } from '../../apply/form/ports.ts'
import type { Limits } from '../../limits.ts'
import type { SharingHistory, StartedApplication } from '../../share/prefill/ports.ts'
import { type MergedEntry, type MergedPosition, mergedPage } from './merged-lists.ts'

/** An application of a candidate: sent on the board itself, or started on another website. */
export type TimelineEntry = MergedEntry<ListedApplication, StartedApplication>

export type Timeline = ReturnType<typeof createTimeline>

/** Merges everything a candidate has applied for into one list. */
export function createTimeline({
  sent,
  begun,
  limits,
}: {
  sent: Pick<OwnApplicationStore, 'list'>
  begun: Pick<SharingHistory, 'applications'>
  limits: Pick<Limits, 'applicationsShown'>
}) {
  return {
    page: (candidateId: string, before: MergedPosition | undefined) =>
      mergedPage({
        before,
        shown: limits.applicationsShown,
        here: (from, most) => sent.list(candidateId, from, most),
        elsewhere: (from, most) => begun.applications(candidateId, most, from),
        timeOf: ({ createdAt }) => createdAt,
      }),
  }
}
