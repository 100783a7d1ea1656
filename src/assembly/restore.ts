import { join } from 'node:path'
import type { Logger } from 'pino'
import { BackupRefused } from '../backup/faults.ts'
import type { Place, RestoreTarget } from '../backup/ports.ts'
import { type RestoreReport, restoreSet } from '../backup/restore-service.ts'
import type { Config } from '../config.ts'
import { systemClock as clock } from '../core/clock.ts'
import type { BlobPlace } from '../files/ports.ts'
import { goBack, type WentBack } from '../storage/backup/before-upgrade.ts'
import { createFolderPlace } from '../storage/backup/folder-place.ts'
import type { Settle } from '../storage/backup/settle-copy.ts'
import { createSqliteTarget } from '../storage/backup/sqlite-target.ts'
import { migrations } from '../storage/migrations/list.ts'
import { settle as settleRestored } from '../storage/setback/settle.ts'
import { describeSettled } from '../storage/setback/settled-texts.ts'
import { openBlobs, postgresOptions, sqliteFile } from './adapters.ts'
import { openS3Place, openSnapshots } from './backup.ts'

type Chosen = Pick<
  Parameters<typeof restoreSet>[0],
  'place' | 'found' | 'isReplacing' | 'signal' | 'onProgress'
>

/** Restores into the database and the file store of these settings, without opening the service on them. */
export async function openRestore(config: Config, log: Logger) {
  const { BLOBS_URL, DATA_DIR, limits } = config
  const blobs = await openBlobs(config, log, clock)
  const place: Place =
    BLOBS_URL === undefined
      ? createFolderPlace(join(DATA_DIR, 'blobs'))
      : await openS3Place(config, BLOBS_URL)
  const settle: Settle = async database => {
    const report = await settleRestored({
      ...{ database, places: blobs.store.places, now: clock(), raiseBy: limits.idsRaisedBy },
      freshMs: limits.nodeFreshSeconds * 1000,
      idBlock: limits.idBlock,
    })
    const advice = '"dossier restored --list" prints what to look at.'
    return [...describeSettled(report, limits.idsRaisedBy), advice]
  }
  const target = await openTarget(config, log, settle)
  return {
    async run(chosen: Chosen): Promise<RestoreReport> {
      const report = await restoreSet({
        ...chosen,
        target,
        // During a move the last place is the one that files are moved to.
        files: { place, mark: blobs.store.places.at(-1) as BlobPlace },
        snapshots: openSnapshots(config),
        knownSchema: Object.keys(migrations),
        limits,
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

/** Goes back to the copy of SQLite that an upgrade has made before it. */
export async function restoreBeforeUpgrade(config: Config, release: string | undefined): Promise<WentBack> {
  if (config.DATABASE_URL !== undefined)
    throw new BackupRefused(
      'Only SQLite is copied before an upgrade. Restore a backup of PostgreSQL instead.',
    )
  return goBack(sqliteFile(config), release, clock())
}

async function openTarget(config: Config, log: Logger, settle: Settle): Promise<RestoreTarget> {
  const { DATABASE_URL, DATABASE_LISTEN_URL, DATABASE_PREPARED, limits } = config
  if (DATABASE_URL === undefined) return createSqliteTarget(sqliteFile(config), settle, clock)
  const { createPostgresTarget, needsDirectAddress } = await import('../storage/backup/postgres-target.ts')
  const { openPostgres } = await import('../storage/postgres/postgres.ts')
  const url = DATABASE_LISTEN_URL ?? (DATABASE_PREPARED ? DATABASE_URL : undefined)
  if (url === undefined) throw needsDirectAddress()
  return createPostgresTarget({
    ...{ url, settle, clock, batchRows: limits.backupRows, hasOwnSessions: DATABASE_PREPARED },
    open: address => openPostgres({ ...postgresOptions(config, log), url: address, isPrepared: true }),
    leaseMs: limits.leaseSeconds * 1000,
    nodeFreshMs: limits.nodeFreshSeconds * 1000,
  })
}
