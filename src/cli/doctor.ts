import type { Command } from 'commander'
import { openServices, type Services } from '../app.ts'
import { type Config, SettingError } from '../config.ts'
import { reasonOf } from '../core/reason.ts'
import { CommandError, type Context, commandLog, configOf } from './context.ts'

interface Finding {
  what: string
  isFine: boolean
  /** What was found; for what is wrong, also how to mend it. */
  says: string
}

export function addDoctor(program: Command, context: Context): void {
  program
    .command('doctor')
    .description('Check settings, database and files; says what is wrong and how to mend it.')
    .option('--deep', 'read every file and compare it with its hash')
    .option('--json', 'print JSON')
    .action((options: { deep?: boolean; json?: boolean }) => examine(context, options))
}

async function examine(context: Context, options: { deep?: boolean; json?: boolean }): Promise<void> {
  // A wrong setting ends here, with the line that names it.
  const config = configOf(context)
  const findings: Finding[] = [{ what: 'settings', isFine: true, says: describeSettings(config) }]
  try {
    const services = await openServices(config, commandLog(context))
    try {
      const { state } = await services.schema.state()
      findings.push(await checkDatabase(services), await checkBlobStore(services, config))
      const { replica } = services.database
      if (replica !== undefined) findings.push(await checkReplica(replica))
      if (services.scanner !== undefined) findings.push(await checkScanner(services.scanner))
      if (state === 'current')
        findings.push(await checkBlobs(services, config, options.deep === true), await checkDemo(services))
    } finally {
      await services.close()
    }
  } catch (error) {
    // Settings that do not go together; that the folder cannot be used is a finding.
    if (error instanceof SettingError && error.setting !== 'DATA_DIR') throw error
    findings.push(unreachable(config, error))
  }
  context.print(
    options.json
      ? `${JSON.stringify(findings, null, 2)}\n`
      : findings
          .map(({ what, isFine, says }) => `${isFine ? 'ok   ' : 'WRONG'}  ${what.padEnd(9)} ${says}\n`)
          .join(''),
  )
  const wrong = findings.filter(finding => !finding.isFine).length
  if (wrong > 0) throw new CommandError(`${wrong} of ${findings.length} checks failed.`)
}

function describeSettings(config: Config): string {
  const database = config.DATABASE_URL === undefined ? `SQLite in ${config.DATA_DIR}` : 'PostgreSQL'
  const scanner =
    config.CLAMD_URL === undefined ? 'no scanner' : `scanner set, unjudged files: ${config.UNSCANNED}`
  const files = config.BLOBS_URL === undefined ? [] : [`files in the S3 bucket "${config.BLOBS_URL.bucket}"`]
  return [database, ...files, scanner].join(', ')
}

function unreachable(config: Config, error: unknown): Finding {
  const reason = reasonOf(error)
  const mend =
    config.DATABASE_URL === undefined
      ? `see that ${config.DATA_DIR} can be written by this user and is on a disk with room`
      : 'see that DATABASE_URL is right and that the server takes connections'
  return { what: 'database', isFine: false, says: `cannot be opened (${reason}): ${mend}` }
}

async function checkDatabase(services: Services): Promise<Finding> {
  const what = 'database'
  const schema = await services.schema.state()
  switch (schema.state) {
    case 'current':
      return { what, isFine: true, says: `${services.database.dialect}, the schema is current` }
    case 'older':
      if (services.database.dialect === 'sqlite') {
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

async function checkReplica(replica: NonNullable<Services['database']['replica']>): Promise<Finding> {
  const what = 'replica'
  try {
    const { bytes, seconds } = await replica.lag()
    const says =
      bytes === 0
        ? 'has everything that the primary has'
        : `is ${bytes} bytes and ${seconds.toFixed(1)} seconds behind`
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

async function checkBlobStore({ blobs }: Services, config: Config): Promise<Finding> {
  const isFolder = config.BLOBS_URL === undefined
  const what = isFolder ? 'folder' : 'S3'
  try {
    await blobs.prove()
    return { what, isFine: true, says: `files can be ${isFolder ? 'written' : 'stored, read and removed'}` }
  } catch (error) {
    const mend = isFolder ? `: let this user write to ${config.DATA_DIR}/blobs` : ''
    return { what, isFine: false, says: `files cannot be written (${reasonOf(error)})${mend}` }
  }
}

async function checkBlobs(services: Services, config: Config, isDeep: boolean): Promise<Finding> {
  const place = config.BLOBS_URL === undefined ? 'DATA_DIR/blobs' : 'the bucket of BLOBS_URL'
  const { checked, damaged } = await services.examineFiles(isDeep)
  const [example] = damaged
  return example === undefined
    ? {
        what: 'files',
        isFine: true,
        says: `${checked} ${isDeep ? 'read and equal to their hashes' : 'present'}`,
      }
    : {
        what: 'files',
        isFine: false,
        says: `${damaged.length} of ${checked} are missing or damaged, ${example} among them: restore them from a backup into ${place}`,
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
