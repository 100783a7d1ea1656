import { createAuditLog } from '../audit/service.ts'
import { backupLease } from '../backup/backup-service.ts'
import { aheadOrBehind } from '../core/clock.ts'
import { newUuid } from '../core/ids.ts'
import { type CleanUp, createCleanUp } from '../files/clean-up-service.ts'
import { compareFiles, examineFiles } from '../files/examination-service.ts'
import { createMoving } from '../files/moving-service.ts'
import { createOwnership } from '../files/ownership-service.ts'
import { createRescan } from '../files/rescan-service.ts'
import { createDigests } from '../people/notifications/digest-service.ts'
import { createAuditStore } from '../storage/audit/audit-store.ts'
import { createHeadNotes } from '../storage/audit/head-notes.ts'
import { createApplicationStore } from '../storage/collect/application-store.ts'
import { createErasureStore } from '../storage/collect/erasure-store.ts'
import { clockDifference } from '../storage/database/database-clock.ts'
import { createDataChanges } from '../storage/migrations/applying/data-changes.ts'
import { createBoardStore } from '../storage/operator/board-store.ts'
import { createTaskRunStore } from '../storage/operator/task-run-store.ts'
import { createDigestStore } from '../storage/people/digest-store.ts'
import { createBlobReferences } from '../storage/upkeep/blob-reference-store.ts'
import { createExpiryStore } from '../storage/upkeep/expiry-store.ts'
import { createFigureStore } from '../storage/upkeep/figure-store.ts'
import { createScanningStore } from '../storage/upkeep/scanning-store.ts'
import { createExpiry } from '../work/expiry-service.ts'
import type { GoesOn, Task } from '../work/ports.ts'
import { createWorker } from '../work/service.ts'
import type { BackupModule } from './backup.ts'
import type { CollectModule } from './collect.ts'
import type { MailModule } from './mail.ts'
import type { Platform } from './platform.ts'
import type { WebhookModule } from './webhooks.ts'

export type AuditModule = ReturnType<typeof openAudit>

export function openAudit({ database, blobs, clock, log, limits }: Platform) {
  const auditLog = createAuditLog({
    store: createAuditStore(database),
    notes: createHeadNotes(blobs.places),
    clock,
    log,
    limits,
  })
  const auditTask: Task = { name: 'audit', everySeconds: limits.auditEverySeconds, run: auditLog.run }
  return { auditLog, auditTask }
}

export type UpkeepModule = ReturnType<typeof openUpkeep>

/** Background work, and the operator's commands for files. */
export function openUpkeep(
  platform: Platform,
  collect: CollectModule,
  { deliveries }: MailModule,
  { webhookSender, webhookTask }: WebhookModule,
  { backups, backupTask }: BackupModule,
  { auditTask }: AuditModule,
) {
  const { database, blobs, blobMove, leases, clock, limits, log } = platform
  const references = createBlobReferences(database)
  const ownership = createOwnership({ references, places: blobs.places, newId: newUuid })
  const isBackupRunning = () => leases.isHeld(backupLease, clock())
  const cleanUp = createCleanUp({ references, blobs, ownership, isBackupRunning, clock, limits })
  const taskRuns = createTaskRunStore(database)
  const working = { leases, clock, holder: newUuid(), limits, log, runs: taskRuns }
  // Of its own: emails and erasures must not wait until a backup is done.
  const backupWorker = createWorker({ tasks: backupTask === undefined ? [] : [backupTask], ...working })
  const dataChanges = createDataChanges({ database, clock, limits })
  const changeTask = {
    name: 'data-changes',
    everySeconds: limits.dataChangesEverySeconds,
    run: dataChanges.run,
  }
  // Nor until many rows are changed.
  const changeWorker = createWorker({ tasks: dataChanges.hasAny ? [changeTask] : [], ...working })
  const worker = createWorker({
    tasks: [
      ...backgroundTasks(platform, collect, cleanUp),
      { name: 'deliveries', everySeconds: limits.deliveriesEverySeconds, run: deliveries.run },
      webhookTask,
      platform.setback.task,
      auditTask,
    ],
    ...working,
  })
  const workers = [worker, backupWorker, changeWorker]
  const erasures = createErasureStore(database)
  const figures = createFigureStore(database)
  return {
    ownership,
    cleanUp,
    taskRuns,
    dataChanges,
    board: createBoardStore(database),
    /** For metrics. */
    async upkeepFigures() {
      const now = clock()
      const ageOf = (at: number | undefined) => (at === undefined ? 0 : Math.max(0, now - at))
      const [[due], unjudged, made] = await Promise.all([
        erasures.due(now, undefined, 1),
        platform.scanner && figures.oldestUnjudged(),
        backups.last(),
      ])
      const times = Object.values(made).map(({ at }) => at)
      return {
        overdueErasureMs: ageOf(due?.dueAt),
        oldestUnjudgedMs: platform.scanner && ageOf(unjudged),
        backedUpAt: times.length === 0 ? undefined : Math.max(...times),
      }
    },
    examineFiles: (isDeep: boolean) => examineFiles({ references, blobs }, isDeep),
    compareFiles: () => compareFiles({ references, blobs }),
    /** Undefined without a store to move to. */
    moving:
      blobMove && createMoving({ references, move: blobMove, ownership, isBackupRunning, clock, limits }),
    work: {
      tasks: workers.flatMap(({ tasks }) => tasks),
      run: (name: string) => (workers.find(({ tasks }) => tasks.includes(name)) ?? worker).run(name),
      start(onRun?: Parameters<typeof worker.start>[0]): void {
        for (const each of workers) each.start(onRun)
        webhookSender.start()
      },
      async stop(): Promise<void> {
        await Promise.all([
          ...workers.map(each => each.stop()),
          webhookSender.stop(limits.shutdownGraceSeconds * 1000),
        ])
      },
    },
  }
}

function backgroundTasks(
  { config, log, clock, database, schema, blobs, scanner, limits }: Platform,
  { erasure, retention }: CollectModule,
  cleanUp: CleanUp,
): Task[] {
  const expiry = createExpiry({ store: createExpiryStore(database), clock, limits })
  const removals: Task[] = [
    {
      name: 'expiry',
      everySeconds: limits.expiryEverySeconds,
      async run(goesOn) {
        const { did, ...rest } = await expiry.run(goesOn)
        const copies = schema.removeCopies(clock() - limits.upgradeCopyDays * 86_400_000)
        return { ...rest, did: { ...did, copies } }
      },
    },
    // Before the erasure, which erases what it plans.
    { name: 'retention', everySeconds: limits.erasureEverySeconds, run: retention.run },
    // Before the clean-up, which removes the files that it releases.
    { name: 'erasure', everySeconds: limits.erasureEverySeconds, run: erasure.run },
    { name: 'clean-up', everySeconds: limits.cleanUpEverySeconds, ...cleanUp },
  ]
  const digests = createDigests({
    store: createDigestStore(database),
    clock,
    timeZone: config.TIME_ZONE,
    limits,
  })
  // All of them remove data by age, permanently.
  const tasks = removals.map(task => ({
    ...task,
    run: async (goesOn: GoesOn) => {
      const ms = (await clockDifference(database, clock)) ?? 0
      if (Math.abs(ms) > limits.clockMostMs)
        throw new Error(`the clock of this machine is ${aheadOrBehind(ms)} that of the database`)
      return task.run(goesOn)
    },
  }))
  tasks.push({ name: 'digests', everySeconds: limits.digestEverySeconds, ...digests })
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
