import { Problem } from '../core/problems.ts'
import type { BoardAccess, BoardDirectory } from './board-access-ports.ts'

/** Asked on every request of a job board: what the operator changes acts on the next one. */
export function createBoardAccess(directory: BoardDirectory): BoardAccess {
  return {
    async assertMayActFor(clientId, advertiserId) {
      const status = await directory.statusOf(clientId, advertiserId)
      if (status === undefined) {
        // One answer whether or not there is such an advertiser.
        throw new Problem('advertiser-not-listed', `The client may not act for advertiser ${advertiserId}.`)
      }
      if (status === 'hold') throw new Problem('advertiser-on-hold')
    },
  }
}
