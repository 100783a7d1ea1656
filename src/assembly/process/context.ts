import type { Logger } from 'pino'
import { createLog } from '../../logging.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { type AuditContext, withAuditContext } from '../../platform/core/async/audit-context.ts'
import type { Clock } from '../../platform/core/clock.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import type { Migrated } from '../../platform/database/migrating/migrate.ts'
import { type Config, type Environment, readConfig, SettingError } from '../../settings.ts'
import type { App } from '../app.ts'
import type { Platform } from '../platform.ts'
import type { StartWorker, Supervisor } from './worker-process.ts'

declare module '../../platform/core/modules.ts' {
  interface Modules extends Omit<App, 'close'> {}
}

/** The context of a command. Only main.ts accesses the process itself. */
export interface Context {
  environment: Environment
  /** The operating system's user, for the audit log. */
  user: string
  /** Prints to standard output. */
  print(text: string): void
  /** Prints to standard error. */
  complain(text: string): void
  /**
   * Used by services, which continue when standard output fails: `listener` gets the number of lost lines once output
   * works again. Other commands fail on lost output. Absent where output cannot fail.
   */
  onLinesLost?(listener: (lines: number) => void): void
  /** Whether standard error is a terminal. */
  isTerminal: boolean
  /**
   * From this call on, SIGTERM and SIGINT resolve this promise instead of ending the process. In a worker, a message
   * from the supervisor or the loss of the supervisor does too.
   */
  untilStopRequested(): Promise<string>
  /** From this call on, SIGHUP calls the listener instead of ending the process. */
  onRestartRequested(listener: () => void): void
  /** Returns the function with which a supervisor starts further processes of this command, which share the port. */
  openWorkers(): Promise<StartWorker>
  /** Present only in a process that a supervisor started. */
  worker?: Supervisor
}

/** `otherwise`: values for settings missing in the environment. */
export function configOf(context: Context, otherwise: Environment = {}): Config {
  const set = Object.entries(context.environment).filter(([, value]) => value?.trim())
  return readConfig({ ...otherwise, ...Object.fromEntries(set) })
}

/** For commands other than serve, which print their results themselves and log only warnings and errors. */
export function commandLog(context: Context): Logger {
  return createLog({ level: 'warn', format: 'text', write: context.complain })
}

/** The log of this process; a worker's lines contain its number. */
export function serviceLog(context: Context, config: Config, isDemo: boolean): Logger {
  const log = createLog({
    level: config.LOG_LEVEL,
    format: config.LOG_FORMAT ?? (isDemo ? 'text' : 'json'),
    write: context.print,
  })
  const own = context.worker === undefined ? log : log.child({ worker: context.worker.number })
  context.onLinesLost?.(lines => own.warn({ lines }, 'lines of this log were lost'))
  return own
}

/** A command's audit context. */
export const asCommand = ({ user }: Context, clock: Clock): AuditContext => ({
  clock,
  actor: { kind: 'command', id: user, proof: 'shell' },
})

/** Rejects once the disk has failed to store written data; otherwise resolves with the request to stop. */
export async function untilStoppedOrFailed(
  stopRequested: Promise<string>,
  { database: { failed } }: Platform,
): Promise<string> {
  if (failed === undefined) return stopRequested
  const failure = failed.then((error): never => {
    throw new CommandError(
      `The disk did not keep what was written to the database (${reasonOf(error)}). Writes that waited for it were not acknowledged. Check the disk, and start again: the next start finds what is on it.`,
      exitCodes.diskFailed,
    )
  })
  return Promise.race([stopRequested, failure])
}

/** Opens the services on a current schema, passes them to `use`, and always closes them. */
export async function withApp<T>(context: Context, use: (app: App) => Promise<T>): Promise<T> {
  const { openApp } = await import('../app.ts')
  const app = await openApp(configOf(context), commandLog(context))
  try {
    await ensureCurrentSchema(app)
    return await withAuditContext(asCommand(context, app.platform.clock), () => use(app))
  } finally {
    await app.close()
  }
}

/**
 * Migrates SQLite; PostgreSQL may be shared, so its operator decides when to migrate. A newer schema is accepted if the
 * release that created it allows this.
 */
export async function ensureCurrentSchema(app: App): Promise<void> {
  const schema = await app.platform.schema.state().catch(error => {
    throw new SettingError(responsibleSetting(error, app), `the database cannot be used (${reasonOf(error)})`)
  })
  const { database, release, log } = app.platform
  const copiedAt = schema.state === 'older' && schema.isNew ? undefined : await app.platform.copiedAt()
  if (copiedAt !== undefined) {
    throw new CommandError(
      `This database is the copy in a backup of ${copiedAt}, which must not be used as it is. Move it out of DATA_DIR and run "dossier restore".`,
      exitCodes.cannotStart,
    )
  }
  if (schema.state === 'newer') {
    const unknown = schema.unknown.join(', ')
    if (!schema.fits)
      throw new CommandError(
        `The database has migrations that this version does not know (${unknown}) and cannot run on. Run the version that added them, or a newer one.`,
        exitCodes.cannotStart,
      )
    log.info({ unknown, release }, 'the schema is that of a newer release, on which this one runs too')
  }
  if (schema.state === 'older' && database.dialect === 'postgres')
    throw new CommandError(
      `The database lacks migrations (${schema.missing.join(', ')}). Run "dossier migrate" first.`,
      exitCodes.cannotStart,
    )
  if (!('missing' in schema) || database.dialect === 'postgres') return
  const { waiting } = await app.platform.schema.migrate()
  if (waiting !== undefined && schema.state === 'older')
    throw new CommandError(describeWaiting(waiting), exitCodes.cannotStart)
}

/**
 * Signs this process in the database, and checks the schema again: a migration that is incompatible with this release
 * waits for processes that have signed, and may have run just before.
 */
export async function signIn({
  restoreDetection,
  reconcileKeys,
  schema,
}: Pick<Platform, 'restoreDetection' | 'reconcileKeys' | 'schema'>): Promise<void> {
  await restoreDetection.begin()
  if (await schema.isUsable()) return void (await reconcileKeys())
  throw new CommandError(
    'The database was migrated meanwhile, and this version cannot run on it. Run the version that did it, or a newer one.',
    exitCodes.cannotStart,
  )
}

/** Lists the nodes that block a migration. */
export function describeWaiting({
  name,
  oldest,
  nodes,
  changes = [],
}: NonNullable<Migrated['waiting']>): string {
  if (nodes.length === 0)
    return `${name} waits until background work has changed the data for ${changes.join(', ')}: "dossier doctor" shows how far it is. Then run "dossier migrate".`
  const releases = [...new Set(nodes.map(node => node.release))].join(', ')
  const running = nodes.length === 1 ? '1 process' : `${nodes.length} processes`
  return `${name} waits: it needs release ${oldest}, and ${running} of ${releases} ran within the last minute. Stop them, then run "dossier migrate".`
}

function responsibleSetting(error: { cause?: { code?: string } }, { platform: { database } }: App): string {
  if (database.dialect === 'sqlite') return 'DATA_DIR'
  return error.cause?.code === '57014' ? 'DATABASE_STATEMENT_TIMEOUT_MS' : 'DATABASE_URL'
}
