import { at, fullApplication, later, type Scene } from '../scene.ts'
import type { StoreFunctions } from '../store-function.ts'

const claimOf = ({ clientId }: Scene, key: string) => ({ clientId, key, claim: 'own-claim' })

const until = { expiresAt: later, heldMs: 60_000 }
const times = { now: at, submittedAt: undefined }

export const intakeFunctions: StoreFunctions = {
  'intakeDirectory.find': {
    of: 'client',
    sample: (stores, scene) => stores.intakeDirectory.find(scene.clientId, scene.advertiserId),
  },
  'intake.claim': {
    of: 'client',
    actsOnOwn: true,
    // A new one, and one in progress.
    samples: [0, 1].map(() => (stores, scene) => stores.intake.claim(claimOf(scene, 'new-key'), at, until)),
  },
  'intake.madeWith': {
    of: 'client',
    sample: (stores, scene) => stores.intake.madeWith(claimOf(scene, 'own-made-key'), at),
  },
  'intake.renew': {
    of: 'client',
    tellsNothing: true,
    sample: (stores, scene) => stores.intake.renew(claimOf(scene, 'own-second-key'), 60_000),
  },
  'intake.add': {
    actsOnOwn: true,
    sample: (stores, scene) => stores.intake.add(scene.clientId, scene.advertiserId, fullApplication, times),
  },
  'intake.addOnce': {
    // The key decides: a caller that does not hold it adds nothing.
    of: 'client',
    sample: (stores, scene) =>
      stores.intake.addOnce(
        { ...claimOf(scene, 'own-key'), contentHash: 'hash', expiresAt: later },
        scene.advertiserId,
        fullApplication,
        times,
      ),
  },
  'intake.find': {
    of: 'client',
    sample: (stores, scene) => stores.intake.find(scene.clientId, scene.sentApplicationId),
  },
  'intake.release': {
    of: 'client',
    tellsNothing: true,
    sample: (stores, scene) => stores.intake.release(claimOf(scene, 'own-second-key')),
  },
}
