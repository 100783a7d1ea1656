import type { Command } from 'commander'
import { openServices, type Services } from '../../app.ts'
import { exposedFiles } from '../../assembly/adapters.ts'
import { type Config, SettingError } from '../../config.ts'
import { addressMatcher } from '../../core/addresses/trusted-addresses.ts'
import { aheadOrBehind } from '../../core/clock.ts'
import { reasonOf } from '../../core/reason.ts'
import { describeFutureDates } from '../process/clock-check.ts'
import { CommandError, type Context, commandLog, configOf } from '../terminal/context.ts'

interface Finding {
  what: string
  isFine: boolean
  /** What was found; for what is wrong, also how to fix it. */
  says: string
}

export function addDoctor(program: Command, context: Context): void {
  program
    .command('doctor')
    .description('Check settings, database, disk and files; says what is wrong and how to fix it.')
    .option(
      '--deep',
      'read every file and compare it with its hash; on SQLite also check indexes and foreign keys',
    )
    .option('--json', 'print JSON')
    .action((options: { deep?: boolean; json?: boolean }) => examine(context, options))
}

async function examine(context: Context, options: { deep?: boolean; json?: boolean }): Promise<void> {
  // A wrong setting ends here, with the line that names it.
  const config = configOf(context)
  const findings: Finding[] = []
  /** As soon as it is known: the next one may take a while. */
  const tell = (finding: Finding) => {
    findings.push(finding)
    const { what, isFine, says } = finding
    if (!options.json) context.print(`${isFine ? 'ok   ' : 'WRONG'}  ${what.padEnd(9)} ${says}\n`)
  }
  tell({ what: 'settings', isFine: true, says: describeSettings(config) })
  const exposed = exposedFiles(config)
  if (exposed.length > 0) tell(exposure(exposed))
  try {
    const services = await openServices(config, commandLog(context))
    try {
      for await (const finding of findingsOf(services, config, options.deep === true)) tell(finding)
    } finally {
      await services.close()
    }
  } catch (error) {
    // Settings that do not go together; that the folder cannot be used is a finding.
    if (error instanceof SettingError && error.setting !== 'DATA_DIR') throw error
    tell(unreachable(error))
  }
  if (options.json) context.print(`${JSON.stringify(findings, null, 2)}\n`)
  const wrong = findings.filter(finding => !finding.isFine).length
  if (wrong > 0) throw new CommandError(`${wrong} of ${findings.length} checks failed.`)
}

async function* findingsOf(services: Services, config: Config, isDeep: boolean): AsyncGenerator<Finding> {
  const { database, moving, ownership, scanner } = services
  const damage = await database.examine?.(isDeep)
  if (damage !== undefined) {
    yield { what: 'database', isFine: false, says: damage }
    return
  }
  const isCurrent = (await services.schema.state()).state === 'current'
  yield await checkDatabase(services, isDeep)
  yield await checkDisk(services, config)
  yield await checkBlobStore(services, config, isCurrent)
  if (moving !== undefined && ownership.places.length > 1) yield await checkMoving(moving)
  const clock = await checkClock(services, config, isCurrent)
  if (clock !== undefined) yield clock
  if (database.replica !== undefined) yield await checkReplica(database.replica)
  const proxy = checkProxy(services, config)
  if (proxy !== undefined) yield proxy
  if (scanner !== undefined) yield await checkScanner(scanner)
  if (!isCurrent) return
  yield await checkBlobs(services, config, isDeep)
  yield await checkDemo(services)
}

function describeSettings(config: Config): string {
  const database = config.DATABASE_URL === undefined ? `SQLite in ${config.DATA_DIR}` : 'PostgreSQL'
  const scanner =
    config.CLAMD_URL === undefined ? 'no scanner' : `scanner set, unjudged files: ${config.UNSCANNED}`
  const files = config.BLOBS_URL === undefined ? [] : [`files in the S3 bucket "${config.BLOBS_URL.bucket}"`]
  return [database, ...files, scanner].join(', ')
}

