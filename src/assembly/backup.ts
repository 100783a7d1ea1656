import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createBackups } from '../backup/backup-service.ts'
import type { Place } from '../backup/ports.ts'
import { createBackupTask } from '../backup/task-service.ts'
import { type BackupAddress, type Config, SettingError } from '../config.ts'
import { systemClock } from '../core/clock.ts'
import { newUuid } from '../core/ids.ts'
import { createBackupRecords } from '../storage/backup/backup-record-store.ts'
import { createFolderPlace } from '../storage/backup/folder-place.ts'
import { createSnapshots } from '../storage/backup/snapshots.ts'
import { createBlobReferences } from '../storage/upkeep/blob-reference-store.ts'
import { sqliteFile } from './adapters.ts'
import type { Platform } from './platform.ts'

export type BackupModule = ReturnType<typeof openBackup>

/** Makes backups of this database and its files. */
export function openBackup({ config, release, database, blobs, leases, clock, limits, log }: Platform) {
  const references = createBlobReferences(database)
  const { BACKUP_URL: address } = config
  const backups = createBackups({
    snapshots: openSnapshots(config),
    records: createBackupRecords(database),
    ...{ blobs, leases, clock, limits, holder: newUuid() },
    databaseId: () => references.makeDatabaseId(newUuid()),
    about: { version: release, engine: database.dialect },
  })
  const backupTask =
    address &&
    createBackupTask({ backups, openPlace: () => openBackupPlace(config, address), clock, limits, log })
  return { backups, backupTask }
}

/** Copies are gathered in DATA_DIR, which belongs to this user alone. */
export function openSnapshots(config: Config) {
  const { DATABASE_URL, DATABASE_LISTEN_URL, DATA_DIR } = config
  const postgres = DATABASE_URL && (DATABASE_LISTEN_URL ?? DATABASE_URL)
  const source = postgres === undefined ? { sqlite: sqliteFile(config) } : { postgres }
  return createSnapshots(join(DATA_DIR, 'backup-work'), source, systemClock)
}

export async function openBackupPlace(config: Config, address: BackupAddress): Promise<Place> {
  const { DATA_DIR, BLOBS_URL: blobs } = config
  if ('folder' in address) {
    if (realPath(address.folder) === realPath(DATA_DIR))
      throw new SettingError('BACKUP_URL', 'must not be DATA_DIR: sets and files would mix')
    return createFolderPlace(address.folder)
  }
  const { s3 } = address
  const areMixed =
    blobs?.bucket === s3.bucket && blobs.endpoint === s3.endpoint && blobs.prefix === `${s3.prefix}blobs/`
  if (areMixed) throw new SettingError('BACKUP_URL', 'must not contain BLOBS_URL: sets and files would mix')
  return openS3Place(config, s3)
}

/** Loaded only if needed: the SDK takes 28 MiB. */
export async function openS3Place(config: Config, address: NonNullable<Config['BLOBS_URL']>): Promise<Place> {
  const { createS3Place } = await import('../storage/backup/s3-place.ts')
  const { BLOBS_ENCRYPTION: encryption, DATA_DIR, limits } = config
  return createS3Place({ address, encryption, limits, spoolFolder: join(DATA_DIR, 'spool'), onCall() {} })
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
