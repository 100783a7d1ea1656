import type { Cleanup } from './cleanup.ts'
import type { Pace } from './pace.ts'
import type { Report } from './report.ts'
import type { ServerProcess } from './service.ts'

/** What every measurement needs. */
export interface Bench {
  report: Report
  cleanup: Cleanup
  /** Removed when the run is over. */
  folder: string
  pace: Pace
  /** Starts the service as it is shipped, with these settings; it is stopped when the run is over, or before. */
  start(settings: Record<string, string>, args?: string[]): Promise<ServerProcess>
  /** Starts it from the sources, as `npm start` does. */
  startCheckout: Bench['start']
  /** Starts a script of this folder, a floor or a peer; it is stopped likewise. */
  startScript(name: string, args?: string[], settings?: Record<string, string>): Promise<ServerProcess>
}