function unreachable(error: unknown): Finding {
  const says =
    error instanceof SettingError
      ? error.message
      : `cannot be asked (${reasonOf(error)}): see that DATABASE_URL is right and that the server takes connections`
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
        return { what, isFine: true, says: 'sqlite, will be brought up to date at the next start' }
      }
      return {
        what,
        isFine: false,
        says: `lacks migrations (${schema.missing.join(', ')}): run "dossier migrate"`,
      }
    case 'newer':
      return {
        what,
        isFine: false,
        says: `has migrations of a newer version (${schema.unknown.join(', ')}): run that version`,
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
  `is new and empty, but ${place} holds files: check that DATA_DIR is right and that its disk is mounted. If dossier.db is lost, restore a backup as docs/operating/running.md says`

async function checkDisk({ disk }: Services, { DATA_DIR, limits }: Config): Promise<Finding> {
  const what = 'disk'
  try {
    const { freeBytes, isLow } = await disk.look()
    const free = `${Math.floor(freeBytes / 1024 / 1024)} MB are free on the disk of ${DATA_DIR}`
    return isLow
      ? { what, isFine: false, says: `${free}, fewer than ${limits.diskLeastMb} (DISK_LEAST_MB): make room` }
      : { what, isFine: true, says: free }
  } catch (error) {
    return { what, isFine: false, says: `cannot be looked at (${reasonOf(error)})` }
  }
}

function exposure(files: readonly string[]): Finding {
  const says = `other users of this machine could read ${files.join(', ')}; now only the owner can. If this comes again, run "chmod 600" on them as their owner`
  return { what: 'modes', isFine: false, says }
}

/** None unless the service has noticed one that TRUSTED_PROXIES still lacks. */
function checkProxy({ proxyMark }: Services, { TRUSTED_PROXIES }: Config): Finding | undefined {
  const address = proxyMark.read()
  if (address === undefined || addressMatcher(TRUSTED_PROXIES)(address)) return undefined
  const says = `${address} sends X-Forwarded-For and the like, which are ignored: behind a proxy? Set TRUSTED_PROXIES to its address and restart. If it is no proxy of yours, delete ${proxyMark.path}`
  return { what: 'proxy', isFine: false, says }
}

/** None where there is no other clock, and nothing that came while it was wrong. */
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
        ? 'has everything that the primary has'
        : `is ${bytes} bytes and at most ${seconds.toFixed(1)} seconds behind`
    return { what, isFine: true, says }
  } catch (error) {
    const says = `does not answer lists and downloads (${reasonOf(error)}), the primary does: see that DATABASE_REPLICA_URL is a streaming replica of DATABASE_URL and takes connections`
    return { what, isFine: false, says }
  }
}

async function checkScanner(scanner: NonNullable<Services['scanner']>): Promise<Finding> {
  const what = 'scanner'
  try {
    await scanner.prove()
    return { what, isFine: true, says: 'clamd finds the test virus, and says what it does not look at' }
  } catch (error) {
    return { what, isFine: false, says: (error as Error).message }
  }
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
    const mend = isFolder ? `: let this user write to ${config.DATA_DIR}/blobs` : ''
    return { what, isFine: false, says: `files cannot be written (${reasonOf(error)})${mend}` }
  }
}

/** With S3, while the folder is there. */
async function checkMoving({ left }: NonNullable<Services['moving']>): Promise<Finding> {
  const what = 'folder'
  try {
    const count = await left()
    const says =
      count === 0
        ? 'DATA_DIR/blobs holds no files any more, and can go'
        : `DATA_DIR/blobs still holds ${count === 1 ? '1 file' : `${count} files`}: "dossier blobs move" brings them to S3`
    return { what, isFine: true, says }
  } catch (error) {
    const says = `DATA_DIR/blobs cannot be read (${reasonOf(error)}): let this user read it, or remove it when all files are in S3`
    return { what, isFine: false, says }
  }
}

async function checkBlobs(services: Services, config: Config, isDeep: boolean): Promise<Finding> {
  const place =
    config.BLOBS_URL === undefined
      ? 'DATA_DIR/blobs'
      : services.ownership.places.length === 1
        ? 'the bucket of BLOBS_URL'
        : 'DATA_DIR/blobs, which is read first; a damaged one there that S3 has whole goes with "dossier blobs move"'
  const what = 'files'
  try {
    await services.blobs.check()
    const { checked, damaged } = await services.examineFiles(isDeep)
    const [example] = damaged
    if (example === undefined)
      return {
        what,
        isFine: true,
        says: `${checked} ${isDeep ? 'read and equal to their hashes' : 'present'}`,
      }
    const says = `${damaged.length} of ${checked} are missing or damaged, ${example} among them: restore them from a backup into ${place}`
    return { what, isFine: false, says }
  } catch (error) {
    return { what, isFine: false, says: `cannot all be looked at (${reasonOf(error)})` }
  }
}

async function checkDemo({ demo }: Services): Promise<Finding> {
  const state = await demo.state()
  const says =
    state === 'loaded' || state === 'outdated' || state === 'unfinished'
      ? 'this database holds the demo world; "dossier demo remove" empties it'
      : 'no demo world, no published credentials'
  return { what: 'demo', isFine: true, says }
}
