import { realpathSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { keysForSet } from '../operator/keys/restored-keys-adapter.ts'
import { createBlobReferences } from '../operator/upkeep/blob-reference-store.ts'
import { createBackupRecords } from '../platform/backup/backup-record-store.ts'
import { createBackups, createBackupTask } from '../platform/backup/backup-service.ts'
import { createFolderPlace } from '../platform/backup/folder-place.ts'
import { sealSetKeys } from '../platform/backup/keys-rules.ts'
import type { Place } from '../platform/backup/ports.ts'
import { createSnapshots } from '../platform/backup/snapshots.ts'
import { systemClock } from '../platform/core/clock.ts'
import { newUuid } from '../platform/core/ids.ts'
import { fileTables } from '../schema/data-tables.ts'
import { type BackupAddress, type Config, SettingError } from '../settings.ts'
import { sqliteFile } from './adapters.ts'
import type { Platform } from './platform.ts'

export type BackupModule = ReturnType<typeof openBackup>

/** Makes backups of this database and its files. */
export function openBackup(platform: Platform) {
  const { config, release, database } = platform
  const references = createBlobReferences(database)
  const { BACKUP_URL: address, BACKUP_PASSPHRASE: passphrase } = config
  const backups = createBackups({
    ...platform,
    snapshots: openSnapshots(config),
    records: createBackupRecords(database),
    holder: newUuid(),
    databaseId: () => references.makeDatabaseId(newUuid()),
    about: { version: release, engine: database.dialect },
    async sealKeys(about) {
      const keys = keysForSet(platform.keys)
      if (passphrase === undefined || Object.keys(keys).length === 0) return undefined
      return sealSetKeys(passphrase, keys, about)
    },
  })
  const backupTask =
    address && createBackupTask({ ...platform, backups, openPlace: () => openBackupPlace(config, address) })
  return { backups, backupTask }
}

/** Collects copies in DATA_DIR, which belongs to this user alone. */
export function openSnapshots(config: Config) {
  const { DATABASE_URL, DATABASE_LISTEN_URL, DATA_DIR } = config
  const postgres = DATABASE_URL && (DATABASE_LISTEN_URL ?? DATABASE_URL)
  const source = postgres === undefined ? { sqlite: sqliteFile(config) } : { postgres }
  return createSnapshots({
    folder: join(DATA_DIR, 'backup-work'),
    source,
    program: fileURLToPath(new URL('./process/snapshot-process.ts', import.meta.url)),
    fileTables,
    clock: systemClock,
  })
}

/** Backup sets that release 0.1.0 stored in a folder in DATA_DIR can still be read, but no more are written there. */
export async function openBackupPlace(
  config: Config,
  address: BackupAddress,
  use: 'read' | 'write' = 'write',
): Promise<Place> {
  const { DATA_DIR, BLOBS_URL: blobs } = config
  if ('folder' in address) {
    const steps = relative(realPath(DATA_DIR), realPath(address.folder))
    const isInside = steps !== '..' && !steps.startsWith('../')
    if (steps === '' || (isInside && use === 'write'))
      throw new SettingError(
        'BACKUP_URL',
        `must not be ${steps === '' ? '' : 'in '}DATA_DIR: sets and files would mix, and be lost together`,
      )
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
  const { createS3Place } = await import('../platform/backup/s3-place.ts')
  const { BLOBS_ENCRYPTION: encryption, DATA_DIR, limits } = config
  return createS3Place({ address, encryption, limits, spoolFolder: join(DATA_DIR, 'spool'), onCall() {} })
}

/** Resolves symbolic links, even if the last folders of the path do not exist yet. */
function realPath(path: string): string {
  const whole = resolve(path)
  try {
    return realpathSync(whole)
  } catch {
    return whole === dirname(whole) ? whole : join(realPath(dirname(whole)), basename(whole))
  }
}
