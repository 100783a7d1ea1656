import { join } from 'node:path'
import type { Logger } from 'pino'
import { describeMissing } from '../operator/keys/lost-keys-texts.ts'
import { openMachineKeys } from '../operator/keys/machine-keys-adapter.ts'
import { findMissingKeys, foundKeys } from '../operator/keys/missing-keys-store.ts'
import { putKeys } from '../operator/keys/restored-keys-adapter.ts'
import { reconcile as reconcileRestored } from '../operator/restored/reconcile-store.ts'
import { describeReconciled } from '../operator/restored/reconciled-texts.ts'
import { goBack, type WentBack } from '../platform/backup/before-upgrade.ts'
import { BackupRefused } from '../platform/backup/faults.ts'
import { createFolderPlace } from '../platform/backup/folder-place.ts'
import { openSetKeys } from '../platform/backup/keys-rules.ts'
import type { Place, RestoreTarget } from '../platform/backup/ports.ts'
import type { Reconcile } from '../platform/backup/reconcile-copy.ts'
import { type RestoreReport, restoreSet } from '../platform/backup/restore-service.ts'
import { createSqliteTarget } from '../platform/backup/sqlite-target.ts'
import type { BlobPlace } from '../platform/blobs/ports.ts'
import { systemClock as clock } from '../platform/core/clock.ts'
import { idsRaisedBy } from '../platform/database/id-limits.ts'
import { nodeFreshSeconds } from '../platform/database/migrating/running-nodes.ts'
import { idBlock } from '../platform/database/restore-detection/id-gate.ts'
import { leaseSeconds } from '../platform/work/service.ts'
import { dataTables, ownerTables } from '../schema/data-tables.ts'
import { migrations } from '../schema/migrations/list.ts'
import type { Config } from '../settings.ts'
import { openBlobs, postgresOptions, sqliteFile } from './adapters.ts'
import { openS3Place, openSnapshots } from './backup.ts'

/** Limit: Rows that a restore writes to PostgreSQL in one statement, unless they are large. */
const backupRows = 2_000

type Chosen = Pick<
  Parameters<typeof restoreSet>[0],
  'place' | 'found' | 'isReplacing' | 'signal' | 'onProgress'
>

/** Restores into the database and the file store of these settings, without opening the service on them. */
export async function openRestore(config: Config, log: Logger) {
  const { BLOBS_URL, BACKUP_PASSPHRASE: passphrase, DATA_DIR } = config
  const blobs = await openBlobs(config, log, clock)
  const place: Place =
    BLOBS_URL === undefined
      ? createFolderPlace(join(DATA_DIR, 'blobs'))
      : await openS3Place(config, BLOBS_URL)
  const reconcile: Reconcile = async database => {
    const report = await reconcileRestored({
      database,
      places: blobs.store.places,
      now: clock(),
      raiseBy: idsRaisedBy,
      freshMs: nodeFreshSeconds * 1000,
      idBlock,
    })
    const missing = await findMissingKeys(database.reader, foundKeys(openMachineKeys(config)))
    const advice = '"dossier restored --list" prints what to look at.'
    return [...describeReconciled(report, idsRaisedBy), ...describeMissing(missing), advice]
  }
  const target = await openTarget(config, log, reconcile)
  return {
    async run(chosen: Chosen): Promise<RestoreReport> {
      const report = await restoreSet({
        ...chosen,
        target,
        // During a move, the last place is the one to which files are moved.
        files: { place, mark: blobs.store.places.at(-1) as BlobPlace },
        snapshots: openSnapshots(config),
        knownSchema: Object.keys(migrations),
        openKeys:
          passphrase === undefined
            ? undefined
            : async (sealed, about) => {
                const keys = await openSetKeys(passphrase, sealed, about)
                return () => putKeys(keys, openMachineKeys(config), clock())
              },
      })
      if (BLOBS_URL === undefined) await place.tidy()
      return report
    },
    close(): void {
      place.close()
      blobs.close()
    },
  }
}

/** Restores the copy of SQLite that an upgrade made before it began. */
export async function restoreBeforeUpgrade(config: Config, release: string | undefined): Promise<WentBack> {
  if (config.DATABASE_URL !== undefined)
    throw new BackupRefused(
      'Only SQLite is copied before an upgrade. Restore a backup of PostgreSQL instead.',
    )
  return goBack(sqliteFile(config), release, clock())
}

async function openTarget(config: Config, log: Logger, reconcile: Reconcile): Promise<RestoreTarget> {
  const { DATABASE_URL, DATABASE_LISTEN_URL, DATABASE_PREPARED } = config
  if (DATABASE_URL === undefined) {
    return createSqliteTarget({ path: sqliteFile(config), migrations, ownerTables, reconcile, clock })
  }
  const { createPostgresTarget, needsDirectAddress } = await import('../platform/backup/postgres-target.ts')
  const { openPostgres } = await import('../platform/database/postgres/postgres.ts')
  const url = DATABASE_LISTEN_URL ?? (DATABASE_PREPARED ? DATABASE_URL : undefined)
  if (url === undefined) throw needsDirectAddress()
  return createPostgresTarget({
    migrations,
    ownerTables,
    tables: [...dataTables.toReversed(), 'meta'],
    url,
    reconcile,
    clock,
    batchRows: backupRows,
    hasOwnSessions: DATABASE_PREPARED,
    open: address => openPostgres({ ...postgresOptions(config, log), url: address, isPrepared: true }),
    leaseMs: leaseSeconds * 1000,
    nodeFreshMs: nodeFreshSeconds * 1000,
  })
}
