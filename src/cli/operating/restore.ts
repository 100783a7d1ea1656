import type { Command } from 'commander'
import type { RestoreReport } from '../../backup/restore-service.ts'
import { findSets } from '../../backup/sets-service.ts'
import { type Context, commandLog, configOf } from '../terminal/context.ts'
import { counted } from '../terminal/progress.ts'
import { atPlace, chooseSet, files } from './backup.ts'

interface Options {
  from?: string
  set: string
  replace?: boolean
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
    .action((options: Options) => restore(context, options))
}

async function restore(context: Context, options: Options): Promise<void> {
  const config = configOf(context)
  const { openRestore } = await import('../../assembly/restore.ts')
  const report = await atPlace(context, config, options.from, async (place, work) => {
    const found = chooseSet(await findSets(place), options.set)
    const restoring = await openRestore(config, commandLog(context))
    try {
      return await restoring.run({ place, found, isReplacing: options.replace === true, ...work })
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
