import type { ListedApplication } from '../../apply/form/own-application.ts'
import type { OwnApplicationStore } from '../../apply/form/own-application-store.ts'
import { type MergedEntry, type MergedPosition, mergedPage } from './merged-lists.ts'
import type { StartedApplication } from './sharing-history.ts'
import type { SharingHistory } from './sharing-history-store.ts'

/** Limit: A candidate's applications on one page of the list; a link leads to older ones. */
const applicationsShown = 20

/** An application of a candidate: sent on the board itself, or started on another website. */
export type TimelineEntry = MergedEntry<ListedApplication, StartedApplication>

export type Timeline = ReturnType<typeof createTimeline>

/** Merges everything a candidate has applied for into one list. */
export function createTimeline({
  sent,
  begun,
  size = applicationsShown,
}: {
  sent: Pick<OwnApplicationStore, 'list'>
  begun: Pick<SharingHistory, 'applications'>
  size?: number
}) {
  return {
    page: (candidateId: string, before: MergedPosition | undefined) =>
      mergedPage({
        before,
        shown: size,
        here: (from, max) => sent.list(candidateId, from, max),
        elsewhere: (from, max) => begun.applications(candidateId, max, from),
        timeOf: ({ createdAt }) => createdAt,
      }),
  }
}
