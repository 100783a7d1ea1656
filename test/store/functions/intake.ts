import { at, fullApplication, later, type Scene } from '../scene.ts'
import type { StoreFunctions } from '../store-function.ts'

const claimOf = ({ clientId }: Scene, key: string) => ({ clientId, key, claim: 'own-claim' })

export const intakeFunctions: StoreFunctions = {
  'intakeDirectory.statusOf': {
    of: 'client',
    samples: [(stores, scene) => stores.intakeDirectory.statusOf(scene.clientId, scene.advertiserId)],
  },
  'intake.claim': {
    of: 'client',
    actsOnOwn: true,
    // A new one, and one that is under way.
    samples: [0, 1].map(() => (stores, scene) => stores.intake.claim(claimOf(scene, 'new-key'), at, later)),
  },
  'intake.add': {
    actsOnOwn: true,
    samples: [
      (stores, scene) => stores.intake.add(scene.advertiserId, fullApplication, at, ({ id }) => `${id}`),
    ],
  },
  'intake.addOnce': {
    // The key decides: whoever does not hold it adds nothing.
    of: 'client',
    samples: [
      (stores, scene) =>
        stores.intake.addOnce(scene.advertiserId, fullApplication, at, ({ id }) => `${id}`, {
          ...claimOf(scene, 'own-key'),
          contentHash: 'hash',
          expiresAt: later,
        }),
    ],
  },
  'intake.release': {
    of: 'client',
    tellsNothing: true,
    samples: [(stores, scene) => stores.intake.release(claimOf(scene, 'own-second-key'))],
  },
}
