import type { Command } from 'commander'
import type { BackupReport } from '../../backup/backup-service.ts'
import { BackupRefused } from '../../backup/faults.ts'
import type { OnProgress, Phase, Place } from '../../backup/ports.ts'
import { type FoundSet, findSets, verifySet } from '../../backup/sets-service.ts'
import { type BackupAddress, type Config, readBackupPlace } from '../../config.ts'
import { systemClock } from '../../core/clock.ts'
import { reasonOf } from '../../core/reason.ts'
import { CommandError, type Context, configOf, exitCodes, withServices } from '../terminal/context.ts'
import { counted, createProgress } from '../terminal/progress.ts'
import { formatList } from '../terminal/table.ts'

export function addBackup(program: Command, context: Context): void {
  const backup = program
    .command('backup')
    .description(
      'Copy the database and its files to a place while the service runs, and verify the copy. Files that are there already are not copied again.',
    )
    .option('--to <place>', 'a folder, or s3://bucket/prefix (default: BACKUP_URL)')
    .option('--json', 'print the result as JSON')
    .action((options: { to?: string; json?: boolean }) => make(context, options))
  backup
    .command('list')
    .description('List the sets in a place.')
    .option('--from <place>', 'a folder, or s3://bucket/prefix (default: BACKUP_URL)')
    .action((_, command: Command) => list(context, command.optsWithGlobals()))
  backup
    .command('verify [set]')
    .description('Check that a set can be restored (default: all sets in the place).')
    .option('--from <place>', 'a folder, or s3://bucket/prefix (default: BACKUP_URL)')
    .option('--deep', 'unpack the database and check it, and compare every file with its hash')
    .action((set: string | undefined, _, command: Command) => verify(context, set, command.optsWithGlobals()))
}

async function make(context: Context, options: { to?: string; json?: boolean }): Promise<void> {
  const lost: string[] = []
  const report = await withServices(context, ({ backups }, config) =>
    atPlace(context, config, options.to, (place, work) =>
      backups.run({ place, keep: config.limits.backupKeep, onLost: blob => void lost.push(blob), ...work }),
    ),
  )
  context.print(options.json ? `${JSON.stringify(report, null, 2)}\n` : textOf(report))
  if (lost.length > 0)
    throw new CommandError(
      `The set is complete except for ${files(lost.length)} that the store does not have as they were stored, including ${lost[0]}: see "dossier doctor --deep".`,
    )
}

async function list(context: Context, options: { from?: string; json?: boolean }): Promise<void> {
  const sets = await atPlace(context, configOf(context), options.from, findSets)
  const whenEmpty = 'There are no sets. "dossier backup" makes one.'
  context.print(formatList(sets.map(rowOf), { json: options.json === true, whenEmpty }))
}

async function verify(
  context: Context,
  set: string | undefined,
  options: { from?: string; deep?: boolean },
): Promise<void> {
  const config = configOf(context)
  const { openSnapshots } = await import('../../assembly/backup.ts')
  const snapshots = openSnapshots(config)
  const isDeep = options.deep === true
  const wrong = await atPlace(context, config, options.from, async (place, work) => {
    const sets = await findSets(place)
    const chosen = set === undefined ? sets.filter(isFinished) : [chooseSet(sets, set)]
    if (chosen.length === 0) throw new CommandError('There are no sets.', exitCodes.notFound)
    const results: string[] = []
    for (const found of chosen) {
      const faults = await verifySet(place, found, { snapshots, isDeep, ...work })
      work.say(
        `${faults.length === 0 ? 'ok   ' : 'WRONG'}  ${found.set}${faults.map(fault => `\n       ${fault}`).join('')}`,
      )
      if (faults.length > 0) results.push(found.set)
    }
    return results
  })
  if (wrong.length > 0)
    throw new CommandError(`${wrong.length === 1 ? '1 set' : `${wrong.length} sets`} cannot be relied on.`)
}

const isFinished = ({ manifest, fault }: FoundSet) => manifest !== undefined || fault !== undefined

