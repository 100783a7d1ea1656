import { checkLogo, type Logo } from '../platform/core/brand/logo.ts'
import { invalidField } from '../platform/core/fields.ts'
import { sha256Hex } from '../platform/core/hashing.ts'
import { Problem } from '../platform/core/problems.ts'
import type { LogoStore, StoredLogo } from './logo-store.ts'
import { noSuchAdvertiser } from './service.ts'

export type Logos = ReturnType<typeof createLogos>

export function createLogos(store: LogoStore) {
  return {
    /** Throws unless a logo with this hash is in use. */
    async find(hash: string): Promise<Logo> {
      const logo = /^[0-9a-f]{32}$/.test(hash) ? await store.find(hash) : undefined
      if (logo === undefined) throw new Problem('not-found')
      return logo
    },

    /** Undefined removes the logo. */
    async setOfAdvertiser(advertiserId: number, bytes: Buffer | undefined): Promise<void> {
      if (!(await store.setOfAdvertiser(advertiserId, checked(bytes)))) throw noSuchAdvertiser(advertiserId)
    },

    /** Undefined removes the logo. */
    async setOfClient(clientId: string, bytes: Buffer | undefined): Promise<void> {
      if (!(await store.setOfClient(clientId, checked(bytes)))) {
        throw new Problem('not-found', `There is no client ${clientId}.`)
      }
    },
  }
}

function checked(bytes: Buffer | undefined): StoredLogo | undefined {
  if (bytes === undefined) return undefined
  try {
    return { ...checkLogo(bytes), hash: sha256Hex(bytes).slice(0, 32) }
  } catch (error) {
    throw invalidField('logo', 'not-allowed', `The logo ${(error as Error).message}.`)
  }
}
