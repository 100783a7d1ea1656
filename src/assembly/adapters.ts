import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { auditActions } from '../model/audit-acts.ts'
import { listActs } from '../platform/audit/acts.ts'
import { createFolderBlobs } from '../platform/blobs/folder.ts'
import { createMovingBlobs } from '../platform/blobs/moving.ts'
import { delegateToNginx } from '../platform/blobs/nginx.ts'
import type { BlobStore } from '../platform/blobs/ports.ts'
import type { BlobMove } from '../platform/blobs/s3/blob-move.ts'
import type { S3CallReport } from '../platform/blobs/s3/calls.ts'
import type { Clock } from '../platform/core/clock.ts'
import { reasonOf } from '../platform/core/reason.ts'
import type { ChangeNotifier } from '../platform/database/change-notifier.ts'
import { idsRaisedBy } from '../platform/database/id-limits.ts'
import type { PostgresOptions } from '../platform/database/postgres/pool-options.ts'
import { postgresWaits } from '../platform/database/postgres/pool-options.ts'
import type { PrimaryOptions } from '../platform/database/postgres/postgres.ts'
import { listIds } from '../platform/database/server-history.ts'
import { createFileNotifier } from '../platform/database/sqlite/change-notifier.ts'
import { describeDamage } from '../platform/database/sqlite/examination.ts'
import { ForeignLog } from '../platform/database/sqlite/log.ts'
import { openToOthers } from '../platform/database/sqlite/restrict-to-owner.ts'
import { openSqlite } from '../platform/database/sqlite/sqlite.ts'
import { isDamaged } from '../platform/database/sqlite/statements.ts'
import type { Database } from '../platform/database/tables.ts'
import { idKinds } from '../schema/writing/next-id.ts'
import { type Config, SettingError } from '../settings.ts'

/** Creates the database, the file store and the scanner from the settings. */

// Register here: every process that audits also opens a database.
listActs(auditActions)
listIds(idKinds)

export interface OpenedBlobs {
  store: BlobStore
  /** Moves files from the folder to S3, with BLOBS_URL. */
  move?: BlobMove
  /** Reports every S3 call from now on; the folder store makes none. */
  watch(listener: (report: S3CallReport) => void): void
  close(): void
}

/** Opens S3 with BLOBS_URL, otherwise a folder in DATA_DIR; both while that folder still exists. */
export async function openBlobs(config: Config, log: Logger, clock: Clock): Promise<OpenedBlobs> {
  const { BLOBS_URL: address, BLOBS_ENCRYPTION: encryption, DOWNLOADS, DATA_DIR, limits } = config
  const path = join(DATA_DIR, 'blobs')
  const folder = createFolderBlobs(path, { clock })
  if (address === undefined) {
    if (encryption !== undefined)
      throw new SettingError('BLOBS_ENCRYPTION', 'applies to S3 only: set BLOBS_URL, or leave it out')
    if (DOWNLOADS === 'redirect')
      throw new SettingError('DOWNLOADS', 'redirect requires files in S3: set BLOBS_URL, or leave it out')
    return { store: DOWNLOADS === 'nginx' ? delegateToNginx(folder) : folder, watch() {}, close() {} }
  }
  if (DOWNLOADS === 'nginx')
    throw new SettingError(
      'DOWNLOADS',
      'nginx requires files in the folder, but with BLOBS_URL they are in S3',
    )
  // Loaded only if needed: the SDK takes 28 MiB.
  const { createS3Blobs } = await import('../platform/blobs/s3/s3.ts')
  let told = (_report: S3CallReport) => {}
  const { createBlobMove } = await import('../platform/blobs/s3/blob-move.ts')
  const s3 = createS3Blobs({
    address,
    encryption,
    clock,
    limits,
    spoolFolder: join(DATA_DIR, 'spool'),
    onCall(report) {
      log.debug(report, 'S3')
      told(report)
    },
  })
  await s3.tidy().catch(error => {
    throw new SettingError('DATA_DIR', `its folder for uploads cannot be used (${reasonOf(error)})`)
  })
  const store = DOWNLOADS === 'redirect' ? { ...s3, delegateDownload: s3.sign } : s3
  return {
    store: existsSync(path) ? createMovingBlobs(folder, store) : store,
    move: createBlobMove(path, folder, s3),
    watch(listener) {
      told = listener
    },
    close: s3.close,
  }
}

/** Undefined without CLAMD_URL. Loaded only if needed. */
export async function openScanner({ CLAMD_URL: url, limits }: Config, log: Logger) {
  if (url === undefined) return undefined
  const { createClamdScanner } = await import('../platform/scanning/scanner.ts')
  return createClamdScanner({
    url,
    limits,
    onFault: error => log.error({ reason: error.message }, 'files are not being scanned'),
    onWarning: reason => log.warn({ reason }, 'not every file can be scanned'),
  })
}

