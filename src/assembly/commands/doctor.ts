import { checkCertificates } from '../../operator/checks/certificate-checks.ts'
import type { CheckResult } from '../../operator/home/ports.ts'
import { flag } from '../../platform/cli/arguments.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import { type Config, SettingError } from '../../settings.ts'
import type { App } from '../app.ts'
import { createCheckReport } from '../process/check-results.ts'
import { type Context, commandLog, configOf } from '../process/context.ts'
import { plainCommand } from './command.ts'

export const doctor = plainCommand({
  about:
    'Check settings, database, disk, clock, files, backups, certificate, mail server and scanner; reports problems and how to fix them.',
  options: {
    deep: flag('read every file and compare it with its hash; on SQLite also check indexes and foreign keys'),
    json: flag('print JSON'),
  },
  async run(context, { deep: isDeep, json }) {
    // An invalid setting throws here, with the line that names it.
    const config = configOf(context)
    const { report, end } = createCheckReport(context, json)
    await findingsIn(context, config, { isDeep }, { onResult: report })
    end()
  },
})

/** Opens the services if possible, and checks them. */
export async function findingsIn(
  context: Context,
  config: Config,
  { isDeep }: { isDeep: boolean },
  on: { onResult(result: CheckResult): void; onOpened?(app: App): Promise<void> },
): Promise<void> {
  const { describeSettings, resultsOf } = await import('../../operator/checks/all-checks.ts')
  on.onResult({ what: 'settings', isFine: true, says: describeSettings(config) })
  for await (const result of checkCertificates(config)) on.onResult(result)
  const { exposedFiles } = await import('../adapters.ts')
  const exposed = exposedFiles(config)
  if (exposed.length > 0) on.onResult(exposure(exposed))
  try {
    const { openApp } = await import('../app.ts')
    const app = await openApp(config, commandLog(context))
    try {
      for await (const result of resultsOf(app, config, isDeep ? 'deep' : 'usual')) on.onResult(result)
      await on.onOpened?.(app)
    } finally {
      await app.close()
    }
  } catch (error) {
    // Settings that contradict each other throw; an unusable DATA_DIR is a result.
    if (error instanceof SettingError && error.setting !== 'DATA_DIR') throw error
    on.onResult(unreachable(error))
  }
}

function unreachable(error: unknown): CheckResult {
  if (error instanceof Error && error.name === 'KeyFileFault')
    return { what: 'keys', isFine: false, says: error.message }
  const says =
    error instanceof SettingError
      ? error.message
      : `cannot be reached (${reasonOf(error)}): check DATABASE_URL and that the server accepts connections`
  return { what: 'database', isFine: false, says }
}

function exposure(files: readonly string[]): CheckResult {
  const says = `other users of this machine could read ${files.join(', ')}; now only the owner can. If this happens again, run "chmod 600" on them as their owner`
  return { what: 'modes', isFine: false, says }
}
