import type { Command } from 'commander'
import { CommandError, type Context, commandLog, configOf, exitCodes } from '../terminal/context.ts'

export function addMigrate(program: Command, context: Context): void {
  program
    .command('migrate')
    .description(
      'Migrate the database to the newest schema. Needed on PostgreSQL; SQLite is migrated at start.',
    )
    .action(() => migrate(context))
}

async function migrate(context: Context): Promise<void> {
  const { openServices } = await import('../../app.ts')
  const services = await openServices(configOf(context), commandLog(context))
  try {
    const { state } = await services.schema.state()
    if (state === 'newer') {
      throw new CommandError(
        'The schema of the database is newer than this version of Dossier. Run a newer version.',
        exitCodes.cannotStart,
      )
    }
    const names = await services.schema.migrate()
    context.print(names.length === 0 ? 'Nothing to do.\n' : names.map(name => `Done: ${name}\n`).join(''))
  } finally {
    await services.close()
  }
}
