import type { Logger } from 'pino'
import type { Clock } from '../core/clock.ts'
import type { BlobPlace } from '../files/ports.ts'
import type { Limits } from '../limits.ts'
import { createHeadNotes } from '../storage/audit/head-notes.ts'
import type { Database } from '../storage/database/tables.ts'
import { readChecklist, readRestored } from '../storage/setback/checklist.ts'
import { databaseIdKey, metaOf } from '../storage/setback/generation.ts'
import { createIdGate } from '../storage/setback/id-gate.ts'
import { noteMarks, restartMarks } from '../storage/setback/note-marks.ts'
import { finishSettling, settle } from '../storage/setback/settle.ts'
import { createTombstones } from '../storage/setback/tombstones.ts'
import { onBuried } from '../storage/writing/bury.ts'
import type { Task } from '../work/ports.ts'

export type SetbackModule = ReturnType<typeof openSetback>

/** After a commit has been announced, its rows are visible soon. */
const noteAfterMs = 200

/** Notices a database that is older than its files, and settles it. */
export function openSetback(
  database: Database,
  places: readonly BlobPlace[],
  { clock, limits, log, release }: { clock: Clock; limits: Limits; log: Logger; release: string },
) {
  const tombstones = createTombstones({ database, places, clock, keepDays: limits.tombstoneDays })
  const gate = createIdGate({
    ...{ database, places, clock, limits, log, release },
    async settle() {
      const { ended, heldMails, again } = await finishSettling({ database, places, now: clock() })
      const did = { ...ended, ...(heldMails === 0 ? {} : { heldMails }), ...again }
      // A crash that lost nothing needs no look.
      if (Object.keys(did).length > 0)
        log.warn(
          did,
          'ended or erased again what was before: "dossier restored --list" prints what to look at',
        )
    },
  })

  const signs = setInterval(() => {
    gate.sign().catch(error => log.warn({ err: error }, 'this process could not sign in the database'))
  }, limits.nodeSignSeconds * 1000)
  signs.unref()

  let hasBegun = false
  let isBuried = false
  let noting: NodeJS.Timeout | undefined
  let noted: Promise<unknown> = Promise.resolve()
  const note = () => {
    noting = undefined
    isBuried = false
    noted = tombstones
      .note()
      .catch(error =>
        log.warn({ err: error }, 'what was erased or revoked could not be noted beside the files yet'),
      )
  }
  const stopListening = onBuried(() => {
    isBuried = true
    // A command notes it at its end.
    if (hasBegun) noting ??= setTimeout(note, noteAfterMs).unref()
  })

  /** Stops without an orderly stop, like a process that is killed. */
  function abandon(): void {
    clearInterval(signs)
    clearTimeout(noting)
    stopListening()
  }

  const task: Task = {
    name: 'tombstones',
    everySeconds: limits.tombstonesEverySeconds,
    async run() {
      const [kept, removed] = [await tombstones.note(), await tombstones.prune()]
      return { did: { ...(kept === 0 ? {} : { kept }), ...(removed === 0 ? {} : { removed }) } }
    },
  }

  return {
    gate,
    task,
    tombstones,
    /** For a database that was emptied, whose IDs begin again. */
    async forget(): Promise<void> {
      await tombstones.forget()
      await restartMarks(database, places, limits.idBlock)
      const databaseId = await metaOf(database.reader, databaseIdKey)
      if (databaseId !== undefined) await createHeadNotes(places).remove(databaseId)
    },
    settle: (raiseBy: number = limits.idsRaisedBy) =>
      settle({
        ...{ database, places, now: clock(), raiseBy, idBlock: limits.idBlock },
        freshMs: limits.nodeFreshSeconds * 1000,
      }),

    /** For IDs that an operator has raised. */
    noteIds: () => noteMarks(database, places),
    restored: () => readRestored(database),
    checklist: () => readChecklist(database),

    /** For a process that serves or works: before its first request. Without the files, each write tries again. */
    async begin(): Promise<void> {
      hasBegun = true
      await gate
        .admit()
        .catch(error =>
          log.error(
            { err: error },
            'the database could not be compared with its files: nothing is added before that',
          ),
        )
    },

    abandon,

    /** The orderly stop; nothing else is written after it. */
    async close(): Promise<void> {
      abandon()
      if (isBuried) note()
      await noted
      await gate
        .leave()
        .catch(error => log.warn({ err: error }, 'this process could not sign off in the database'))
    },
  }
}
