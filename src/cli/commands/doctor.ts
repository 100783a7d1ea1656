import type { Command } from 'commander'
import type { Services } from '../../app.ts'
import { type Config, SettingError } from '../../config.ts'
import { addressMatcher } from '../../core/addresses/trusted-addresses.ts'
import { aheadOrBehind } from '../../core/clock.ts'
import { reasonOf } from '../../core/reason.ts'
import { describeFutureDates } from '../process/clock-check.ts'
import { type Context, commandLog, configOf } from '../terminal/context.ts'
import { createFindings, type Finding } from '../terminal/findings.ts'
import { checkRestored } from './restored.ts'

export function addDoctor(program: Command, context: Context): void {
  program
    .command('doctor')
    .description(
      'Check settings, database, disk, mail server and files; reports problems and how to fix them.',
    )
    .option(
      '--deep',
      'read every file and compare it with its hash; on SQLite also check indexes and foreign keys',
    )
    .option('--json', 'print JSON')
    .action((options: { deep?: boolean; json?: boolean }) => examine(context, options))
}

async function examine(context: Context, options: { deep?: boolean; json?: boolean }): Promise<void> {
  // A wrong setting throws here, with the line that names it.
  const config = configOf(context)
  const { report, end } = createFindings(context, options.json === true)
  report({ what: 'settings', isFine: true, says: describeSettings(config) })
  const { exposedFiles } = await import('../../assembly/adapters.ts')
  const exposed = exposedFiles(config)
  if (exposed.length > 0) report(exposure(exposed))
  try {
    const { openServices } = await import('../../app.ts')
    const services = await openServices(config, commandLog(context))
    try {
      for await (const finding of findingsOf(services, config, options.deep === true)) report(finding)
    } finally {
      await services.close()
    }
  } catch (error) {
    // Settings that contradict each other; an unusable DATA_DIR is a finding.
    if (error instanceof SettingError && error.setting !== 'DATA_DIR') throw error
    report(unreachable(error))
  }
  end()
}

async function* findingsOf(services: Services, config: Config, isDeep: boolean): AsyncGenerator<Finding> {
  const { database, moving, ownership, scanner } = services
  const damage = await database.examine?.(isDeep)
  if (damage !== undefined) {
    yield { what: 'database', isFine: false, says: damage }
    return
  }
  const isCurrent = await services.schema.isUsable()
  if (isCurrent && (await services.copiedAt()) !== undefined) {
    yield { what: 'database', isFine: false, says: 'is the copy in a backup: run "dossier restore"' }
    return
  }
  yield await checkDatabase(services, isDeep)
  yield await checkDisk(services, config)
  yield await checkBlobStore(services, config, isCurrent)
  if (moving !== undefined && ownership.places.length > 1) yield await checkMoving(moving)
  const clock = await checkClock(services, config, isCurrent)
  if (clock !== undefined) yield clock
  if (database.replica !== undefined) yield await checkReplica(database.replica)
  if (database.bell?.prove !== undefined) yield await checkListening(database.bell.prove)
  const proxy = checkProxy(services, config)
  if (proxy !== undefined) yield proxy
  if (scanner !== undefined) yield await checkScanner(scanner)
  if (!isCurrent) return
  const restored = await checkRestored(services, config)
  if (restored !== undefined) yield restored
  yield await checkCounts(services)
  if (config.SMTP_URL !== undefined) yield await checkMail(services)
  const webhooks = await checkWebhooks(services)
  if (webhooks !== undefined) yield webhooks
  yield await checkBlobs(services, config, isDeep)
  yield await checkBackups(services, config)
  yield describeRetention(config, await services.retention.untold())
  yield await checkDemo(services)
}

function describeSettings(config: Config): string {
  const database = config.DATABASE_URL === undefined ? `SQLite in ${config.DATA_DIR}` : 'PostgreSQL'
  const scanner =
    config.CLAMD_URL === undefined ? 'no scanner' : `scanner set, unjudged files: ${config.UNSCANNED}`
  const files = config.BLOBS_URL === undefined ? [] : [`files in the S3 bucket "${config.BLOBS_URL.bucket}"`]
  const mail = config.SMTP_URL === undefined ? ['no mail server'] : []
  return [database, ...files, scanner, ...mail].join(', ')
}