export const sqliteFile = ({ DATA_DIR }: Config) => join(DATA_DIR, 'dossier.db')

export async function openDatabase(config: Config, log: Logger): Promise<Database> {
  const { limits } = config
  if (config.DATABASE_URL === undefined) {
    if (config.DATABASE_REPLICA_URL !== undefined) {
      throw new SettingError('DATABASE_REPLICA_URL', 'needs DATABASE_URL: SQLite has no replicas')
    }
    if (config.DATABASE_LISTEN_URL !== undefined) {
      throw new SettingError('DATABASE_LISTEN_URL', 'needs DATABASE_URL: SQLite needs no such address')
    }
    try {
      const database = await openSqlite(sqliteFile(config), limits.busyWaitMs)
      return { ...database, notifier: createFileNotifier(database.reader) }
    } catch (error) {
      throw new SettingError('DATA_DIR', describeUnusable(error, config.DATA_DIR))
    }
  }
  // Loaded only if needed: the embedded default starts faster without it.
  const { openPostgres } = await import('../platform/database/postgres/postgres.ts')
  const options = postgresOptions(config, log)
  const opened = openPostgres(options)
  const database = { ...opened, notifier: await openNotifier(opened, config, log) }
  return config.DATABASE_REPLICA_URL === undefined
    ? database
    : withReplica(database, config.DATABASE_REPLICA_URL, options, config, log)
}

/** Options for the primary in DATABASE_URL. */
export function postgresOptions(config: Config, log: Logger): PrimaryOptions {
  const { limits } = config
  return {
    url: String(config.DATABASE_URL),
    poolSize: limits.databasePoolSize,
    ...postgresWaits,
    ...limits,
    isPrepared: config.DATABASE_PREPARED,
    onBrokenConnection: error => log.warn({ err: error }, 'a database connection broke'),
    onReach: (pool, reason) =>
      reason === undefined
        ? log.info({ pool }, 'database connections can be made again')
        : log.error({ pool, err: reason }, 'no new database connections can be made'),
    idsRaisedBy,
    onRaisedIds: by =>
      log.warn(
        { by },
        'IDs are raised: the database has another history than when IDs were last assigned, as after a failover or a restored backup, and may have lost some',
      ),
  }
}

async function openNotifier({ reader }: Database, config: Config, log: Logger): Promise<ChangeNotifier> {
  const { createPostgresNotifier } = await import('../platform/database/postgres/change-notifier.ts')
  const { DATABASE_LISTEN_URL, DATABASE_URL, DATABASE_PREPARED, limits } = config
  return createPostgresNotifier({
    url: DATABASE_LISTEN_URL ?? (DATABASE_PREPARED ? DATABASE_URL : undefined),
    db: reader,
    limits,
    onChange(change) {
      if (change.isHeard) log.info('events of other processes are heard by LISTEN')
      else if (change.reason === undefined)
        log.info(
          'events of other nodes are found within a second: set DATABASE_LISTEN_URL to hear of them at once',
        )
      else
        log.warn(
          { reason: reasonOf(change.reason) },
          'events of other processes are not heard: they are found within a second',
        )
    },
  })
}

/** Why SQLite cannot be opened, and how to fix it. */
function describeUnusable(error: unknown, folder: string): string {
  const reason = reasonOf(error)
  if (error instanceof ForeignLog) return reason
  if (isDamaged(error)) return `the database in it ${describeDamage(reason)}`
  return `the database in it cannot be opened (${reason}): check that this user can write to ${folder} and its files, and that there is space on the disk`
}

async function withReplica(
  database: Database,
  url: string,
  options: PostgresOptions,
  { limits }: Config,
  log: Logger,
): Promise<Database> {
  const { openReplica } = await import('../platform/database/postgres/replica.ts')
  const replica = openReplica({
    ...options,
    url,
    limits,
    primary: database.reader,
    // Failed reads report it, and each change is logged once.
    onBrokenConnection: () => {},
    onReach: () => {},
    onChange: change =>
      change.isAsked
        ? log.info('the replica serves lists and downloads')
        : log.warn(
            { reason: reasonOf(change.reason) },
            'the replica is not used: the primary serves its reads',
          ),
  })
  return {
    ...database,
    replica,
    async close() {
      await Promise.all([replica.close(), database.close()])
    },
  }
}

/** Files of the SQLite database that other users can access; opening the service restricts them to the owner. */
export function exposedFiles(config: Config): string[] {
  return config.DATABASE_URL === undefined ? openToOthers(sqliteFile(config)) : []
}
