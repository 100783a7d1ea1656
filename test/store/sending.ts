import { at, fullApplication, later } from './scene.ts'
import type { Stores } from './stores.ts'

/** A job board with two requests in progress, and an application that it has sent. */
export async function sendAsBoard(stores: Stores, clientId: string, advertiserId: number): Promise<number> {
  const claimOf = (key: string) => ({ clientId, key, claim: 'own-claim' })
  for (const key of ['own-key', 'own-second-key', 'own-made-key']) {
    await stores.intake.claim(claimOf(key), at, { expiresAt: later, heldMs: 60_000 })
  }
  const save = { ...claimOf('own-made-key'), contentHash: 'hash', expiresAt: later }
  const times = { now: at, submittedAt: undefined }
  const receipt = await stores.intake.addOnce(save, advertiserId, fullApplication, times)
  if (receipt === undefined) throw new Error('the job board could not send an application')
  return receipt.id
}
