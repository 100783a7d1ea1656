import { addressMatcher } from '../../platform/core/addresses/trusted-addresses.ts'
import { aheadOrBehind } from '../../platform/core/clock.ts'
import type { Modules } from '../../platform/core/modules.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import { clockToleranceMs, maxClockDifferenceMs } from '../../platform/core/steady-time-rules.ts'
import type { SteadyTime } from '../../platform/core/task-ports.ts'
import type { SchemaState } from '../../platform/database/migrating/schema.ts'
import type { CheckResult } from '../home/ports.ts'

type Config = Modules['platform']['config']

/** `quick`, for a page, reads neither every file nor every application. */
export type Depth = 'quick' | 'usual' | 'deep'

export async function checkDatabase(app: Modules, schema: SchemaState, depth: Depth): Promise<CheckResult> {
  const what = 'database'
  switch (schema.state) {
    case 'current': {
      const { dialect } = app.platform.database
      const sound = {
        quick: '',
        usual: ', the file is sound',
        deep: ', the file, its indexes and its foreign keys are sound',
      }[depth]
      const says = dialect === 'sqlite' ? `sqlite${sound}` : 'postgres'
      return { what, isFine: true, says: `${says}, the schema is current` }
    }
    case 'older':
      if (app.platform.database.dialect === 'sqlite') {
        const full = schema.isNew ? await placeWithFiles(app) : undefined
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
          ? `is that of a newer release (${schema.unknown.join(', ')}), on which ${app.platform.release} runs too`
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

/** A new database has no files. If there are some, their database is missing. */
async function placeWithFiles({ platform: { blobs } }: Modules): Promise<string | undefined> {
  for (const place of blobs.places) {
    // Another check reports a place that cannot be read.
    const names = await place.sample(1).catch(() => [])
    if (names.length > 0) return place.name
  }
  return undefined
}

const describeLost = (place: string) =>
  `is new and empty, but ${place} holds files: check that DATA_DIR is right and that its disk is mounted. If dossier.db is lost, restore a backup as docs/operating/backup.md says`

export async function checkDisk(
  { platform: { disk } }: Modules,
  { DATA_DIR, limits }: Config,
): Promise<CheckResult> {
  const what = 'disk'
  try {
    const { freeBytes, isLow } = await disk.look()
    const free = `${Math.floor(freeBytes / 1024 / 1024)} MB are free on the disk of ${DATA_DIR}`
    return isLow
      ? {
          what,
          isFine: false,
          says: `${free}, fewer than ${limits.minFreeDiskMb} (DISK_LEAST_MB): make room`,
        }
      : { what, isFine: true, says: free }
  } catch (error) {
    return { what, isFine: false, says: `cannot be checked (${reasonOf(error)})` }
  }
}

/** Undefined unless the service has noticed a proxy that is not in TRUSTED_PROXIES. */
export function checkProxy(
  { platform: { proxyMark } }: Modules,
  { TRUSTED_PROXIES }: Config,
): CheckResult | undefined {
  const address = proxyMark.read()
  if (address === undefined || addressMatcher(TRUSTED_PROXIES)(address)) return undefined
  const says = `${address} sends forwarding headers such as X-Forwarded-For, which are ignored. If it is your proxy, add its address to TRUSTED_PROXIES and restart. If it is not, delete ${proxyMark.path}`
  return { what: 'proxy', isFine: false, says }
}

/** Undefined if there is no other clock to compare with and no application has a future date. */
export async function checkClock(app: Modules, isCurrent: boolean): Promise<CheckResult | undefined> {
  const what = 'clock'
  const ms = await app.platform.clockDifference()
  const differs =
    ms !== undefined && Math.abs(ms) > clockToleranceMs
      ? `is ${aheadOrBehind(ms)} that of the database: synchronise this machine and that of the database (NTP)`
      : undefined
  const doubt = isCurrent ? describeDoubt(await app.platform.steadyTimes.read()) : undefined
  const future = isCurrent ? await describeFutureDates(app) : undefined
  const wrong = [differs, doubt, future].filter(each => each !== undefined)
  if (wrong.length > 0) return { what, isFine: false, says: wrong.join('. Also, ') }
  if (ms === undefined) return undefined
  return {
    what,
    isFine: true,
    says: `that of the database, within ${clockToleranceMs / 1000} seconds`,
  }
}

/** Undefined if the clock is trusted. */
export function describeDoubt({ pausedMs, doubtMs }: SteadyTime): string | undefined {
  if (pausedMs === 0) return undefined
  const hours = (ms: number) => `${Math.ceil(Math.abs(ms) / 3_600_000)} hours`
  const moved = `was ${hours(doubtMs)} ${doubtMs > 0 ? 'ahead of' : 'behind'} the time that it had last shown, without the service running meanwhile`
  return `${moved}: nothing is removed by age until the service has run for ${hours(pausedMs)} more. If the clock is right, run "dossier clock confirm --now <time>"`
}

export async function checkReplica(
  replica: NonNullable<Modules['platform']['database']['replica']>,
): Promise<CheckResult> {
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

export async function checkListening(prove: () => Promise<boolean>): Promise<CheckResult> {
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

/** Dates never decrease, so later applications get the same future date: the problem does not go away by itself. */
export async function describeFutureDates({
  platform: { futureDates },
}: Modules): Promise<string | undefined> {
  const found = await futureDates(maxClockDifferenceMs)
  if (found === undefined) return undefined
  const { advertisers, newest } = found
  return `applications to ${advertisers} of the advertisers are dated up to ${new Date(newest).toISOString()}, and new ones will be too: the clock of this machine is behind, or was ahead. Once it is correct, run "dossier clock settle --now <the time of another clock>"`
}
