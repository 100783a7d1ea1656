import type { Logo } from '../core/brand/logo.ts'

export interface StoredLogo extends Logo {
  hash: string
}

/** Logos of advertisers and OAuth clients, each deleted with its owner. */
export interface LogoStore {
  find(hash: string): Promise<Logo | undefined>
  /** Replaces the logo, or removes it if none is given; false when there is no such advertiser. */
  setOfAdvertiser(advertiserId: number, logo: StoredLogo | undefined): Promise<boolean>
  /** Replaces the logo, or removes it if none is given; false when there is no such client. */
  setOfClient(clientId: string, logo: StoredLogo | undefined): Promise<boolean>
}
