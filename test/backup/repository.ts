import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openBackupPlace, openSnapshots } from '../../src/assembly/backup.ts'
import type { Place } from '../../src/platform/backup/ports.ts'
import {
  findSets,
  type RepositorySet,
  readDatabase,
  verifySet,
} from '../../src/platform/backup/sets-service.ts'
import { type Environment, readBackupPlace, readConfig } from '../../src/settings.ts'
import { createBucket } from '../harness/s3.ts'
import type { Services } from '../harness/services.ts'
import { draftOf, putFile } from '../harness/tenant.ts'

/** A place for backups of its own, in a folder or a bucket. */
export interface TestRepository {
  /** For `--to` and `--from`. */
  address: string
  remove(): Promise<void>
}

export async function createRepository(kind: 'folder' | 's3', endpoint?: string): Promise<TestRepository> {
  if (kind === 'folder') {
    const folder = await mkdtemp(join(tmpdir(), 'dossier-backup-'))
    return { address: folder, remove: () => rm(folder, { recursive: true, force: true }) }
  }
  const bucket = await createBucket()
  return { address: bucket.settings(endpoint)['BLOBS_URL'] as string, remove: bucket.removeAll }
}

export const placeOf = (address: string, settings: Environment): Promise<Place> =>
  openBackupPlace(readConfig(settings), readBackupPlace(address))

const quiet = { signal: new AbortController().signal, onProgress: () => {} }

/** As the command does, in this process. */
export async function makeSet({ backups, config }: Services, address: string, keep = 14) {
  const place = await openBackupPlace(config, readBackupPlace(address))
  try {
    const lost: string[] = []
    const report = await backups.run({ place, keep, onLost: blob => lost.push(blob), ...quiet })
    return { ...report, lost }
  } finally {
    place.close()
  }
}

/** What is wrong with each set of the repository, by name. */
export async function verifyAll(address: string, settings: Environment, isDeep = true) {
  const config = readConfig(settings)
  const place = await openBackupPlace(config, readBackupPlace(address))
  const found: Record<string, string[]> = {}
  try {
    for (const set of await findSets(place))
      found[set.set] = await verifySet(place, set, { snapshots: openSnapshots(config), isDeep, ...quiet })
    return found
  } finally {
    place.close()
  }
}

/** Reads the database of a set. */
export async function inSet<T>(
  address: string,
  settings: Environment,
  found: Pick<RepositorySet, 'set'>,
  read: (handle: DatabaseSync) => T,
): Promise<T> {
  const config = readConfig(settings)
  const place = await openBackupPlace(config, readBackupPlace(address))
  try {
    const { manifest } = (await findSets(place)).find(({ set }) => set === found.set) ?? {}
    assert.ok(manifest)
    const content = await readDatabase(place, manifest)
    const copy = await openSnapshots(config).unpack(content, () => {}, quiet.signal)
    const handle = new DatabaseSync(copy.path, { readOnly: true })
    try {
      return read(handle)
    } finally {
      handle.close()
      await copy.remove()
    }
  } finally {
    place.close()
  }
}

/** An application with a file of random bytes. */
export async function apply(services: Services, advertiserId: number, serial: string | number) {
  const file = await putFile(services, 'resume', randomBytes(2_000))
  const { id } = await services.submissions.add(advertiserId, draftOf(serial, [file]))
  return { id, blob: file.blob as string, sha256: file.sha256 }
}
