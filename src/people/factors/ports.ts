import type { EpochMs } from '../../core/clock.ts'
import type { NewDelivery } from '../../work/delivery-ports.ts'

export interface TotpFactor {
  /** Sealed: see secret-rules.ts. */
  secret: string
  createdAt: EpochMs
  lastUsedAt: EpochMs
}

/** What an account has besides its password. */
export interface FoundFactors {
  totp: TotpFactor | undefined
  codesLeft: number
}

/** A proof that is used up in the transaction of what it is for: see src/storage/people/spend-factor.ts. */
export type Spend = { kind: 'totp'; step: number } | { kind: 'recovery'; hash: string }

export interface FactorStore {
  find(candidateId: string): Promise<FoundFactors>
  /** Adds an app, with the first recovery codes, and ends every other session. False if the account has an app. */
  addTotp(
    candidateId: string,
    factor: { secret: string; step: number; codes: readonly string[]; sessionId: string },
    at: EpochMs,
    mails: readonly NewDelivery[],
  ): Promise<boolean>
  /** Also removes the recovery codes with the last factor. False if there is none. */
  removeTotp(candidateId: string, at: EpochMs, mails: readonly NewDelivery[]): Promise<boolean>
  /** Replaces all recovery codes by their hashes; false without a factor. */
  replaceCodes(candidateId: string, hashes: readonly string[], at: EpochMs): Promise<boolean>
}

/** Time-based codes of RFC 6238: SHA-1, six digits, thirty seconds, as every app expects. */
export interface TotpCodes {
  newSecret(): Promise<string>
  /** For the app: an otpauth address, and the same as a picture in SVG. */
  enrolment(secret: string, account: string, board: string): Promise<{ uri: string; picture: string }>
  /** The step that the code belongs to: the current one, or one to either side; undefined if the code is wrong. */
  stepOf(secret: string, code: string, now: EpochMs): Promise<number | undefined>
}