/** The named set, or the newest that is finished. */
export function chooseSet(sets: readonly FoundSet[], name: string): FoundSet {
  const found =
    name === 'latest'
      ? sets.findLast(({ manifest }) => manifest !== undefined)
      : sets.find(({ set }) => set === name)
  if (found === undefined)
    throw new CommandError(
      name === 'latest' ? 'There are no sets.' : `There is no set ${name}: "dossier backup list" shows them.`,
      exitCodes.notFound,
    )
  return found
}

interface Work {
  signal: AbortSignal
  onProgress: OnProgress
  /** Prints a permanent line. */
  say(line: string): void
}

/** Opens the place, shows progress, and ends the work on SIGTERM or SIGINT. */
export async function atPlace<T>(
  context: Context,
  config: Config,
  option: string | undefined,
  use: (place: Place, work: Work) => Promise<T>,
): Promise<T> {
  const { openBackupPlace } = await import('../../assembly/backup.ts')
  const place = await openBackupPlace(config, addressOf(config, option))
  const stop = new AbortController()
  const bar = createProgress(context, systemClock)
  void context.untilStopRequested().then(signal => stop.abort(new CommandError(`Stopped by ${signal}.`)))
  try {
    const say = (line: string) => {
      bar.end()
      context.print(`${line}\n`)
    }
    return await use(place, { signal: stop.signal, onProgress: progressOn(bar), say })
  } catch (error) {
    throw error instanceof BackupRefused ? new CommandError(error.message) : inWords(error, place)
  } finally {
    bar.end()
    place.close()
  }
}

function addressOf({ BACKUP_URL }: Config, option: string | undefined): BackupAddress {
  if (option === undefined) {
    if (BACKUP_URL !== undefined) return BACKUP_URL
    throw new CommandError('Name the place with --to or --from, or set BACKUP_URL.', exitCodes.usage)
  }
  try {
    return readBackupPlace(option)
  } catch (error) {
    throw new CommandError(`${option || 'The place'} ${reasonOf(error)}.`, exitCodes.usage)
  }
}

/** Errors of the system and of S3 are not ours, and need no stack. */
function inWords(error: unknown, place: Place): unknown {
  const isOfPlace = /^(S3Fault|NotAsDescribed)$/.test((error as Error).name) || 'code' in (error as Error)
  return isOfPlace && !(error instanceof CommandError)
    ? new CommandError(`The work in ${place.name} failed: ${reasonOf(error)}.`)
    : error
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1e6)
const labels: Record<Phase, string> = {
  copying: 'megabytes of the database copied',
  reading: 'rows read',
  packing: 'megabytes of the database compressed and compared',
  files: 'files done',
  writing: 'megabytes of the database written',
  verifying: 'megabytes of the database verified',
  unpacking: 'megabytes of the database unpacked',
  loading: 'rows written',
}
const inRows: Phase[] = ['reading', 'loading', 'files']

const progressOn =
  (bar: ReturnType<typeof createProgress>): OnProgress =>
  (phase, done, total) => {
    if (inRows.includes(phase)) bar.show(labels[phase], done, total)
    else bar.show(labels[phase], megabytes(done), megabytes(total))
  }

export const files = (count: number) => (count === 1 ? '1 file' : `${counted(count)} files`)

function textOf({ manifest, copied, pruned }: BackupReport): string {
  const { set, database, files: all, tables } = manifest
  const old = pruned.sets === 0 ? '' : ` ${counted(pruned.sets)} old removed, with ${files(pruned.files)}.`
  const left =
    pruned.left.length === 0
      ? ''
      : ` Files of ${pruned.left.join(', ')} could not be removed; the next backup tries again.`
  return `${set}: ${counted(tables['applications'] ?? 0)} applications and ${files(all.count)}, verified.
${counted(megabytes(database.packed.size))} megabytes of database, ${files(copied.files)} copied with ${counted(megabytes(copied.bytes))} megabytes.${old}${left}\n`
}

function rowOf({ set, manifest, fault }: FoundSet) {
  return {
    set,
    state:
      manifest === undefined
        ? (fault ?? 'not finished')
        : manifest.files.lost > 0
          ? 'files lost'
          : 'complete',
    version: manifest?.version ?? null,
    engine: manifest?.engine ?? null,
    applications: manifest?.tables['applications'] ?? null,
    files: manifest?.files.count ?? null,
    megabytes:
      manifest === undefined ? null : megabytes(manifest.database.packed.size + manifest.files.bytes),
  }
}
