import type { Logger } from 'pino'
import { openServices, type Services } from '../../app.ts'
import { type Config, type Environment, readConfig, SettingError } from '../../config.ts'
import { reasonOf } from '../../core/reason.ts'
import { createLog } from '../../logging.ts'
import type { StartWorker, Supervisor } from './worker-process.ts'

/** What a command has from the outside. Only main.ts knows the process. */
export interface Context {
  environment: Environment
  /** To standard output. */
  print(text: string): void
  /** To standard error. */
  complain(text: string): void
  /**
   * For a service, which goes on when standard output takes nothing: hears how many lines were lost, once it takes some
   * again. For all other commands that is a failure. Only where output can fail.
   */
  onLinesLost?(listener: (lines: number) => void): void
  /** Does somebody watch standard error? */
  isTerminal: boolean
  /**
   * From this call on, SIGTERM and SIGINT no longer end the process but resolve this. In a worker so does its
   * supervisor, by a word or by going away.
   */
  untilStopRequested(): Promise<string>
  /** From this call on, SIGHUP no longer ends the process but calls this. */
  onRestartRequested(listener: () => void): void
  /** For a supervisor: the way to start further processes of this command, which listen on the same port. */
  openWorkers(): Promise<StartWorker>
  /** Only where this process was started as one of them. */
  worker?: Supervisor
}

/** Exit codes that scripts can use; `docs/reference/command-line.md` lists them. */
export const exitCodes = { done: 0, failed: 1, usage: 2, notFound: 3, cannotStart: 4 } as const

/** A command that cannot go on, with the line that says why and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number
  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

export function configOf(context: Context): Config {
  return readConfig(context.environment)
}

/** Commands other than serve say what they have to say on their own; only what goes wrong is logged. */
export function commandLog(context: Context): Logger {
  return createLog({ level: 'warn', format: 'text', write: context.complain })
}

/** Opens the services on a current schema, hands them over, and closes them whatever happens. */
export async function withServices<T>(
  context: Context,
  use: (services: Services, config: Config) => Promise<T>,
): Promise<T> {
  const config = configOf(context)
  const services = await openServices(config, commandLog(context))
  try {
    await ensureCurrentSchema(services)
    return await use(services, config)
  } finally {
    await services.close()
  }
}

/** SQLite is brought up to date on the way; PostgreSQL is shared, so its operator decides when. */
export async function ensureCurrentSchema(services: Services): Promise<void> {
  const schema = await services.schema.state().catch(error => {
    throw new SettingError(settingBehind(error, services), `the database cannot be used (${reasonOf(error)})`)
  })
  if (schema.state === 'newer') {
    throw new CommandError(
      `The database has migrations that this version does not know (${schema.unknown.join(', ')}). Run the version that made them, or a newer one.`,
      exitCodes.cannotStart,
    )
  }
  if (schema.state === 'older') {
    if (services.database.dialect === 'postgres') {
      throw new CommandError(
        `The database lacks migrations (${schema.missing.join(', ')}). Run "dossier migrate" first.`,
        exitCodes.cannotStart,
      )
    }
    await services.schema.migrate()
  }
}

function settingBehind(error: { cause?: { code?: string } }, { database }: Services): string {
  if (database.dialect === 'sqlite') return 'DATA_DIR'
  return error.cause?.code === '57014' ? 'DATABASE_STATEMENT_TIMEOUT_MS' : 'DATABASE_URL'
}
