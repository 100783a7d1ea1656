import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import packageFile from '../../package.json' with { type: 'json' }
import { createHints } from '../events/feed/hints-adapter.ts'
import { freeLanes } from '../events/webhooks/lane-store.ts'
import { correctDates, correctedDatesBatch, findFutureDates } from '../operator/upkeep/future-dates-store.ts'
import { countRows } from '../operator/upkeep/row-counts-store.ts'
import { recordAudit } from '../platform/audit/record-audit-store.ts'
import { createBackupRecords } from '../platform/backup/backup-record-store.ts'
import { createArchiveCheck } from '../platform/blobs/document-check.ts'
import { createFileReceiver } from '../platform/blobs/receiving-service.ts'
import { createBackground } from '../platform/core/async/background.ts'
import type { Clock, SteadyClock } from '../platform/core/clock.ts'
import { clockSteadyMs, maxClockDifferenceMs } from '../platform/core/steady-time-rules.ts'
import type { SteadyTime } from '../platform/core/task-ports.ts'
import { clockDifference } from '../platform/database/database-clock.ts'
import { createSchema } from '../platform/database/migrating/schema.ts'
import { raiseIds } from '../platform/database/server-history.ts'
import { createRateCountStore } from '../platform/http/rates/rate-count-store.ts'
import { createSentFormStore } from '../platform/http/rates/sent-form-store.ts'
import { createSentForms } from '../platform/http/rates/sent-forms.ts'
import { SharedCounts } from '../platform/http/rates/shared-counts.ts'
import { createSlidingCountStore } from '../platform/http/rates/sliding-count-store.ts'
import { SlidingLimit } from '../platform/http/rates/sliding-limit.ts'
import { Slots } from '../platform/http/rates/slots.ts'
import { createDiskWatch } from '../platform/work/disk-watch.ts'
import { createLeaseStore, freeLeases } from '../platform/work/lease-store.ts'
import { createProcessLock } from '../platform/work/process-lock.ts'
import { createProxyMark } from '../platform/work/proxy-mark.ts'
import { createServiceClockStore } from '../platform/work/service-clock-store.ts'
import { createSteadyTimes } from '../platform/work/steady-time-service.ts'
import { migrations } from '../schema/migrations/list.ts'
import type { Config } from '../settings.ts'
import { openBlobs, openDatabase, openScanner } from './adapters.ts'
import { openKeys, openRestoreDetection } from './restore-detection.ts'

/**
 * Limit: The slot of a node that dies during a whole list or an export becomes free after this time. Running ones renew
 * theirs three times within it.
 */
const slotLeaseSeconds = 30
/** Limit: Emails of one kind to one address in any hour: the forms must not be usable to flood an inbox. */
export const mailsPerHour = 5
/** Limit: Emails with a code to one address in any day: all guesses of a stranger together hit one of 10,000 codes. */
const codeMailsPerDay = 20
/**
 * Limit: How long a process collects its changes before it notifies others: at most a hundred messages a second, at no
 * cost to the writes.
 */
const hintGatherMs = 10

export type Platform = Awaited<ReturnType<typeof openPlatform>>

/** The basis of all modules: settings, time, the database, the files, and counts shared by all nodes. */
export async function openPlatform(config: Config, log: Logger, clock: Clock, steadyClock: SteadyClock) {
  const { limits } = config
  const { version: release } = packageFile
  const opened = await openDatabase(config, log)
  const hints = createHints(opened.notifier, hintGatherMs)
  const openedBlobs = await openBlobs(config, log, clock)
  const { places } = openedBlobs.store
  const restoreDetection = openRestoreDetection({ ...opened, hints }, places, {
    clock,
    keepDays: limits.tombstoneDays,
    log,
    release,
  })
  const database = { ...opened, hints, ids: restoreDetection.gate }
  const scanner = await openScanner(config, log)
  const background = createBackground(log)
  const processLock = createProcessLock(config.DATA_DIR)
  const leases = createLeaseStore(database, processLock.id)
  const checkArchive = createArchiveCheck()
  const slidingCounts = createSlidingCountStore(database)
  const hourlyLimit = (name: string, max: number, hours = 1) =>
    new SlidingLimit({ name, max, hours, clock, store: slidingCounts })
  const mails = hourlyLimit('mails', mailsPerHour)
  const codeMails = hourlyLimit('code-mails', codeMailsPerDay, 24)
  const steadyTimes = createSteadyTimes({
    store: createServiceClockStore(database),
    clock,
    steadyClock,
    log,
  })
  return {
    config,
    log,
    clock,
    limits,
    database,
    hints,
    release,
    ...openKeys(database, config, { clock, log }),
    schema: createSchema({ database, clock, release, migrations }),
    /** If this database is a backup copy, when it was copied. */
    copiedAt: createBackupRecords(database).copiedAt,
    /** For support files. */
    rowCounts: () => countRows(database),
    clockDifference: () => clockDifference(database, clock),
    steadyTimes,
    /**
     * For work that acts on data by age: also pauses it while the clocks of this machine and the database differ,
     * however long that is.
     */
    async lookAtTime(): Promise<SteadyTime> {
      const time = await steadyTimes.look()
      const ms = (await clockDifference(database, clock)) ?? 0
      return Math.abs(ms) > maxClockDifferenceMs ? { ...time, pausedMs: clockSteadyMs } : time
    },
    async raiseIds(by: number) {
      await raiseIds(database, by, trx =>
        recordAudit(trx, { action: 'board.ids', scope: 'board', target: 'board:0', after: { by } }),
      )
      await restoreDetection.noteIds()
    },
    restoreDetection,
    proxyMark: createProxyMark(config.DATA_DIR),
    futureDates: (marginMs: number) => findFutureDates(database, clock() + marginMs),
    correctDates: () => correctDates(database, clock(), correctedDatesBatch),
    disk: createDiskWatch({
      folder: config.DATA_DIR,
      minBytes: limits.minFreeDiskMb * 1024 * 1024,
      onChange: ({ isLow, freeBytes }) =>
        isLow
          ? log.warn({ freeBytes }, 'the disk of DATA_DIR is nearly full: free space before writes fail')
          : log.info({ freeBytes }, 'the disk of DATA_DIR has space again'),
    }),
    blobs: openedBlobs.store,
    watchBlobs: openedBlobs.watch,
    /** Moves files from the folder to S3, with BLOBS_URL. */
    blobMove: openedBlobs.move,
    closeBlobs: openedBlobs.close,
    checkArchive,
    files: createFileReceiver({ blobs: openedBlobs.store, checkArchive, scanner, clock }),
    scanner,
    background,
    processLock,
    /** Takes over the leases of dead processes on this machine. Returns how many there were. */
    takeOverLeases: () =>
      processLock.forEachDead(async id => {
        await freeLanes(database, id)
        await freeLeases(database, id, clock())
      }),
    leases,
    rateCounts: new SharedCounts({ store: createRateCountStore(database), clock, log }),
    hourlyLimit,
    mayMail: async (recipient: string) => !(await mails.hit(recipient)).isExceeded,
    mayMailCode: async (recipient: string) =>
      !(await mails.hit(recipient)).isExceeded && !(await codeMails.hit(recipient)).isExceeded,
    slots: (name: string, perKey: number) =>
      new Slots({
        name,
        perKey,
        leases,
        background,
        clock,
        pause: sleep,
        leaseSeconds: slotLeaseSeconds,
      }),
    sentForms: createSentForms({
      store: createSentFormStore(database),
      clock,
      pause: () => sleep(100),
      idOf: ({ candidateId }) => candidateId,
      log,
    }),
  }
}
