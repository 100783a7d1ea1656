import type { EpochMs } from '../../core/clock.ts'
import type { NewDelivery } from '../../work/delivery-ports.ts'

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

/** What an account has besides its password. */
export interface FoundFactors {
  totp: TotpFactor | undefined
  passkeys: Passkey[]
  codesLeft: number
}

/** A challenge that was signed: it is used up with what it is for. */
export interface SignedChallenge {
  hash: string
  expiresAt: EpochMs
}

/** A proof that is used up in the transaction of what it is for: see src/storage/people/spend-factor.ts. */
export type Spend =
  | { kind: 'totp'; step: number }
  | { kind: 'recovery'; hash: string }
  | { kind: 'passkey'; id: string; counter: number; challenge: SignedChallenge }

/** Whether it was the first factor of the account: then recovery codes are stored with it. */
export type FactorAdded = 'first' | 'another'

export interface FactorStore {
  find(candidateId: string): Promise<FoundFactors>
  /** Adds an app. The first factor comes with recovery codes and ends every other session. */
  addTotp(
    candidateId: string,
    factor: { secret: string; step: number; codes: readonly string[]; sessionId: string },
    at: EpochMs,
    mails: readonly NewDelivery[],
  ): Promise<FactorAdded | 'has-one'>
  findPasskey(id: string): Promise<(Passkey & PasskeyKey & { candidateId: string }) | undefined>
  /** `used`: the challenge was used before. `known`: an account already has it. */
  addPasskey(
    candidateId: string,
    factor: {
      passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'> & PasskeyKey
      challenge: SignedChallenge
      codes: readonly string[]
      sessionId: string
      max: number
    },
    at: EpochMs,
    mails: readonly NewDelivery[],
  ): Promise<FactorAdded | 'used' | 'known' | 'too-many'>
  renamePasskey(candidateId: string, id: string, name: string): Promise<boolean>
  /** Also removes the recovery codes with the last factor. False if there is none. */
  removePasskey(candidateId: string, id: string, at: EpochMs, mails: readonly NewDelivery[]): Promise<boolean>
  /** Also removes the recovery codes with the last factor. False if there is none. */
  removeTotp(candidateId: string, at: EpochMs, mails: readonly NewDelivery[]): Promise<boolean>
  /** Replaces all recovery codes by their hashes; false without a factor. */
  replaceCodes(candidateId: string, hashes: readonly string[], at: EpochMs): Promise<boolean>
  /** Removes every factor with the recovery codes and all sessions; false if there is none. */
  reset(candidateId: string): Promise<boolean>
}

/**
 * `expired`: the page was open too long, or is not ours. `unverified`: the device did not ask for a PIN or a finger.
 * `copied`: its count went back, so there is a copy of the key.
 */
export type PasskeyRefusal = 'expired' | 'wrong' | 'unverified' | 'copied'

/** What a browser returns, in the JSON of WebAuthn: checked by the adapter. */
export interface SentCredential {
  id: string
  response: object
}

/** Signatures of passkeys, as in WebAuthn. What is refused is undefined, whatever the reason. */
export interface WebAuthn {
  verifyNew(
    sent: SentCredential,
    expected: { challenge: string; origin: string; rpId: string },
  ): Promise<(PasskeyKey & { id: string; transports: string[] }) | undefined>
  /** `userHandle` is the account that the passkey names, if it names one. */
  verify(
    sent: SentCredential,
    expected: { challenge: string; origin: string; rpId: string; publicKey: string },
  ): Promise<{ counter: number; isUserVerified: boolean; userHandle: string | undefined } | undefined>
}

/** Time-based codes of RFC 6238: SHA-1, six digits, thirty seconds, as every app expects. */
export interface TotpCodes {
  newSecret(): Promise<string>
  /** For the app: an otpauth address, and the same as a picture in SVG. */
  enrolment(secret: string, account: string, board: string): Promise<{ uri: string; picture: string }>
  /** The step that the code belongs to: the current one, or one to either side; undefined if the code is wrong. */
  stepOf(secret: string, code: string, now: EpochMs): Promise<number | undefined>
}
