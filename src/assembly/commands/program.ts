import { Command, CommanderError } from 'commander'
import packageFile from '../../../package.json' with { type: 'json' }
import { importCommand } from '../../apply/import/import-command.ts'
import { application } from '../../collect/erasure/application-command.ts'
import { retention } from '../../collect/retention/retention-command.ts'
import { counts } from '../../collect/search/counts-command.ts'
import { credential } from '../../companies/credential-command.ts'
import { demo } from '../../demo/demo-command.ts'
import { events } from '../../events/feed/events-command.ts'
import { webhook } from '../../events/webhooks/webhook-command.ts'
import { job } from '../../jobs/job-command.ts'
import { describeError } from '../../logging.ts'
import { operator } from '../../operator/access/operator-command.ts'
import { audit } from '../../operator/audit/audit-command.ts'
import { advertiser } from '../../operator/companies/advertiser-command.ts'
import { agent } from '../../operator/companies/agent-command.ts'
import { person } from '../../operator/lookup/person-command.ts'
import { mail } from '../../operator/mail/mail-command.ts'
import { ids, restored } from '../../operator/restored/restored-command.ts'
import { clock } from '../../operator/work/clock-command.ts'
import { addCommands, type CommandContext } from '../../platform/cli/command.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { Problem } from '../../platform/core/problems.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import { SettingError } from '../../settings.ts'
import { client } from '../../share/clients/client-command.ts'
import { type Context, withApp } from '../process/context.ts'
import { backup } from './backup.ts'
import { blobs } from './blobs.ts'
import { doctor } from './doctor.ts'
import { health } from './health.ts'
import { migrate } from './migrate.ts'
import { perform } from './perform.ts'
import { restore } from './restore.ts'
import { serve } from './serve.ts'
import { support } from './support.ts'
import { upgrade } from './upgrade.ts'
import { work } from './work.ts'

/** All commands, in the order of the help. */
const commands = {
  serve,
  work,
  migrate,
  upgrade,
  doctor,
  health,
  support,
  operator,
  advertiser,
  credential,
  agent,
  client,
  job,
  application,
  person,
  webhook,
  mail,
  retention,
  audit,
  events,
  ids,
  restored,
  counts,
  clock,
  import: importCommand,
  blobs,
  backup,
  restore,
  demo,
  perform,
}

export function createProgram(context: Context): Command {
  const program = new Command('dossier')
    .description('The apply layer of a job board.')
    .version(packageFile.version, '--version', 'print the version')
    .exitOverride()
    // Also applies beside long command names, so that no line is wider than 80 columns.
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({ writeOut: context.print, writeErr: context.complain })
    .showHelpAfterError('(use --help for details)')
    .helpCommand('help [command]', 'Show help for a command.')
    .addHelpText(
      'after',
      '\nSettings come from the environment; docs/reference/settings.md lists them.\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 cannot start.',
    )
  addCommands<Context & CommandContext>(program, commands, {
    ...context,
    withModules: use => withApp(context, use),
  })
  return program
}

/** Runs one command and returns the exit code. */
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
    // Empty if a worker has already printed it.
    if (error.message !== '') complain(`dossier: ${error.message}\n`)
    return error.exitCode
  }
  if (error instanceof Problem) {
    const cause = error.cause instanceof Error ? ` (${reasonOf(error.cause)})` : ''
    complain(`dossier: ${error.detail}${cause}\n`)
    return error.code === 'not-found' ? exitCodes.notFound : exitCodes.failed
  }
  const { message, code, stack } = describeError(error)
  if ((error as Error).name === 'KeyFileFault') {
    complain(`dossier: ${message}\n`)
    return exitCodes.cannotStart
  }
  // Errors of the system or the database have a code and need no stack; any other error is our bug.
  complain(`dossier: ${code === undefined ? stack : `${message} (${code}); "dossier doctor" may help`}\n`)
  return exitCodes.failed
}
