import { openServices, type Services } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import type { Clock } from '../src/core/clock.ts'
import { createLog } from '../src/logging.ts'

export type Settings = Record<string, string>

export const silentLog = createLog({ level: 'silent', format: 'json', write: () => {} })

/** The service's own parts in the process of the bench, where something has to be made or looked at. */
export function openForBench(settings: Settings, clock?: Clock): Promise<Services> {
  return openServices(readConfig(settings), silentLog, clock)
}
