import type { Logger } from 'pino'
import { reconcileKeys, recordSettings } from '../operator/keys/lost-keys-store.ts'
import { describeLost } from '../operator/keys/lost-keys-texts.ts'
import { openMachineKeys } from '../operator/keys/machine-keys-adapter.ts'
import { hasFactors } from '../operator/keys/missing-keys-store.ts'
import { readChecklist, readRestored } from '../operator/restored/checklist-store.ts'
import { finishReconciling, reconcile } from '../operator/restored/reconcile-store.ts'
import { createHeadNotes } from '../platform/audit/head-notes.ts'
import type { BlobPlace } from '../platform/blobs/ports.ts'
import { asTask, withAuditContextUnlessKnown } from '../platform/core/async/audit-context.ts'
import type { Clock } from '../platform/core/clock.ts'
import type { LookAtTime, Task } from '../platform/core/task-ports.ts'
import { idsRaisedBy } from '../platform/database/id-limits.ts'
import { getMeta } from '../platform/database/meta.ts'
import { nodeFreshSeconds } from '../platform/database/migrating/running-nodes.ts'
import { databaseIdKey } from '../platform/database/restore-detection/generation.ts'
import { createIdGate, idBlock } from '../platform/database/restore-detection/id-gate.ts'
import { createTombstones } from '../platform/database/restore-detection/tombstones.ts'
import { restartMarkers, writeMarkers } from '../platform/database/restore-detection/write-markers.ts'
import type { Database } from '../platform/database/tables.ts'
import { lastEventAt } from '../schema/ledger-version.ts'
import type { Tombstone } from '../schema/writing/record-tombstones.ts'
import { onTombstones } from '../schema/writing/record-tombstones.ts'
import type { Config } from '../settings.ts'

/**
 * Limit: How often a process signs in the database that it is running, so that a start can distinguish a crash from a
 * copy.
 */
const nodeSignSeconds = 15
/**
 * Limit: How often background work records tombstones and IDs beside the files that could not be recorded before,
 * because the files were unavailable.
 */
const tombstonesEverySeconds = 60

/** Keys are kept outside the database, and so are not in a backup unless BACKUP_PASSPHRASE is set. */
export function openKeys(database: Database, config: Config, { clock, log }: { clock: Clock; log: Logger }) {
  const keys = openMachineKeys(config)
  return {
    keys,
    /**
     * Call before any key is used. `isLost`: an operator declares missing keys lost. Otherwise they are lost if the
     * database was restored, or the file of a single machine is gone.
     */
    async reconcileKeys({ isLost = false } = {}): Promise<string[]> {
      const lost = await withAuditContextUnlessKnown(asTask('settle', clock), () =>
        reconcileKeys(database, keys, { now: clock(), isLost }),
      )
      if (database.dialect === 'sqlite') await recordSettings(database, keys)
      // Passkeys do not need the old key, but any key: their challenges are encrypted.
      if (keys.secrets.find() === undefined && (await hasFactors(database.reader))) keys.secrets.make()
      const lines = lost === undefined ? [] : describeLost(lost)
      for (const line of lines) log.warn(line)
      return lines
    },
  }
}

/** Once a commit has been announced, its rows become visible soon. */
const noteAfterMs = 200

/** Detects a database that is older than its files, and reconciles it. */
export function openRestoreDetection(
  database: Database,
  places: readonly BlobPlace[],
  { clock, keepDays, log, release }: { clock: Clock; keepDays: number; log: Logger; release: string },
) {
  const tombstones = createTombstones<Tombstone>({ database, places, clock, keepDays })
  const gate = createIdGate({
    database,
    places,
    clock,
    log,
    release,
    lastChangeAt: lastEventAt,
    async reconcile() {
      const { ended, heldMails, again } = await finishReconciling({ database, places, now: clock() })
      const did = { ...ended, ...(heldMails === 0 ? {} : { heldMails }), ...again }
      // Nothing to report if the crash lost no data.
      if (Object.keys(did).length > 0)
        log.warn(
          did,
          'ended or erased again what was before: "dossier restored --list" prints what to look at',
        )
    },
  })

  const signs = setInterval(() => {
    gate.sign().catch(error => log.warn({ err: error }, 'this process could not sign in the database'))
  }, nodeSignSeconds * 1000)
  signs.unref()

  let hasBegun = false
  let hasTombstones = false
  let noting: NodeJS.Timeout | undefined
  let noted: Promise<unknown> = Promise.resolve()
  const note = () => {
    noting = undefined
    noted = tombstones
      .note()
      .catch(error =>
        log.warn({ err: error }, 'what was erased or revoked could not be noted beside the files yet'),
      )
  }
  const stopListening = onTombstones(() => {
    hasTombstones = true
    // Commands record their tombstones at the end.
    if (hasBegun) noting ??= setTimeout(note, noteAfterMs).unref()
  })

  /** Stops without an orderly stop, like a killed process. */
  function abandon(): void {
    clearInterval(signs)
    clearTimeout(noting)
    stopListening()
  }

  const taskOf = (lookAtTime: LookAtTime): Task => ({
    name: 'tombstones',
    everySeconds: tombstonesEverySeconds,
    async run() {
      const kept = await tombstones.note()
      const removed = (await lookAtTime()).pausedMs > 0 ? 0 : await tombstones.prune()
      return { did: { ...(kept === 0 ? {} : { kept }), ...(removed === 0 ? {} : { removed }) } }
    },
  })

  return {
    gate,
    taskOf,
    tombstones,
    /** Removes tombstones and markers after the database was emptied, because its IDs restart. */
    async forget(): Promise<void> {
      await tombstones.forget()
      await restartMarkers(database, places, idBlock)
      const databaseId = await getMeta(database.reader, databaseIdKey)
      if (databaseId !== undefined) await createHeadNotes(places).remove(databaseId)
    },
    reconcile: (raiseBy: number = idsRaisedBy) =>
      reconcile({
        database,
        places,
        now: clock(),
        raiseBy,
        idBlock,
        freshMs: nodeFreshSeconds * 1000,
      }),

    /** Records the IDs that an operator has raised. */
    noteIds: () => writeMarkers(database, places),
    restored: () => readRestored(database),
    checklist: () => readChecklist(database, tombstones),

    /**
     * For a process that serves or works: call before its first request. If the files are unavailable, each write tries
     * again.
     */
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

    /** Stops in an orderly way; nothing else may be written afterwards. */
    async close(): Promise<void> {
      abandon()
      await noted
      // Includes tombstones committed after the last check.
      if (hasTombstones) note()
      await noted
      await gate
        .leave()
        .catch(error => log.warn({ err: error }, 'this process could not sign off in the database'))
    },
  }
}
