import type { Command } from 'commander'
import { openServices, type Services } from '../app.ts'
import type { Config } from '../config.ts'
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
      findings.push(await checkDatabase(services), await checkBlobFolder(services, config))
      if (services.scanner !== undefined) findings.push(await checkScanner(services.scanner))
      if (state === 'current')
        findings.push(await checkBlobs(services, options.deep === true), await checkDemo(services))
    } finally {
      await services.close()
    }
  } catch (error) {
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
  return `${database}, ${scanner}`
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

async function checkScanner(scanner: NonNullable<Services['scanner']>): Promise<Finding> {
  const what = 'scanner'
  try {
    await scanner.prove()
    return { what, isFine: true, says: 'clamd finds the test virus, and says what it does not look at' }
  } catch (error) {
    return { what, isFine: false, says: (error as Error).message }
  }
}

async function checkBlobFolder({ blobs }: Services, config: Config): Promise<Finding> {
  try {
    await blobs.check()
    return { what: 'folder', isFine: true, says: 'files can be written' }
  } catch (error) {
    const reason = reasonOf(error)
    return {
      what: 'folder',
      isFine: false,
      says: `files cannot be written (${reason}): let this user write to ${config.DATA_DIR}/blobs`,
    }
  }
}

async function checkBlobs(services: Services, isDeep: boolean): Promise<Finding> {
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
        says: `${damaged.length} of ${checked} are missing or damaged, ${example} among them: restore them from a backup into DATA_DIR/blobs`,
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
