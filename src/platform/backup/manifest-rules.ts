import { createHash } from 'node:crypto'
import type { Content } from '../core/bytes/packing.ts'
import { BackupRefused } from './faults.ts'
import type { SnapshotFacts } from './ports.ts'

/** Describes a set. It is written last: without it, a set is incomplete. */
export interface Manifest extends Omit<SnapshotFacts, 'faults' | 'databaseId'> {
  format: 1
  set: string
  /** Version of the software that made the set. */
  version: string
  engine: string
  databaseId: string
  database: { packed: Content; plain: Content }
  list: { packed: Content }
  /** Keys of the service, encrypted with a passphrase. */
  keys?: Content
  files: { count: number; bytes: number; lost: number }
}

export const partsOf = (set: string) => ({
  list: `sets/${set}/files.zst`,
  database: `sets/${set}/database.sqlite.zst`,
  keys: `sets/${set}/keys.json`,
  manifest: `sets/${set}/manifest.json`,
})

const format = 1
const checksumOf = (text: string) => createHash('sha256').update(text).digest('hex')

export function writeManifest(manifest: Manifest): string {
  const checksum = checksumOf(JSON.stringify(manifest))
  return `${JSON.stringify({ ...manifest, checksum }, null, 2)}\n`
}

/** Throws an Error that describes the problem. */
export function readManifest(text: string, set: string): Manifest {
  let found: Manifest & { checksum?: unknown }
  try {
    found = JSON.parse(text)
  } catch {
    throw new Error('its manifest is damaged')
  }
  const { checksum, ...manifest } = found ?? {}
  if (manifest.format > format) throw new Error('it was made by a newer version of Dossier')
  // Anyone who can write to the place can compute the checksum, and these values limit the unpacked size.
  const bounds = [manifest.database?.plain?.size, manifest.files?.count]
  if (
    checksum !== checksumOf(JSON.stringify(manifest)) ||
    manifest.set !== set ||
    !bounds.every(Number.isSafeInteger)
  )
    throw new Error('its manifest is damaged')
  return manifest
}

/** `2026-11-15T02-00-00Z`, later than all previous sets, whatever the clock says. */
export function nextSetName(now: number, before: readonly string[]): string {
  const last = Math.max(...before.map(timeOfSet).filter(Number.isFinite), 0)
  const at = new Date(Math.max(Math.floor(now / 1000) * 1000, last + 1000))
  const name = at.toISOString().replace(/\.\d+/, '').replaceAll(':', '-')
  // From the year 10000, names would have another form and order, so that no command would find the set.
  if (!isSetName(name))
    throw new BackupRefused(
      `The set ${before.toSorted().at(-1) ?? name} leaves no later name: a clock was wrong. Move it to another place.`,
    )
  return name
}

const shape = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)Z$/
export const isSetName = (text: string) => Number.isFinite(timeOfSet(text))
export const timeOfSet = (name: string) =>
  shape.test(name) ? Date.parse(name.replace(shape, '$1:$2:$3Z')) : Number.NaN
