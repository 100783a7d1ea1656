import type { EpochMs } from '../../platform/core/clock.ts'
import { newUuid } from '../../platform/core/ids.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import type { Departure, Registration } from './records.ts'

/**
 * Emails about an account, queued as a person requested them, before any lookup. Links are issued when the email is
 * sent, so no secret is stored. Some contents include an address until then: see decision 061.
 */
export interface AccountMails {
  'sign-up': { email: string; registration: Registration } & Departure
  'confirm-again': { email: string } & Departure
  reset: { email: string; continueTo: string }
  /** `challenge`: the challenge whose code the email contains. */
  'sign-in-code': { email: string; challenge: string }
  /** Sent to the new address. */
  'change-email': { candidateId: string; email: string }
  /** Sent to the current address, even if another one is confirmed before the email is sent. */
  'email-changing': { email: string }
  /** Sent to the former address, once the new one has been confirmed. */
  'email-changed': { email: string }
  'password-changed': { candidateId: string }
  /** `browser`: a name that `browserName` returns. */
  security: { candidateId: string; what: SecurityNotice; browser?: string | undefined }
  /** Sent to the restored address and to the address that it replaces. */
  'change-undone': { email: string; isFormer: boolean }
  /** Sent to an address that no longer has an account. */
  'account-removed': { email: string }
  /** Notices beyond the hourly limit of an address, combined in one email. */
  'security-digest': { email: string; notices: readonly GatheredNotice[] }
}

export interface GatheredNotice {
  what:
    | SecurityNotice
    | 'password-changed'
    | 'email-changing'
    | 'email-changed'
    | 'change-undone'
    | 'account-removed'
  browser?: string | undefined
  /** The account whose changes can be undone, and the time of the first of these changes. */
  undo?: { candidateId: string; since: EpochMs } | undefined
  /** Time of the latest such notice. */
  at: EpochMs
  times: number
}

/** Changes that the owner is notified of, in case someone else made them. */
export type SecurityNotice =
  | 'app-added'
  | 'app-removed'
  | 'passkey-added'
  | 'passkey-removed'
  | 'codes-renewed'
  | 'provider-linked'
  | 'provider-unlinked'
  | 'recovery-used'
  | 'new-browser'
  | 'wrong-codes'
  | 'factors-reset'

/** Returns the emails to queue with a change; none without a mail server. */
export type SecurityMail = (
  candidateId: string,
  what: SecurityNotice,
  browser?: string,
) => readonly NewDelivery[]

export type AccountMailKind = keyof AccountMails

export function newAccountMail<Kind extends AccountMailKind>(
  kind: Kind,
  content: AccountMails[Kind],
  giveUpAt: EpochMs,
): NewDelivery {
  return { id: newUuid(), kind, content: JSON.stringify(content), giveUpAt }
}
