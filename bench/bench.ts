import type { Cleanup } from './cleanup.ts'
import type { Pace } from './pace.ts'
import type { Report } from './report.ts'
import type { ServerProcess } from './service.ts'

/** What everything that is measured needs. */
export interface Bench {
  report: Report
  cleanup: Cleanup
  /** Gone when the run is over. */
  folder: string
  pace: Pace
  /** The service with these settings; stopped when the run is over, or before. */
  start(settings: Record<string, string>, args?: string[]): Promise<ServerProcess>
}
