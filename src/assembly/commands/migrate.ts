import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { commandLog, configOf, describeWaiting } from '../process/context.ts'
import { plainCommand } from './command.ts'

export const migrate = plainCommand({
  about: 'Migrate the database to the newest schema. Needed on PostgreSQL; SQLite is migrated at start.',
  async run(context) {
    const { openApp } = await import('../app.ts')
    const app = await openApp(configOf(context), commandLog(context))
    try {
      const schema = await app.platform.schema.state()
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
      const { ran, waiting } = await app.platform.schema.migrate()
      context.print(ran.map(name => `Done: ${name}\n`).join(''))
      if (waiting !== undefined) throw new CommandError(describeWaiting(waiting))
      if (ran.length === 0) context.print('Nothing to do.\n')
    } finally {
      await app.close()
    }
  },
})
