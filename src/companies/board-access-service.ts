import { BoardProblem } from '../model/problems.ts'
import { zoneOr } from '../platform/core/time/time-zone.ts'
import type { BoardAccess } from './board-access-ports.ts'
import type { BoardDirectory } from './board-directory-store.ts'

/** Checked on every request of a job board, so that the operator's changes take effect on the next one. */
export function createBoardAccess(directory: BoardDirectory, defaultZone: string): BoardAccess {
  return {
    async assertMayActFor(clientId, advertiserId) {
      const advertiser = await directory.find(clientId, advertiserId)
      if (advertiser === undefined) {
        // The same response whether or not the advertiser exists.
        throw new BoardProblem(
          'advertiser-not-listed',
          `The client may not act for advertiser ${advertiserId}.`,
        )
      }
      if (advertiser.status === 'hold') throw new BoardProblem('advertiser-on-hold')
      return { timeZone: zoneOr(advertiser.timeZone, defaultZone) }
    },
  }
}
