import type { EpochMs } from '../../core/clock.ts'
import type { IdempotencyKey, KeptKey, KeyState, MadeThings } from '../../core/idempotency-keys.ts'
import type { FileType } from '../../model/application.ts'
import type { ReceivedFile } from '../../model/stored-file.ts'
import type { NewApplication } from '../new-application.ts'
import type { Receipt } from '../ports.ts'

/** A key as one request holds it; `claim` is that request's own. */
export interface KeyClaim extends IdempotencyKey {
  claim: string
}

/** An application as its sender reads it, with its files as they are now. */
export interface IntakeReceipt extends Receipt {
  advertiserId: number
  files: (Pick<ReceivedFile, 'fileName' | 'size' | 'sha256' | 'scan'> & { type: FileType })[]
}

/** When it is stored, and when it was submitted where the job board says so. */
export interface IntakeTimes {
  now: EpochMs
  submittedAt: EpochMs | undefined
}

/** Keys and applications are their client's: no question reaches over to another's. */
export interface IntakeStore extends MadeThings {
  /**
   * Gives the key to this request for `heldMs`, and for longer while it is renewed, but not beyond `expiresAt`; unless
   * another one has it or it has made something. The time of the database counts, which all nodes share.
   */
  claim(
    claim: KeyClaim,
    now: EpochMs,
    until: { expiresAt: EpochMs; heldMs: number },
  ): Promise<'claimed' | KeyState>
  /** Holds the key for `heldMs` from now on, unless it is another request's by now. */
  renew(claim: KeyClaim, heldMs: number): Promise<void>
  /** Releases the key, unless it has made something or is another request's by now. */
  release(claim: KeyClaim): Promise<void>
  /** One durable step. Throws when it was submitted before the advertiser's newest. */
  add(
    clientId: string,
    advertiserId: number,
    application: NewApplication,
    times: IntakeTimes,
  ): Promise<Receipt>
  /** The same, and the key keeps what it has made; undefined, and nothing done, when the claim was lost. */
  addOnce(
    save: KeyClaim & KeptKey,
    advertiserId: number,
    application: NewApplication,
    times: IntakeTimes,
  ): Promise<Receipt | undefined>
  /** An application that this client has sent. */
  find(clientId: string, applicationId: number): Promise<IntakeReceipt | undefined>
}