function unreachable(error: unknown): Finding {
  const says =
    error instanceof SettingError
      ? error.message
      : `cannot be reached (${reasonOf(error)}): check DATABASE_URL and that the server accepts connections`
  return { what: 'database', isFine: false, says }
}

async function checkDatabase(services: Services, isDeep: boolean): Promise<Finding> {
  const what = 'database'
  const schema = await services.schema.state()
  switch (schema.state) {
    case 'current': {
      const { dialect } = services.database
      const sound = isDeep ? 'the file, its indexes and its foreign keys are sound' : 'the file is sound'
      const says = dialect === 'sqlite' ? `sqlite, ${sound}` : 'postgres'
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

async function checkDisk({ disk }: Services, { DATA_DIR, limits }: Config): Promise<Finding> {
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

function exposure(files: readonly string[]): Finding {
  const says = `other users of this machine could read ${files.join(', ')}; now only the owner can. If this happens again, run "chmod 600" on them as their owner`
  return { what: 'modes', isFine: false, says }
}

/** Undefined unless the service has noticed a proxy that is not in TRUSTED_PROXIES. */
function checkProxy({ proxyMark }: Services, { TRUSTED_PROXIES }: Config): Finding | undefined {
  const address = proxyMark.read()
  if (address === undefined || addressMatcher(TRUSTED_PROXIES)(address)) return undefined
  const says = `${address} sends forwarding headers such as X-Forwarded-For, which are ignored. If it is your proxy, add its address to TRUSTED_PROXIES and restart. If it is not, delete ${proxyMark.path}`
  return { what: 'proxy', isFine: false, says }
}

/** Undefined if there is no other clock to compare with and no application has a future date. */
async function checkClock(
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

async function checkReplica(replica: NonNullable<Services['database']['replica']>): Promise<Finding> {
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

async function checkListening(prove: () => Promise<boolean>): Promise<Finding> {
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

async function checkScanner(scanner: NonNullable<Services['scanner']>): Promise<Finding> {
  const what = 'scanner'
  try {
    await scanner.prove()
    return { what, isFine: true, says: 'clamd finds the test virus and reports what it does not scan' }
  } catch (error) {
    return { what, isFine: false, says: (error as Error).message }
  }
}

/** Connects and signs in as for an email, without sending one. */
async function checkMail({ mailTransport, deliveries, clock }: Services): Promise<Finding> {
  const what = 'mail'
  const { waiting, dead, oldestAt } = await deliveries.counts()
  const left = `${waiting} waiting, ${dead} given up`
  try {
    await mailTransport()?.check()
  } catch (error) {
    const says = `the mail server cannot be used (${reasonOf(error)}): check SMTP_URL; emails are retried for three days (${left})`
    return { what, isFine: false, says }
  }
  const hours = Math.floor((clock() - (oldestAt ?? clock())) / 3_600_000)
  if (hours >= 1) {
    const says = `the mail server accepts connections, but emails have waited for ${hours} hours (${left}): "dossier mail list" says why`
    return { what, isFine: false, says }
  }
  return { what, isFine: true, says: `the mail server accepts connections; ${left}` }
}

async function checkBlobStore(
  { blobs, ownership }: Services,
  config: Config,
  isCurrent: boolean,
): Promise<Finding> {
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
async function checkMoving({ left }: NonNullable<Services['moving']>): Promise<Finding> {
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

async function checkBlobs(services: Services, config: Config, isDeep: boolean): Promise<Finding> {
  const place =
    config.BLOBS_URL === undefined
      ? 'DATA_DIR/blobs'
      : services.ownership.places.length === 1
        ? 'the bucket of BLOBS_URL'
        : 'DATA_DIR/blobs, which is read first; if S3 has an intact copy, "dossier blobs move" removes the damaged one'
  const what = 'files'
  try {
    await services.blobs.check()
    const { checked, damaged } = await services.examineFiles(isDeep)
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

async function checkBackups({ backups, clock }: Services, { BACKUP_URL, limits }: Config): Promise<Finding> {
  const what = 'backup'
  const [newest] = Object.entries(await backups.last()).toSorted(([, a], [, b]) => b.at - a.at)
  const hours = newest && Math.floor((clock() - newest[1].at) / 3_600_000)
  const found = newest && `the last set, ${newest[1].set} in ${newest[0]}, is ${hours} hours old`
  if (BACKUP_URL === undefined)
    return { what, isFine: true, says: found ?? 'none was made here: set BACKUP_URL, or use your own tools' }
  // A set that is due may take as long as another interval.
  if (hours === undefined || hours >= 2 * limits.backupHours) {
    const says = `${found ?? 'no set has been made yet'}: run "dossier backup" to see why`
    return { what, isFine: false, says }
  }
  return { what, isFine: true, says: found ?? '' }
}

/** Compares the numbers that the console shows with the applications. */
async function checkCounts({ advertisers, counts }: Services): Promise<Finding> {
  const what = 'counts'
  try {
    const companies = await advertisers.list()
    const wrong: string[] = []
    for (const { id } of companies) {
      for (const { status, kept, counted } of await counts.faults(id))
        wrong.push(`advertiser ${id} has ${counted} applications with status "${status}", not ${kept}`)
    }
    const [example] = wrong
    if (example === undefined)
      return { what, isFine: true, says: `of ${companies.length} advertisers match their applications` }
    const says = `${wrong.length} differ from the applications, for instance ${example}: run "dossier counts repair"`
    return { what, isFine: false, says }
  } catch (error) {
    return { what, isFine: false, says: `cannot be checked (${reasonOf(error)})` }
  }
}

/** Undefined without endpoints. */
async function checkWebhooks({ webhookFigures, webhookObjection }: Services): Promise<Finding | undefined> {
  const what = 'webhooks'
  const { endpoints, behindMs, skewMs } = await webhookFigures()
  const { active, failing, stopped } = endpoints
  if (Object.values(endpoints).every(count => count === 0)) return undefined
  const counts = `${active} active, ${failing} failing, ${stopped} stopped`
  const objection = await webhookObjection()
  if (objection !== undefined) return { what, isFine: false, says: `are not sent: ${objection} (${counts})` }
  if (Math.abs(skewMs ?? 0) > 120_000) {
    const clocks = `the clock of this machine is ${aheadOrBehind(-(skewMs ?? 0))} those of most receivers`
    return { what, isFine: false, says: `${clocks}, which may reject signatures: synchronise it (NTP)` }
  }
  const minutes = Math.floor(behindMs / 60_000)
  if (minutes >= 10 && active > 0 && failing === 0)
    return {
      what,
      isFine: false,
      says: `the oldest event has waited for ${minutes} minutes: is "dossier work" or WORK=in-process running? (${counts})`,
    }
  return { what, isFine: true, says: `${counts}; "dossier webhook list" shows them` }
}

function describeRetention({ retention: { standard, min, max } }: Config, untold: number[]): Finding {
  if (untold.length > 0) {
    const who = untold.slice(0, 5).join(', ')
    const says = `no admin could be told by email of the shorter period of ${untold.length === 1 ? 'advertiser' : `${untold.length} advertisers:`} ${who}: their addresses reject emails. Tell the company, or run "dossier retention take-back"`
    return { what: 'retention', isFine: false, says }
  }
  const choice = `companies may choose ${min} to ${max} months`
  const says =
    standard === null
      ? `applications are kept without end unless their company has chosen a period (${choice}): set RETENTION_MONTHS for the others; "dossier retention plan" lists all`
      : `applications are kept for ${standard} months by default, ${choice}`
  return { what: 'retention', isFine: true, says }
}

async function checkDemo({ demo }: Services): Promise<Finding> {
  const state = await demo.state()
  const says =
    state === 'loaded' || state === 'outdated' || state === 'unfinished'
      ? 'this database contains the demo world; "dossier demo remove" empties it'
      : 'no demo world, no published credentials'
  return { what: 'demo', isFine: true, says }
}
