import { openServices, type Services } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { actByDefault, asTask } from '../src/core/async/acting.ts'
import { type Clock, systemClock } from '../src/core/clock.ts'
import { createLog } from '../src/logging.ts'

actByDefault(asTask('bench', systemClock))

export type Settings = Record<string, string>

export const silentLog = createLog({ level: 'silent', format: 'json', write: () => {} })

/** The service's own modules in the process of the bench, for creating and inspecting data. */
export function openForBench(settings: Settings, clock?: Clock): Promise<Services> {
  return openServices(readConfig(settings), silentLog, clock)
}
