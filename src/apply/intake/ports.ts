import type { EpochMs } from '../../core/clock.ts'
import type { IdempotencyKey, KeptKey, KeyState, MadeThings } from '../../core/idempotency-keys.ts'
import type { FileType } from '../../model/application.ts'
import type { ReceivedFile } from '../../model/stored-file.ts'
import type { NewApplication } from '../new-application.ts'
import type { Receipt } from '../ports.ts'

/** A key held by one request; `claim` identifies that request. */
export interface KeyClaim extends IdempotencyKey {
  claim: string
}

/** An application as its sender sees it, with the current state of its files. */
export interface IntakeReceipt extends Receipt {
  advertiserId: number
  files: (Pick<ReceivedFile, 'fileName' | 'size' | 'sha256' | 'scan'> & { type: FileType })[]
}

/** When the application is stored, and when it was submitted if the job board says so. */
export interface IntakeTimes {
  now: EpochMs
  submittedAt: EpochMs | undefined
}

/** Every call names the client, so no query can reach another client's keys or applications. */
export interface IntakeStore extends MadeThings {
  /**
   * Claims the key for this request for `heldMs`, extended by each renewal, but never beyond `expiresAt`. Fails if
   * another request holds the key or the key has already created something. Uses the database's clock, which all nodes
   * share.
   */
  claim(
    claim: KeyClaim,
    now: EpochMs,
    until: { expiresAt: EpochMs; heldMs: number },
  ): Promise<'claimed' | KeyState>
  /** Extends the claim to `heldMs` from now, unless another request has taken the key over. */
  renew(claim: KeyClaim, heldMs: number): Promise<void>
  /** Releases the key, unless it has created something or another request has taken it over. */
  release(claim: KeyClaim): Promise<void>
  /** Adds the application in one durable step. Throws if it was submitted before the advertiser's newest one. */
  add(
    clientId: string,
    advertiserId: number,
    application: NewApplication,
    times: IntakeTimes,
  ): Promise<Receipt>
  /** Like `add`, and records the application with the key. If the claim was lost, does nothing and returns undefined. */
  addOnce(
    save: KeyClaim & KeptKey,
    advertiserId: number,
    application: NewApplication,
    times: IntakeTimes,
  ): Promise<Receipt | undefined>
  /** Finds an application that this client sent. */
  find(clientId: string, applicationId: number): Promise<IntakeReceipt | undefined>
}
