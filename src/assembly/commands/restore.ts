import { BackupRefused } from '../../platform/backup/faults.ts'
import type { RestoreReport } from '../../platform/backup/restore-service.ts'
import { findSets } from '../../platform/backup/sets-service.ts'
import { defaultOption, flag, option } from '../../platform/cli/arguments.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { counted } from '../../platform/cli/progress.ts'
import { withAuditContext } from '../../platform/core/async/audit-context.ts'
import { systemClock } from '../../platform/core/clock.ts'
import { asCommand, type Context, commandLog, configOf } from '../process/context.ts'
import { atPlace, chooseSet, files } from './backup.ts'
import { plainCommand } from './command.ts'

interface Options {
  from: string | undefined
  set: string
  replace: boolean
  /** A release, or true for the newest copy. */
  beforeUpgrade: string | true | undefined
}

export const restore = plainCommand({
  about:
    'Restore the database and its files from a backup, into SQLite or PostgreSQL, whichever it was made from. Stop the service first.',
  options: {
    from: option('<place>', 'a folder, or s3://bucket/prefix (default: BACKUP_URL)'),
    set: defaultOption('<name>', 'which set: see "dossier backup list"', 'latest'),
    replace: flag('replace a database that has data; it is kept under another name'),
    beforeUpgrade: option<(text: string) => string | true>(
      '[release]',
      'SQLite: put the copy back that was made before the upgrade to this release (default: the newest copy)',
    ),
  },
  run: (context, options) =>
    options.beforeUpgrade === undefined ? restoreSet(context, options) : goBack(context, options),
})

async function goBack(context: Context, { beforeUpgrade, from, replace }: Options): Promise<void> {
  if (from !== undefined || replace)
    throw new CommandError('--before-upgrade takes no other option.', exitCodes.usage)
  const { restoreBeforeUpgrade } = await import('../restore.ts')
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

async function restoreSet(context: Context, options: Options): Promise<void> {
  const config = configOf(context)
  const { openRestore } = await import('../restore.ts')
  const report = await atPlace(context, config, options.from, async (place, work) => {
    const found = chooseSet(await findSets(place), options.set)
    const restoring = await openRestore(config, commandLog(context))
    try {
      const chosen = { place, found, isReplacing: options.replace, ...work }
      return await withAuditContext(asCommand(context, systemClock), () => restoring.run(chosen))
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
