import type { EpochMs } from '../../platform/core/clock.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'

export interface TotpFactor {
  /** Sealed: see secret-rules.ts. */
  secret: string
  createdAt: EpochMs
  lastUsedAt: EpochMs
}

export interface Passkey {
  /** The ID of the credential, in base64url. */
  id: string
  name: string
  /** The host that it was made for: browsers use it nowhere else. */
  rpId: string
  /** How browsers reach it, such as `internal` or `usb`. */
  transports: readonly string[]
  createdAt: EpochMs
  lastUsedAt: EpochMs
}

/** A public key with the number of times that it has signed; zero if its device does not count. */
export interface PasskeyKey {
  /** COSE, in base64url. */
  publicKey: string
  counter: number
}

/** The factors of an account besides its password. */
export interface StoredFactors {
  totp: TotpFactor | undefined
  passkeys: Passkey[]
  codesLeft: number
}

export interface FactorStatus extends StoredFactors {
  /** Whether the key of the app's secret is lost, so that its codes cannot be checked. */
  isAppLost: boolean
}

/** A signed challenge, used up together with the act that it proves. */
export interface SignedChallenge {
  hash: string
  expiresAt: EpochMs
}

/** A proof, used up in the transaction of the act that it proves: see src/people/factors/consume-factor-store.ts. */
export type Spend =
  | { kind: 'totp'; step: number }
  | { kind: 'recovery'; hash: string }
  | { kind: 'passkey'; id: string; counter: number; challenge: SignedChallenge }

export interface FactorAtReset {
  /** Name of a passkey; undefined for the app and a provider. */
  name: string | undefined
  /** The issuer, for a provider. */
  issuer?: string
  createdAt: EpochMs
  isRemoved: boolean
}

/** The current session, which stays when a factor is removed. */
export type FactorOwner = Pick<SessionOwner, 'candidateId' | 'sessionId'>

/** Whether it was the first factor of the account: then recovery codes are stored with it. */
export type FactorAdded = 'first' | 'another'

/**
 * `expired`: the page was open too long, or is not ours. `unverified`: the device did not ask for a PIN or a finger.
 * `copied`: its counter decreased, so a copy of the key exists.
 */
export type PasskeyRefusal = 'expired' | 'wrong' | 'unverified' | 'copied'

/** A browser's response as WebAuthn JSON; the adapter checks it. */
export interface SentCredential {
  id: string
  response: object
}
