import { createApplicationStore } from '../collect/application-store.ts'
import { createErasureStore } from '../collect/erasure/erasure-store.ts'
import { createUnansweredCounts, unansweredEverySeconds } from '../collect/search/unanswered-service.ts'
import { createUnansweredStore } from '../collect/search/unanswered-store.ts'
import { createBoardStore } from '../operator/board-store.ts'
import { createBlobReferences } from '../operator/upkeep/blob-reference-store.ts'
import { createExpiry } from '../operator/upkeep/expiry-service.ts'
import { createExpiryStore } from '../operator/upkeep/expiry-store.ts'
import { createFigureStore } from '../operator/upkeep/figure-store.ts'
import { createRescan } from '../operator/upkeep/rescan-service.ts'
import { createScanningStore } from '../operator/upkeep/scanning-store.ts'
import { createFailedSignInStore } from '../people/account/failed-sign-in-store.ts'
import { signInFreeFailures } from '../people/account/password-service.ts'
import { createDigests } from '../people/notifications/digest-service.ts'
import { createDigestStore } from '../people/notifications/digest-store.ts'
import { createAuditStore } from '../platform/audit/audit-store.ts'
import { createHeadNotes } from '../platform/audit/head-notes.ts'
import { createAuditLog } from '../platform/audit/service.ts'
import { backupLease } from '../platform/backup/backup-service.ts'
import { type CleanUp, createCleanUp } from '../platform/blobs/clean-up-service.ts'
import { compareFiles, examineFiles } from '../platform/blobs/examination-service.ts'
import { createMoving } from '../platform/blobs/moving-service.ts'
import { createOwnership } from '../platform/blobs/ownership-service.ts'
import { aheadOrBehind } from '../platform/core/clock.ts'
import { newUuid } from '../platform/core/ids.ts'
import { maxClockDifferenceMs } from '../platform/core/steady-time-rules.ts'
import type { GoesOn, Task } from '../platform/core/task-ports.ts'
import { clockDifference } from '../platform/database/database-clock.ts'
import { upgradeCopyDays } from '../platform/database/migrating/copy-before.ts'
import { createDataChanges } from '../platform/database/migrating/data-changes.ts'
import { createWorker } from '../platform/work/service.ts'
import { createTaskRunStore } from '../platform/work/task-run-store.ts'
import { migrations } from '../schema/migrations/list.ts'
import type { BackupModule } from './backup.ts'
import type { CollectModule } from './collect.ts'
import type { MailModule } from './mail.ts'
import type { Platform } from './platform.ts'
import type { WebhookModule } from './webhooks.ts'

/** Limit: How often background work checks which company members are due for an email about new applications. */
const digestEverySeconds = 60
/**
 * Limit: How often background work logs the heads of the audit log, records them beside the files, and drops expired
 * entries.
 */
const auditEverySeconds = 21_600
/**
 * Limit: How often background work looks for rows to change after a migration: within the time for which a killed process
 * of an older release counts as running.
 */
const dataChangesEverySeconds = 30
/** Limit: How often a process checks for dead processes on its machine, to continue their work. */
const takeOverSeconds = 15

export type UpkeepModule = ReturnType<typeof openUpkeep>
export type AuditModule = ReturnType<typeof openAudit>

export function openAudit({ database, blobs, clock, lookAtTime, log, limits }: Platform) {
  const auditLog = createAuditLog({
    store: createAuditStore(database),
    noteFailures: now => createFailedSignInStore(database).note(signInFreeFailures, now),
    notes: createHeadNotes(blobs.places),
    lookAtTime,
    clock,
    log,
    limits,
  })
  const auditTask: Task = { name: 'audit', everySeconds: auditEverySeconds, run: auditLog.run }
  return { auditLog, auditTask }
}

