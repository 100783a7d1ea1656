import { Command, CommanderError } from 'commander'
import packageFile from '../../package.json' with { type: 'json' }
import { SettingError } from '../config.ts'
import { Problem } from '../core/problems.ts'
import { reasonOf } from '../core/reason.ts'
import { describeError } from '../logging.ts'
import { addAdvertiser } from './commands/advertiser.ts'
import { addAgent } from './commands/agent.ts'
import { addApplication } from './commands/application.ts'

import { addBlobs } from './commands/blobs.ts'
import { addClient } from './commands/client.ts'
import { addClock } from './commands/clock.ts'
import { addCounts } from './commands/counts.ts'
import { addCredential } from './commands/credential.ts'
import { addDemo } from './commands/demo.ts'
import { addDoctor } from './commands/doctor.ts'
import { addEvents } from './commands/events.ts'
import { addImport } from './commands/import.ts'
import { addMail } from './commands/mail.ts'
import { addMigrate } from './commands/migrate.ts'
import { addPerform } from './commands/perform.ts'
import { addIds, addRestored } from './commands/restored.ts'
import { addRetention } from './commands/retention.ts'
import { addServe } from './commands/serve.ts'
import { addWebhook } from './commands/webhook.ts'
import { addWork } from './commands/work.ts'
import { addAudit } from './operating/audit.ts'
import { addBackup } from './operating/backup.ts'
import { addHealth } from './operating/health.ts'
import { addOperator } from './operating/operator.ts'
import { addPerson } from './operating/person.ts'
import { addRestore } from './operating/restore.ts'
import { addSupport } from './operating/support.ts'
import { addUpgrade } from './operating/upgrade.ts'
import { CommandError, type Context, exitCodes } from './terminal/context.ts'

/** Every command. */
export function createProgram(context: Context): Command {
  const program = new Command('dossier')
    .description('The apply layer of a job board.')
    .version(packageFile.version, '--version', 'print the version')
    .exitOverride()
    // Also beside long names of commands, so that no line is wider than 80 columns.
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({ writeOut: context.print, writeErr: context.complain })
    .showHelpAfterError('(use --help for details)')
    .helpCommand('help [command]', 'Show help for a command.')
    .addHelpText(
      'after',
      '\nSettings come from the environment; docs/reference/settings.md lists them.\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 cannot start.',
    )
  for (const add of [
    addServe,
    addWork,
    addMigrate,
    addUpgrade,
    addDoctor,
    addHealth,
    addSupport,
    addOperator,
    addAdvertiser,
    addCredential,
    addAgent,
    addClient,
    addApplication,
    addPerson,
    addWebhook,
    addMail,
    addRetention,
    addAudit,
    addEvents,
    addIds,
    addRestored,
    addCounts,
    addClock,
    addImport,
    addBlobs,
    addBackup,
    addRestore,
    addDemo,
    addPerform,
  ]) {
    add(program, context)
  }
  return program
}

/** Runs one command; the result is the exit code. */
export async function run(args: readonly string[], context: Context): Promise<number> {
  try {
    await createProgram(context).parseAsync(args, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    return report(error, context)
  }
}

function report(error: unknown, { complain }: Context): number {
  // Commander has printed its own message, and --help ends as an "error" with code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  if (error instanceof SettingError) {
    complain(`dossier: wrong setting ${error.message}\n`)
    return exitCodes.cannotStart
  }
  if (error instanceof CommandError) {
    // Empty if a worker has printed it already.
    if (error.message !== '') complain(`dossier: ${error.message}\n`)
    return error.exitCode
  }
  if (error instanceof Problem) {
    const cause = error.cause instanceof Error ? ` (${reasonOf(error.cause)})` : ''
    complain(`dossier: ${error.detail}${cause}\n`)
    return error.code === 'not-found' ? exitCodes.notFound : exitCodes.failed
  }
  const { message, code, stack } = describeError(error)
  // Errors of the system or the database have a code and need no stack; any other error is a bug of ours.
  complain(`dossier: ${code === undefined ? stack : `${message} (${code}); "dossier doctor" may help`}\n`)
  return exitCodes.failed
}
