import type { EpochMs } from '../../core/clock.ts'
import { newUuid } from '../../core/ids.ts'
import type { NewDelivery } from '../../work/delivery-ports.ts'
import type { Departure, Registration } from './ports.ts'

/**
 * Emails about an account as they are queued: what a person asked for, before anything has been looked up. Links are
 * drawn when the email is sent, so no secret is stored. Some contents hold an address, for as long as the email waits:
 * see decision 061.
 */
export interface AccountMails {
  'sign-up': { email: string; registration: Registration } & Departure
  'confirm-again': { email: string } & Departure
  reset: { email: string; continueTo: string }
  /** To the new address. */
  'change-email': { candidateId: string; email: string }
  /** To the address until now, even if another one has been confirmed by then. */
  'email-changing': { email: string }
  'password-changed': { candidateId: string }
  /** `browser`: one of the names that `browserName` has. */
  security: { candidateId: string; what: SecurityNotice; browser?: string | undefined }
  /** To an address that no account has any longer. */
  'account-removed': { email: string }
}

/** What an owner is told of, in case it was another person. */
export type SecurityNotice =
  | 'app-added'
  | 'app-removed'
  | 'passkey-added'
  | 'passkey-removed'
  | 'codes-renewed'
  | 'recovery-used'
  | 'new-browser'

/** The emails to queue with what an owner is told of; none without a mail server. */
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
