import type { ApplicationStatus, ChosenStatus } from '../../model/application-status.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { invalidField } from '../../platform/core/fields.ts'
import { Problem } from '../../platform/core/problems.ts'
import { textFault } from '../../platform/core/text.ts'
import type { HeldDecisions } from './held-decision-store.ts'
import type { HistoryEntry, ProgressStore, Update } from './progress-store.ts'

/**
 * Limit: Notes and changes of status of one application by the company’s people, and as many by programs: with notes of
 * full length 5 MB. Withdrawals, holds and documents do not count.
 */
export const maxHistory = 1_000
/** Limit: Applications whose status one form changes, or whose files one archive holds. */
export const applicationsChosen = 100

/**
 * Limit: Emails about decisions of one kind that a company’s candidates get in ten minutes. Further emails wait, because so
 * many at once may be a mistake.
 */
export const toldAtOnce = 50
/** Limit: Decisions that are taken back in one transaction; the others follow. */
const takenBackAtOnce = 200

/** Limit: A note on an application: two printed pages. */
export const noteLength = 5_000
/**
 * Limit: A visit to the overview or the applications of a company ends after this time: what arrived since the visit
 * before is new.
 */
const visitSeconds = 30 * 60
/** Limit: The newest notes and changes that the page of an application shows. */
const historyShown = 100

export type Progress = ReturnType<typeof createProgress>

const texts = {
  noNote: 'Write a note first.',
  tooLong: (length: number, max: number) =>
    `A note can have ${max} characters; this one has ${length}. Shorten it.`,
  full: (most: number) =>
    `This application has ${most} notes and changes, and can’t have more. Nothing was saved.`,
  unwritable: 'The note contains a character that we can’t store. Remove control characters.',
} as const

/** A company's work on its applications: status, notes and history. */
export function createProgress(deps: { store: ProgressStore; clock: Clock }) {
  const { store, clock } = deps

  const fullHistory = () => invalidField('note', 'full', texts.full(maxHistory))

  function readNote(typed: string): string {
    const note = typed.replaceAll(/\r\n?/g, '\n').trim()
    const fault = textFault(note, { maxLength: noteLength })
    if (fault === 'too-long') throw invalidField('note', fault, texts.tooLong(note.length, noteLength))
    if (fault !== undefined) throw invalidField('note', fault, texts.unwritable)
    return note
  }

  return {
    /**
     * Marks a new application as seen, even if its history is full: the candidate must not read that it is new after it
     * was opened. Returns false if it was not new, or if a member has set it to new since it arrived.
     */
    open: (advertiserId: number, applicationId: number, by: string): Promise<boolean> =>
      store.open(advertiserId, applicationId, { by, now: clock() }),

    /** `stale`: the status has changed since the page was shown, so nothing was saved. */
    async update(advertiserId: number, applicationId: number, update: Update): Promise<'saved' | 'stale'> {
      const { by, shown, to } = update
      const note = readNote(update.note)
      if (to === undefined || to === shown) {
        if (note === '') throw invalidField('note', 'empty', texts.noNote)
        const entry = { text: note, by, at: clock(), maxHistory }
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
        tells: update.tells,
        maxHistory,
        toldAtOnce,
      })
      if (changed.length > 0) return 'saved'
      if (await store.isFull(advertiserId, applicationId, maxHistory)) throw fullHistory()
      return 'stale'
    },

    /** Returns the IDs of the changed applications: the others no longer had the status that the page showed. */
    async updateMany(
      advertiserId: number,
      applications: readonly { id: number; shown: ApplicationStatus }[],
      { to, by, tells }: { to: ChosenStatus; by: string; tells: boolean },
    ): Promise<number[]> {
      if (applications.length > applicationsChosen) throw new Problem('bad-request')
      const change = { applications, to, by, at: clock(), tells, maxHistory, toldAtOnce }
      return store.setStatus(advertiserId, change)
    },

    async history(
      advertiserId: number,
      applicationId: number,
    ): Promise<{ entries: HistoryEntry[]; hasMore: boolean }> {
      const entries = await store.history(advertiserId, applicationId, historyShown + 1)
      return { entries: entries.slice(0, historyShown), hasMore: entries.length > historyShown }
    },

    /** When the member's previous visit was; null if this is the first. A request that shows no page is not a visit. */
    visit(advertiserId: number, candidateId: string, isVisit: boolean): Promise<EpochMs | null> {
      if (!isVisit) return store.lastVisit(advertiserId, candidateId)
      const visit = { now: clock(), visitMs: visitSeconds * 1000, repeatMs: 60_000 }
      return store.visit(advertiserId, candidateId, visit)
    },

    held: (advertiserId: number): Promise<HeldDecisions[]> => store.held(advertiserId, clock()),

    /**
     * Takes back decisions of one kind whose emails are due up to a time. Returns how many applications have their
     * former status again.
     */
    async takeBack(
      advertiserId: number,
      chosen: { status: ChosenStatus; until: EpochMs },
      by: string,
    ): Promise<number> {
      const now = clock()
      let changed = 0
      for (;;) {
        const batch = await store.takeBack(advertiserId, { ...chosen, max: takenBackAtOnce }, { by, now })
        changed += batch.changed
        if (batch.ended < takenBackAtOnce) return changed
      }
    },

    activities: store.activities,
    whyUntold: store.whyUntold,
    counts: store.counts,
    countsOfAds: store.countsOfAds,
  }
}