/** Background work, and the operator's commands for files. */
export function openUpkeep(
  platform: Platform,
  collect: CollectModule,
  { deliveries }: MailModule,
  { webhookSender, webhookTask }: WebhookModule,
  { backups, backupTask }: BackupModule,
  { auditTask }: AuditModule,
) {
  const { database, blobs, blobMove, leases, background, clock, steadyTimes, lookAtTime, limits, log } =
    platform
  const references = createBlobReferences(database)
  const ownership = createOwnership({ references, places: blobs.places, newId: newUuid })
  const isBackupRunning = () => leases.isHeld(backupLease, clock())
  const cleanUp = createCleanUp({
    references,
    blobs: {
      days: blobs.days,
      uploadedOn: blobs.uploadedOn,
      tidyDay: blobs.tidyDay,
      // Removed bytes cannot be recovered, so the row that named them must not reappear either.
      async remove(blob) {
        await database.whenDurable?.()
        await blobs.remove(blob)
      },
    },
    ownership,
    isBackupRunning,
    lookAtTime: steadyTimes.look,
    clock,
  })
  const taskRuns = createTaskRunStore(database)
  const working = { leases, clock, holder: newUuid(), limits, log, runs: taskRuns }
  // A separate worker, so that emails and erasures do not wait for a backup.
  const backupWorker = createWorker({ tasks: backupTask === undefined ? [] : [backupTask], ...working })
  const dataChanges = createDataChanges({ database, clock, migrations })
  const changeTask = {
    name: 'data-changes',
    everySeconds: dataChangesEverySeconds,
    run: dataChanges.run,
  }
  // Another separate worker, so that the others do not wait for a change of many rows either.
  const changeWorker = createWorker({ tasks: dataChanges.hasAny ? [changeTask] : [], ...working })
  const unanswered = createUnansweredStore(database)
  const unansweredCounts = createUnansweredCounts({
    store: unanswered,
    search: collect.applicationSearch,
    clock,
  })
  const worker = createWorker({
    tasks: [
      ...backgroundTasks(platform, collect, cleanUp),
      { name: 'unanswered', everySeconds: unansweredEverySeconds, ...unansweredCounts },
      { name: 'deliveries', everySeconds: limits.deliveriesEverySeconds, run: deliveries.run },
      webhookTask,
      platform.restoreDetection.taskOf(lookAtTime),
      auditTask,
    ],
    ...working,
  })
  const workers = [worker, backupWorker, changeWorker]
  /** Makes the work of dead processes due now; the sender finds their lanes with its next poll. */
  async function takeOver(): Promise<void> {
    if ((await platform.takeOverLeases()) > 0) deliveries.wake()
  }
  let takingOver: NodeJS.Timeout | undefined
  function keepTakingOver(): void {
    const run = () => background.run(takeOver(), 'the leases of a dead process could not be taken over')
    run()
    takingOver = setInterval(run, takeOverSeconds * 1000).unref()
  }
  const erasures = createErasureStore(database)
  const figures = createFigureStore(database)
  return {
    ownership,
    cleanUp,
    taskRuns,
    dataChanges,
    board: createBoardStore(database),
    /** Figures for the metrics. */
    async upkeepFigures() {
      const now = clock()
      const ageOf = (at: number | undefined) => (at === undefined ? 0 : Math.max(0, now - at))
      const { runningMs, pausedMs } = await steadyTimes.read()
      const [[due], unjudged, made, unansweredTotal] = await Promise.all([
        erasures.due({ now, runningMs }, undefined, 1),
        platform.scanner && figures.oldestUnjudged(),
        backups.last(),
        unanswered.total(),
      ])
      const times = Object.values(made).map(({ at }) => at)
      return {
        overdueErasureMs: ageOf(due?.dueAt),
        pausedMs,
        oldestUnjudgedMs: platform.scanner && ageOf(unjudged),
        unanswered: unansweredTotal,
        backedUpAt: times.length === 0 ? undefined : Math.max(...times),
      }
    },
    examineFiles: (isDeep: boolean) => examineFiles({ references, blobs }, isDeep),
    compareFiles: () => compareFiles({ references, blobs }),
    /** Undefined without a destination store. */
    moving: blobMove && createMoving({ references, move: blobMove, ownership, isBackupRunning, clock }),
    work: {
      tasks: workers.flatMap(({ tasks }) => tasks),
      async run(name: string) {
        await takeOver()
        return (workers.find(({ tasks }) => tasks.includes(name)) ?? worker).run(name)
      },
      start(onRun?: Parameters<typeof worker.start>[0]): void {
        keepTakingOver()
        for (const each of workers) each.start(onRun)
        webhookSender.start()
      },
      async stop(): Promise<void> {
        clearInterval(takingOver)
        await Promise.all([
          ...workers.map(each => each.stop()),
          webhookSender.stop(limits.shutdownGraceSeconds * 1000),
        ])
      },
    },
  }
}

function backgroundTasks(
  { config, log, clock, steadyTimes, database, schema, blobs, scanner, limits }: Platform,
  { erasure, retention }: CollectModule,
  cleanUp: CleanUp,
): Task[] {
  const expiry = createExpiry({ store: createExpiryStore(database), clock, limits })
  const removals: Task[] = [
    {
      name: 'expiry',
      everySeconds: limits.expiryEverySeconds,
      async run(goesOn) {
        if ((await steadyTimes.look()).pausedMs > 0) return { did: {} }
        const { did, ...rest } = await expiry.run(goesOn)
        const copies = schema.removeCopies(clock() - upgradeCopyDays * 86_400_000)
        return { ...rest, did: { ...did, copies } }
      },
    },
    // Before the erasure, which runs the erasures that it plans.
    { name: 'retention', everySeconds: limits.erasureEverySeconds, run: retention.run },
    // Before the clean-up, which removes the files that it releases.
    { name: 'erasure', everySeconds: limits.erasureEverySeconds, run: erasure.run },
    { name: 'clean-up', everySeconds: limits.cleanUpEverySeconds, ...cleanUp },
  ]
  const digests = createDigests({
    store: createDigestStore(database),
    clock,
    timeZone: config.TIME_ZONE,
  })
  // All of these remove data by age, permanently.
  const tasks = removals.map(task => ({
    ...task,
    run: async (goesOn: GoesOn) => {
      const ms = (await clockDifference(database, clock)) ?? 0
      if (Math.abs(ms) > maxClockDifferenceMs)
        throw new Error(`the clock of this machine is ${aheadOrBehind(ms)} that of the database`)
      return task.run(goesOn)
    },
  }))
  tasks.push({ name: 'digests', everySeconds: digestEverySeconds, ...digests })
  if (scanner === undefined) return tasks
  const rescan = createRescan({
    store: createScanningStore(database),
    applications: createApplicationStore(database),
    blobs,
    scanner,
    clock,
    limits,
    log,
  })
  return [{ name: 'rescan', everySeconds: limits.rescanEverySeconds, ...rescan }, ...tasks]
}
