import type { Command } from 'commander'
import type { Services } from '../../app.ts'
import { checkCertificates } from '../../assembly/checks/certificate-check.ts'
import { type Config, SettingError } from '../../config.ts'
import { reasonOf } from '../../core/reason.ts'
import type { Finding } from '../../operator/home/ports.ts'
import { type Context, commandLog, configOf } from '../terminal/context.ts'
import { createFindings } from '../terminal/findings.ts'

export function addDoctor(program: Command, context: Context): void {
  program
    .command('doctor')
    .description(
      'Check settings, database, disk, clock, files, backups, certificate, mail server and scanner; reports problems and how to fix them.',
    )
    .option(
      '--deep',
      'read every file and compare it with its hash; on SQLite also check indexes and foreign keys',
    )
    .option('--json', 'print JSON')
    .action((options: { deep?: boolean; json?: boolean }) => examine(context, options))
}

async function examine(context: Context, options: { deep?: boolean; json?: boolean }): Promise<void> {
  // A wrong setting throws here, with the line that names it.
  const config = configOf(context)
  const { report, end } = createFindings(context, options.json === true)
  await findingsIn(context, config, { isDeep: options.deep === true }, { onFinding: report })
  end()
}

/** Opens the services, unless that fails, and examines them. */
export async function findingsIn(
  context: Context,
  config: Config,
  { isDeep }: { isDeep: boolean },
  on: { onFinding(finding: Finding): void; onOpened?(services: Services): Promise<void> },
): Promise<void> {
  const { describeSettings, findingsOf } = await import('../../assembly/checks/findings.ts')
  on.onFinding({ what: 'settings', isFine: true, says: describeSettings(config) })
  for await (const finding of checkCertificates(config)) on.onFinding(finding)
  const { exposedFiles } = await import('../../assembly/adapters.ts')
  const exposed = exposedFiles(config)
  if (exposed.length > 0) on.onFinding(exposure(exposed))
  try {
    const { openServices } = await import('../../app.ts')
    const services = await openServices(config, commandLog(context))
    try {
      for await (const finding of findingsOf(services, config, isDeep ? 'deep' : 'usual'))
        on.onFinding(finding)
      await on.onOpened?.(services)
    } finally {
      await services.close()
    }
  } catch (error) {
    // Settings that contradict each other; an unusable DATA_DIR is a finding.
    if (error instanceof SettingError && error.setting !== 'DATA_DIR') throw error
    on.onFinding(unreachable(error))
  }
}

function unreachable(error: unknown): Finding {
  const says =
    error instanceof SettingError
      ? error.message
      : `cannot be reached (${reasonOf(error)}): check DATABASE_URL and that the server accepts connections`
  return { what: 'database', isFine: false, says }
}

function exposure(files: readonly string[]): Finding {
  const says = `other users of this machine could read ${files.join(', ')}; now only the owner can. If this happens again, run "chmod 600" on them as their owner`
  return { what: 'modes', isFine: false, says }
}
