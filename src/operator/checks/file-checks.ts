import type { Modules } from '../../platform/core/modules.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import type { CheckResult } from '../home/ports.ts'
import { lastBackup } from './readiness-checks.ts'

type Config = Modules['platform']['config']

export async function checkBlobStore(
  { platform: { blobs }, upkeep: { ownership } }: Modules,
  config: Config,
  isCurrent: boolean,
): Promise<CheckResult> {
  const isFolder = config.BLOBS_URL === undefined
  const what = isFolder ? 'folder' : 'S3'
  try {
    await blobs.prove()
    const objection = isCurrent ? await ownership.objection() : undefined
    if (objection !== undefined) return { what, isFine: false, says: objection.message }
    return { what, isFine: true, says: `files can be ${isFolder ? 'written' : 'stored, read and removed'}` }
  } catch (error) {
    const fix = isFolder ? `: let this user write to ${config.DATA_DIR}/blobs` : ''
    return { what, isFine: false, says: `files cannot be written (${reasonOf(error)})${fix}` }
  }
}

/** With S3, while the folder still exists. */
export async function checkMoving({ left }: NonNullable<Modules['upkeep']['moving']>): Promise<CheckResult> {
  const what = 'folder'
  try {
    const count = await left()
    const says =
      count === 0
        ? 'DATA_DIR/blobs contains no more files and can be deleted'
        : `DATA_DIR/blobs still contains ${count === 1 ? '1 file' : `${count} files`}: "dossier blobs move" moves them to S3`
    return { what, isFine: true, says }
  } catch (error) {
    const says = `DATA_DIR/blobs cannot be read (${reasonOf(error)}): let this user read it, or delete it if all files are in S3`
    return { what, isFine: false, says }
  }
}

export async function checkBlobs(app: Modules, config: Config, isDeep: boolean): Promise<CheckResult> {
  const place =
    config.BLOBS_URL === undefined
      ? 'DATA_DIR/blobs'
      : app.upkeep.ownership.places.length === 1
        ? 'the bucket of BLOBS_URL'
        : 'DATA_DIR/blobs, which is read first; if S3 has an intact copy, "dossier blobs move" removes the damaged one'
  const what = 'files'
  try {
    await app.platform.blobs.check()
    const { checked, damaged } = await app.upkeep.examineFiles(isDeep)
    const [example] = damaged
    if (example === undefined)
      return {
        what,
        isFine: true,
        says: `${checked} ${isDeep ? 'read and match their hashes' : 'present'}`,
      }
    const says = `${damaged.length} of ${checked} are missing or damaged, including ${example}: restore them from a backup into ${place}`
    return { what, isFine: false, says }
  } catch (error) {
    return { what, isFine: false, says: `cannot all be checked (${reasonOf(error)})` }
  }
}

export async function checkBackups(app: Modules, { BACKUP_URL }: Config): Promise<CheckResult> {
  const what = 'backup'
  const { place, set, hours, isOverdue } = await lastBackup(app)
  const found = set && `the last set, ${set} in ${place}, is ${hours} hours old`
  if (BACKUP_URL === undefined) {
    const says = found ?? 'none was made here: set BACKUP_URL, or use your own tools'
    return { what, isFine: true, isAdvised: found === undefined, says }
  }
  const says = found ?? 'no set has been made yet'
  return isOverdue
    ? { what, isFine: false, says: `${says}: run "dossier backup" to see why` }
    : { what, isFine: true, says }
}
