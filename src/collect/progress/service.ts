import type { Clock, EpochMs } from '../../core/clock.ts'
import { invalidField } from '../../core/fields.ts'
import { Problem } from '../../core/problems.ts'
import { textFault } from '../../core/text.ts'
import type { Limits } from '../../limits.ts'
import { type ApplicationStatus, type ChosenStatus, isDecision } from '../../model/application-status.ts'
import type { HistoryEntry, ProgressStore, Update } from './ports.ts'

export type Progress = ReturnType<typeof createProgress>

const texts = {
  noNote: 'Write a note first.',
  tooLong: (length: number, max: number) =>
    `A note can have ${max} characters; this one has ${length}. Shorten it.`,
  full: (most: number) =>
    `This application has ${most} notes and changes, and can’t have more. Nothing was saved.`,
  unwritable: 'The note contains a character that we can’t store. Remove control characters.',
} as const

/** What a company does with its applications: status, notes and history. */
export function createProgress(deps: {
  store: ProgressStore
  clock: Clock
  limits: Pick<Limits, 'noteLength' | 'historyMost' | 'historyShown' | 'applicationsChosen' | 'visitSeconds'>
}) {
  const { store, clock, limits } = deps
  const { historyMost } = limits
  const fullHistory = () => invalidField('note', 'full', texts.full(historyMost))

  function readNote(typed: string): string {
    const note = typed.replaceAll(/\r\n?/g, '\n').trim()
    const fault = textFault(note, { maxLength: limits.noteLength })
    if (fault === 'too-long') throw invalidField('note', fault, texts.tooLong(note.length, limits.noteLength))
    if (fault !== undefined) throw invalidField('note', fault, texts.unwritable)
    return note
  }

  return {
    /** Makes a new application seen; false if it was not new. */
    async open(advertiserId: number, applicationId: number, by: string): Promise<boolean> {
      const applications = [{ id: applicationId, shown: 'new' as const }]
      const change = { applications, to: 'seen' as const, by, at: clock(), tells: false, historyMost }
      return (await store.setStatus(advertiserId, change)).length > 0
    },

    /** `stale`: the status is no longer the one that the page showed, so nothing was saved. */
    async update(advertiserId: number, applicationId: number, update: Update): Promise<'saved' | 'stale'> {
      const { by, shown, to } = update
      const note = readNote(update.note)
      if (to === undefined || to === shown) {
        if (note === '') throw invalidField('note', 'empty', texts.noNote)
        const entry = { text: note, by, at: clock(), historyMost }
        const outcome = await store.addNote(advertiserId, applicationId, entry)
        if (outcome === 'missing') throw new Problem('not-found')
        if (outcome === 'full') throw fullHistory()
        return 'saved'
      }
      const changed = await store.setStatus(advertiserId, {
        applications: [{ id: applicationId, shown }],
        to,
        by,
        at: clock(),
        ...(note === '' ? {} : { note }),
        tells: update.tells && isDecision(to),
        historyMost,
      })
      if (changed.length > 0) return 'saved'
      if ((await store.history(advertiserId, applicationId, historyMost)).length === historyMost)
        throw fullHistory()
      return 'stale'
    },

    /** Returns the IDs of those that changed: the others no longer had the status that the page showed. */
    async updateMany(
      advertiserId: number,
      applications: readonly { id: number; shown: ApplicationStatus }[],
      { to, by, tells }: { to: ChosenStatus; by: string; tells: boolean },
    ): Promise<number[]> {
      if (applications.length > limits.applicationsChosen) throw new Problem('bad-request')
      const change = { applications, to, by, at: clock(), tells: tells && isDecision(to), historyMost }
      return store.setStatus(advertiserId, change)
    },

    async history(
      advertiserId: number,
      applicationId: number,
    ): Promise<{ entries: HistoryEntry[]; hasMore: boolean }> {
      const entries = await store.history(advertiserId, applicationId, limits.historyShown + 1)
      return { entries: entries.slice(0, limits.historyShown), hasMore: entries.length > limits.historyShown }
    },

    /** When the member was here before this visit; null if never. A request that shows no page is no visit. */
    visit(advertiserId: number, candidateId: string, isVisit: boolean): Promise<EpochMs | null> {
      if (!isVisit) return store.lastVisit(advertiserId, candidateId)
      const visit = { now: clock(), visitMs: limits.visitSeconds * 1000, repeatMs: 60_000 }
      return store.visit(advertiserId, candidateId, visit)
    },

    happenings: store.happenings,
    hasAccount: store.hasAccount,
    counts: store.counts,
    countsOfAds: store.countsOfAds,
  }
}
