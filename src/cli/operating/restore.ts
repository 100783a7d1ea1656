import type { Command } from 'commander'
import { BackupRefused } from '../../backup/faults.ts'
import type { RestoreReport } from '../../backup/restore-service.ts'
import { findSets } from '../../backup/sets-service.ts'
import { actAs } from '../../core/async/acting.ts'
import { systemClock } from '../../core/clock.ts'
import {
  asCommand,
  CommandError,
  type Context,
  commandLog,
  configOf,
  exitCodes,
} from '../terminal/context.ts'
import { counted } from '../terminal/progress.ts'
import { atPlace, chooseSet, files } from './backup.ts'

interface Options {
  from?: string
  set: string
  replace?: boolean
  /** A release, or true for the newest copy. */
  beforeUpgrade?: string | true
}

export function addRestore(program: Command, context: Context): void {
  program
    .command('restore')
    .description(
      'Restore the database and its files from a backup, into SQLite or PostgreSQL, whichever it was made from. Stop the service first.',
    )
    .option('--from <place>', 'a folder, or s3://bucket/prefix (default: BACKUP_URL)')
    .option('--set <name>', 'which set: see "dossier backup list"', 'latest')
    .option('--replace', 'replace a database that has data; it is kept under another name')
    .option(
      '--before-upgrade [release]',
      'SQLite: put the copy back that was made before the upgrade to this release (default: the newest copy)',
    )
    .action((options: Options) =>
      options.beforeUpgrade === undefined ? restore(context, options) : goBack(context, options),
    )
}

async function goBack(context: Context, { beforeUpgrade, from, replace }: Options): Promise<void> {
  if (from !== undefined || replace)
    throw new CommandError('--before-upgrade takes no other option.', exitCodes.usage)
  const { restoreBeforeUpgrade } = await import('../../assembly/restore.ts')
  const release = beforeUpgrade === true ? undefined : beforeUpgrade
  const { copy, madeAt, keptAs } = await restoreBeforeUpgrade(configOf(context), release).catch(error => {
    throw error instanceof BackupRefused ? new CommandError(error.message) : error
  })
  const kept = keptAs === undefined ? '' : `The replaced database is ${keptAs}. Delete it once all is well.\n`
  context.print(
    `Put back ${copy}, made ${new Date(madeAt).toISOString()}; what was stored since is lost.
${kept}Start the release that ran before. Its start skips IDs and ends what may have been ended since; "dossier restored --list" then prints what to look at.\n`,
  )
}

async function restore(context: Context, options: Options): Promise<void> {
  const config = configOf(context)
  const { openRestore } = await import('../../assembly/restore.ts')
  const report = await atPlace(context, config, options.from, async (place, work) => {
    const found = chooseSet(await findSets(place), options.set)
    const restoring = await openRestore(config, commandLog(context))
    try {
      const chosen = { place, found, isReplacing: options.replace === true, ...work }
      return await actAs(asCommand(context, { clock: systemClock }), () => restoring.run(chosen))
    } finally {
      restoring.close()
    }
  })
  context.print(textOf(report))
}

function textOf({ manifest, copied, missing, keptAs, advice }: RestoreReport): string {
  const applications = counted(manifest.tables['applications'] ?? 0)
  const lines = [
    `Restored ${manifest.set}: ${applications} applications and ${files(manifest.files.count)}, of which ${counted(copied)} were copied.`,
    ...(keptAs === undefined
      ? []
      : [`The replaced database is ${keptAs}. Delete it once the restored one works.`]),
    ...(missing.length === 0
      ? []
      : [
          `${files(missing.length)} could not be restored, including ${missing[0]}: "dossier doctor" counts them.`,
        ]),
    ...advice,
  ]
  return lines.map(line => `${line}\n`).join('')
}
