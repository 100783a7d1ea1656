import type { Services } from '../../app.ts'
import type { Config } from '../../config.ts'
import { addressMatcher } from '../../core/addresses/trusted-addresses.ts'
import { aheadOrBehind } from '../../core/clock.ts'
import { reasonOf } from '../../core/reason.ts'
import type { Finding } from '../../operator/home/ports.ts'
import type { SchemaState } from '../../storage/migrations/applying/schema.ts'

/** `quick` reads neither every file nor every application, for a page. */
export type Depth = 'quick' | 'usual' | 'deep'

export async function checkDatabase(services: Services, schema: SchemaState, depth: Depth): Promise<Finding> {
  const what = 'database'
  switch (schema.state) {
    case 'current': {
      const { dialect } = services.database
      const sound = {
        quick: '',
        usual: ', the file is sound',
        deep: ', the file, its indexes and its foreign keys are sound',
      }[depth]
      const says = dialect === 'sqlite' ? `sqlite${sound}` : 'postgres'
      return { what, isFine: true, says: `${says}, the schema is current` }
    }
    case 'older':
      if (services.database.dialect === 'sqlite') {
        const full = schema.isNew ? await placeWithFiles(services) : undefined
        if (full !== undefined) return { what, isFine: false, says: describeLost(full) }
        return { what, isFine: true, says: 'sqlite, will be migrated at the next start' }
      }
      return {
        what,
        isFine: false,
        says: `lacks migrations (${schema.missing.join(', ')}): run "dossier migrate"`,
      }
    case 'newer':
      return {
        what,
        isFine: schema.fits,
        says: schema.fits
          ? `is that of a newer release (${schema.unknown.join(', ')}), on which ${services.release} runs too`
          : `has migrations of a newer version (${schema.unknown.join(', ')}): run that version`,
      }
    case 'waiting':
      return {
        what,
        isFine: true,
        says: `${schema.missing.join(', ')} waits until no older release runs: then run "dossier migrate"`,
      }
  }
}

/** A new database has no files. Where there are some, the one that they belong to is missing. */
async function placeWithFiles({ blobs }: Services): Promise<string | undefined> {
  for (const place of blobs.places) {
    // A place that cannot be read has a finding of its own.
    const names = await place.sample(1).catch(() => [])
    if (names.length > 0) return place.name
  }
  return undefined
}

const describeLost = (place: string) =>
  `is new and empty, but ${place} holds files: check that DATA_DIR is right and that its disk is mounted. If dossier.db is lost, restore a backup as docs/operating/backup.md says`

export async function checkDisk({ disk }: Services, { DATA_DIR, limits }: Config): Promise<Finding> {
  const what = 'disk'
  try {
    const { freeBytes, isLow } = await disk.look()
    const free = `${Math.floor(freeBytes / 1024 / 1024)} MB are free on the disk of ${DATA_DIR}`
    return isLow
      ? { what, isFine: false, says: `${free}, fewer than ${limits.diskLeastMb} (DISK_LEAST_MB): make room` }
      : { what, isFine: true, says: free }
  } catch (error) {
    return { what, isFine: false, says: `cannot be checked (${reasonOf(error)})` }
  }
}

/** Undefined unless the service has noticed a proxy that is not in TRUSTED_PROXIES. */
export function checkProxy({ proxyMark }: Services, { TRUSTED_PROXIES }: Config): Finding | undefined {
  const address = proxyMark.read()
  if (address === undefined || addressMatcher(TRUSTED_PROXIES)(address)) return undefined
  const says = `${address} sends forwarding headers such as X-Forwarded-For, which are ignored. If it is your proxy, add its address to TRUSTED_PROXIES and restart. If it is not, delete ${proxyMark.path}`
  return { what: 'proxy', isFine: false, says }
}

/** Undefined if there is no other clock to compare with and no application has a future date. */
export async function checkClock(
  services: Services,
  { limits }: Config,
  isCurrent: boolean,
): Promise<Finding | undefined> {
  const what = 'clock'
  const ms = await services.clockDifference()
  if (ms !== undefined && Math.abs(ms) > limits.clockToleranceMs)
    return {
      what,
      isFine: false,
      says: `is ${aheadOrBehind(ms)} that of the database: synchronise this machine and that of the database (NTP)`,
    }
  const future = isCurrent ? await describeFutureDates(services, limits) : undefined
  if (future !== undefined) return { what, isFine: false, says: future }
  if (ms === undefined) return undefined
  return {
    what,
    isFine: true,
    says: `that of the database, within ${limits.clockToleranceMs / 1000} seconds`,
  }
}

export async function checkReplica(replica: NonNullable<Services['database']['replica']>): Promise<Finding> {
  const what = 'replica'
  try {
    const { bytes, seconds } = await replica.lag()
    const says =
      bytes === 0
        ? 'is up to date with the primary'
        : `is ${bytes} bytes and at most ${seconds.toFixed(1)} seconds behind`
    return { what, isFine: true, says }
  } catch (error) {
    const says = `is unavailable (${reasonOf(error)}), so the primary serves lists and downloads: check that DATABASE_REPLICA_URL is a streaming replica of DATABASE_URL and accepts connections`
    return { what, isFine: false, says }
  }
}

export async function checkListening(prove: () => Promise<boolean>): Promise<Finding> {
  const what = 'events'
  try {
    const says = (await prove())
      ? 'of other nodes are heard at once (LISTEN)'
      : 'of other nodes are found within a second: to hear of them at once, set DATABASE_LISTEN_URL to a direct address'
    return { what, isFine: true, says }
  } catch (error) {
    const says = `of other nodes are not heard (${reasonOf(error)}) and found within a second: check that DATABASE_LISTEN_URL leads to the primary of DATABASE_URL, directly or through a pooler in session mode`
    return { what, isFine: false, says }
  }
}

/** Dates never decrease, so later applications get the same future date: this does not pass by itself. */
export async function describeFutureDates(
  { futureDates }: Services,
  { clockMostMs }: Config['limits'],
): Promise<string | undefined> {
  const found = await futureDates(clockMostMs)
  if (found === undefined) return undefined
  const { advertisers, newest } = found
  return `applications to ${advertisers} of the advertisers are dated up to ${new Date(newest).toISOString()}, and new ones will be too: the clock of this machine is behind, or was ahead. Once it is correct, run "dossier clock settle --now <the time of another clock>"`
}
