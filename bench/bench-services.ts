import { createLog } from '../src/logging.ts'
import { asTask, setDefaultAuditContext } from '../src/platform/core/async/audit-context.ts'
import { type Clock, systemClock } from '../src/platform/core/clock.ts'
import { readConfig } from '../src/settings.ts'
import { openServices, type Services } from '../test/harness/services.ts'

setDefaultAuditContext(asTask('bench', systemClock))

export type Settings = Record<string, string>

export const silentLog = createLog({ level: 'silent', format: 'json', write: () => {} })

/** The service's own modules in the process of the bench, for creating and inspecting data. */
export async function openForBench(settings: Settings, clock?: Clock): Promise<Services & AsyncDisposable> {
  const services = await openServices(readConfig(settings), silentLog, clock)
  return Object.assign(services, { [Symbol.asyncDispose]: () => services.close() })
}
