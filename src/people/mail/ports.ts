import type { AnyFileType } from '../../model/application.ts'
import type { ApplicationStatus } from '../../model/application-status.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'

export interface Mail {
  /** An ID that is the same at every attempt; becomes the Message-ID. */
  id: string
  to: string
  subject: string
  text: string
  html: string
  headers?: Readonly<Record<string, string>>
}

/** `refused`: the server rejects this recipient. `dead`: it rejects this email. Words are free of addresses and links. */
export type SendResult =
  | { outcome: 'sent' }
  | { outcome: 'refused' | 'dead'; words: string }
  | { outcome: 'retry'; words: string; isUnavailable: boolean }

/** Delivers rendered emails. */
export interface MailTransport {
  /** Never rejects. */
  send(mail: Mail): Promise<SendResult>
  /** Does the work of `send` without sending; rejects when the server is unavailable. Where it is absent, use `check`. */
  rehearse?(mail: Mail): Promise<void>
  /** Rejects if no email can be sent, to any recipient. */
  check(): Promise<void>
}

/** Queues emails about accounts and attempts them immediately, ahead of all other due emails. */
export interface Mailer extends Pick<MailTransport, 'check'> {
  queue(mails: readonly NewDelivery[]): Promise<void>
  /** Attempts emails that a transaction has queued. Responses do not wait for it. */
  attempt(mails: readonly NewDelivery[]): void
  /** The outcome of the first attempt; `waiting` if it takes long. */
  outcomeOf(mail: NewDelivery): Promise<'sent' | 'dropped' | 'dead' | 'waiting'>
}

/** Counts an email to a recipient, given with the email's kind; returns false if the limit for the last hour is reached. */
export type ConsumeEmailQuota = (recipient: string) => Promise<boolean>

/** An application as its candidate sent it. */
export interface SentApplication {
  jobTitle: string
  jobLocation: string
  advertiserName: string
  submittedAt: EpochMs
  files: readonly { type: AnyFileType; fileName: string }[]
  hasAnswers: boolean
  status: ApplicationStatus
  isErased: boolean
  /** Last day for which the candidate lets the company keep it for other jobs; null: none. */
  keptUntil: string | null
}

export interface NewApplications {
  advertiserName: string
  count: number
  /** Ads with the most applications. */
  ads: readonly { jobTitle: string | null; count: number }[]
  /** Applications for ads that are not listed. */
  others: number
  /** Withdrawn applications that the notice names, newest first. */
  withdrawn: readonly { id: number; jobTitle: string | null }[]
}

/** Subjects of notices, looked up when each is sent. */
export interface NoticeSubjects {
  'application-sent': SentApplication
  'status-changed': SentApplication
  'application-withdrawn': SentApplication
  'keep-ending': SentApplication & { keptUntil: string }
  'first-disclosure': { clientName: string; advertiserName: string | null }
  'new-applications': NewApplications
  'retention-shortened': { advertiserName: string; months: number; changesAt: EpochMs }
  'webhook-failing': {
    /** Name of the advertiser or the agent. */
    ownerName: string
    url: string
    since: EpochMs
    isGone: boolean
    isKeyLost: boolean
    /** The failed events, in an email about them. */
    givenUp: { events: number; lastAt: EpochMs } | null
  }
}

export interface NoticeReader {
  email: string
  isConfirmed: boolean
  /** Bits of the notifications that are switched off. */
  muted: number
  /** Whether the mail server has rejected this address. */
  isRefused: boolean
}
