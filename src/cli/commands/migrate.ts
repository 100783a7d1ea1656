import type { Command } from 'commander'
import {
  CommandError,
  type Context,
  commandLog,
  configOf,
  describeWaiting,
  exitCodes,
} from '../terminal/context.ts'

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
    const schema = await services.schema.state()
    if (schema.state === 'newer') {
      if (schema.fits) {
        context.print('Nothing to do: the schema is that of a newer release, on which this one runs too.\n')
        return
      }
      throw new CommandError(
        'The schema of the database is newer than this version of Dossier. Run a newer version.',
        exitCodes.cannotStart,
      )
    }
    const { ran, waiting } = await services.schema.migrate()
    context.print(ran.map(name => `Done: ${name}\n`).join(''))
    if (waiting !== undefined) throw new CommandError(describeWaiting(waiting))
    if (ran.length === 0) context.print('Nothing to do.\n')
  } finally {
    await services.close()
  }
}
