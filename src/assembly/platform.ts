import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import packageFile from '../../package.json' with { type: 'json' }
import type { Config } from '../config.ts'
import { createBackground } from '../core/async/background.ts'
import type { Clock } from '../core/clock.ts'
import { createFileReceiver } from '../files/receiving-service.ts'
import { createSentForms } from '../http/rates/sent-forms.ts'
import { SharedCounts } from '../http/rates/shared-counts.ts'
import { Slots } from '../http/rates/slots.ts'
import { createBackupRecords } from '../storage/backup/backup-record-store.ts'
import { createArchiveCheck } from '../storage/blobs/document-check.ts'
import { clockDifference } from '../storage/database/database-clock.ts'
import { raiseIds } from '../storage/database/server-history.ts'
import { createHints } from '../storage/events/hints.ts'
import { createSchema } from '../storage/migrations/applying/schema.ts'
import { createDiskWatch } from '../storage/upkeep/disk-watch.ts'
import { findFutureDates, settleDates } from '../storage/upkeep/future-dates.ts'
import { createLeaseStore } from '../storage/upkeep/lease-store.ts'
import { createProxyMark } from '../storage/upkeep/proxy-mark.ts'
import { createRateCountStore } from '../storage/upkeep/rate-count-store.ts'
import { countRows } from '../storage/upkeep/row-counts.ts'
import { createSentFormStore } from '../storage/upkeep/sent-form-store.ts'
import { recordAudit } from '../storage/writing/record-audit.ts'
import { openBlobs, openDatabase, openScanner } from './adapters.ts'
import { openSetback } from './setback.ts'

export type Platform = Awaited<ReturnType<typeof openPlatform>>

/** The basis of every module: settings, time, the database, the files, and counts shared by all nodes. */
export async function openPlatform(config: Config, log: Logger, clock: Clock) {
  const { limits } = config
  const { version: release } = packageFile
  const opened = await openDatabase(config, log)
  const hints = createHints(opened.bell, limits.hintGatherMs)
  const openedBlobs = await openBlobs(config, log, clock)
  const { places } = openedBlobs.store
  const setback = openSetback({ ...opened, hints }, places, { clock, limits, log, release })
  const database = { ...opened, hints, ids: setback.gate }
  const scanner = await openScanner(config, log)
  const background = createBackground(log)
  const leases = createLeaseStore(database)
  const checkArchive = createArchiveCheck(limits)
  return {
    config,
    log,
    clock,
    limits,
    database,
    hints,
    release,
    schema: createSchema({ database, clock, release, limits }),
    /** When this database was copied into a backup, if it is such a copy. */
    copiedAt: createBackupRecords(database).copiedAt,
    /** For a support file. */
    rowCounts: () => countRows(database),
    clockDifference: () => clockDifference(database, clock),
    async raiseIds(by: number) {
      await raiseIds(database, by, trx =>
        recordAudit(trx, { action: 'board.ids', scope: 'board', target: 'board:0', after: { by } }),
      )
      await setback.noteIds()
    },
    setback,
    proxyMark: createProxyMark(config.DATA_DIR),
    futureDates: (marginMs: number) => findFutureDates(database, clock() + marginMs),
    settleDates: () => settleDates(database, clock(), limits.settleBatch),
    disk: createDiskWatch({
      folder: config.DATA_DIR,
      leastBytes: limits.diskLeastMb * 1024 * 1024,
      onChange: ({ isLow, freeBytes }) =>
        isLow
          ? log.warn({ freeBytes }, 'the disk of DATA_DIR is nearly full: free space before writes fail')
          : log.info({ freeBytes }, 'the disk of DATA_DIR has space again'),
    }),
    blobs: openedBlobs.store,
    watchBlobs: openedBlobs.watch,
    /** From the folder to S3, with BLOBS_URL. */
    blobMove: openedBlobs.move,
    closeBlobs: openedBlobs.close,
    checkArchive,
    files: createFileReceiver({ blobs: openedBlobs.store, checkArchive, scanner, clock }),
    scanner,
    background,
    leases,
    rateCounts: new SharedCounts({ store: createRateCountStore(database), clock, limits, log }),
    slots: (name: string, perKey: number) =>
      new Slots({
        name,
        perKey,
        leases,
        background,
        clock,
        pause: sleep,
        leaseSeconds: limits.slotLeaseSeconds,
      }),
    sentForms: createSentForms({
      store: createSentFormStore(database),
      clock,
      limits,
      pause: () => sleep(100),
      log,
    }),
  }
}
