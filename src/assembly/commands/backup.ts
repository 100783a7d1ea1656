import type { BackupReport } from '../../platform/backup/backup-service.ts'
import { BackupRefused } from '../../platform/backup/faults.ts'
import type { OnProgress, Phase, Place } from '../../platform/backup/ports.ts'
import { findSets, type RepositorySet, verifySet } from '../../platform/backup/sets-service.ts'
import { flag, inheritedFlag, option, optionalArgument } from '../../platform/cli/arguments.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { counted, createProgress } from '../../platform/cli/progress.ts'
import { systemClock } from '../../platform/core/clock.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import { type BackupAddress, type Config, readBackupPlace } from '../../settings.ts'
import { type Context, configOf, withApp } from '../process/context.ts'
import { plainCommand } from './command.ts'

const from = option('<place>', 'a folder, or s3://bucket/prefix (default: BACKUP_URL)')

export const backup = plainCommand({
  about:
    'Copy the database and its files to a place while the service runs, and verify the copy. Files that are there already are not copied again.',
  options: { to: from, json: flag('print the result as JSON') },
  async run(context, { to, json }) {
    const lost: string[] = []
    const report = await withApp(context, ({ backup, platform }) =>
      atPlace(
        context,
        platform.config,
        to,
        (place, work) =>
          backup.backups.run({
            place,
            keep: platform.config.limits.backupKeep,
            onLost: blob => void lost.push(blob),
            ...work,
          }),
        'write',
      ),
    )
    context.print(json ? `${JSON.stringify(report, null, 2)}\n` : textOf(report))
    if (lost.length > 0)
      throw new CommandError(
        `The set is complete except for ${files(lost.length)} that the store does not have as they were stored, including ${lost[0]}: see "dossier doctor --deep".`,
      )
  },
  commands: {
    list: plainCommand({
      about: 'List the sets in a place.',
      options: { from, json: inheritedFlag },
      run: (context, { from }) => atPlace(context, configOf(context), from, findSets),
      prints: {
        rows: sets => sets.map(rowOf),
        whenEmpty: 'There are no sets. "dossier backup" makes one.',
      },
    }),
    verify: plainCommand({
      about: 'Check that a set can be restored (default: all sets in the place).',
      takes: { set: optionalArgument('') },
      options: {
        from,
        deep: flag('unpack the database and check it, and compare every file with its hash'),
      },
      run: verify,
    }),
  },
})

async function verify(
  context: Context,
  { set, from, deep: isDeep }: { set: string | undefined; from: string | undefined; deep: boolean },
): Promise<void> {
  const config = configOf(context)
  const { openSnapshots } = await import('../backup.ts')
  const snapshots = openSnapshots(config)
  const wrong = await atPlace(context, config, from, async (place, work) => {
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

const isFinished = ({ manifest, fault }: RepositorySet) => manifest !== undefined || fault !== undefined

/** The named set, or the newest complete one. */
export function chooseSet(sets: readonly RepositorySet[], name: string): RepositorySet {
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

/** Opens the place, shows progress, and stops the work on SIGTERM or SIGINT. */
export async function atPlace<T>(
  context: Context,
  config: Config,
  option: string | undefined,
  use: (place: Place, work: Work) => Promise<T>,
  access: 'read' | 'write' = 'read',
): Promise<T> {
  const { openBackupPlace } = await import('../backup.ts')
  const place = await openBackupPlace(config, addressOf(config, option), access)
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

/** Errors of the system and of S3 are not our bugs, and need no stack. */
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
  return `${set}: ${counted(tables['applications'] ?? 0)} applications and ${files(all.count)}${manifest.keys === undefined ? '' : ', with its keys'}, verified.
${counted(megabytes(database.packed.size))} megabytes of database, ${files(copied.files)} copied with ${counted(megabytes(copied.bytes))} megabytes.${old}${left}\n`
}

function rowOf({ set, manifest, fault }: RepositorySet) {
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
