import { Problem } from '../core/problems.ts'
import type { BoardAccess, BoardDirectory } from './board-access-ports.ts'

/** Checked on every request of a job board, so that the operator's changes take effect on the next one. */
export function createBoardAccess(directory: BoardDirectory): BoardAccess {
  return {
    async assertMayActFor(clientId, advertiserId) {
      const status = await directory.statusOf(clientId, advertiserId)
      if (status === undefined) {
        // The same response whether or not the advertiser exists.
        throw new Problem('advertiser-not-listed', `The client may not act for advertiser ${advertiserId}.`)
      }
      if (status === 'hold') throw new Problem('advertiser-on-hold')
    },
  }
}
