import type { EpochMs } from '../../core/clock.ts'
import type { FileType } from '../../model/application.ts'
import type { ApplicationStatus } from '../../model/application-status.ts'
import type { Notice } from '../../model/notice.ts'
import type { NewDelivery } from '../../work/delivery-ports.ts'

export interface Mail {
  /** The same at every attempt; becomes the Message-ID. */
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

/** Delivers emails that are written. */
export interface MailTransport {
  /** Never rejects. */
  send(mail: Mail): Promise<SendResult>
  /** Rejects when no email can be sent, to any recipient. */
  check(): Promise<void>
}

/** Queues emails about accounts and attempts them at once, before all that is due. */
export interface Mailer extends Pick<MailTransport, 'check'> {
  queue(mails: readonly NewDelivery[]): Promise<void>
  /** Attempts emails that a transaction has queued. No response waits for it. */
  attempt(mails: readonly NewDelivery[]): void
  /** The outcome of the first attempt; `waiting` if it takes long. */
  outcomeOf(mail: NewDelivery): Promise<'sent' | 'dropped' | 'dead' | 'waiting'>
}

/** An application as its candidate sent it. */
export interface SentApplication {
  jobTitle: string
  jobLocation: string
  advertiserName: string
  submittedAt: EpochMs
  files: readonly { type: FileType; fileName: string }[]
  hasAnswers: boolean
  status: ApplicationStatus
  isErased: boolean
}

export interface NewApplications {
  advertiserName: string
  count: number
  /** Those with most applications. */
  ads: readonly { jobTitle: string | null; count: number }[]
  /** Applications for ads that are not listed. */
  others: number
}

/** What each notice is about, looked up when it is sent. */
export interface NoticeSubjects {
  'application-sent': SentApplication
  'status-changed': SentApplication
  'application-withdrawn': SentApplication
  'first-disclosure': { clientName: string; advertiserName: string | null }
  'new-applications': NewApplications
  'candidate-withdrew': { jobTitle: string | null; advertiserName: string }
  'retention-shortened': { advertiserName: string; months: number; changesAt: EpochMs }
  'webhook-failing': { advertiserName: string; url: string; since: EpochMs; isGone: boolean }
}

export interface NoticeReader {
  email: string
  isConfirmed: boolean
  /** Bits of the notifications that are switched off. */
  muted: number
  /** Whether the mail server has refused this address. */
  isRefused: boolean
}

/** Looks up what notices are about; undefined when it is gone, so that there is nothing to tell. */
export interface NoticeStore {
  findReader(candidateId: string): Promise<NoticeReader | undefined>
  /** An application that its candidate sent. */
  findSent(candidateId: string, applicationId: number): Promise<SentApplication | undefined>
  findDisclosure(
    candidateId: string,
    notice: Extract<Notice, { kind: 'first-disclosure' }>,
  ): Promise<NoticeSubjects['first-disclosure'] | undefined>
  /**
   * These four are for members of the advertiser; the first two not while it is on hold, and the first only for one
   * who has not visited it since `queuedAt`.
   */
  findNew(
    advertiserId: number,
    notice: Extract<Notice, { kind: 'new-applications' }>,
    options: { queuedAt: EpochMs; most: number },
  ): Promise<NewApplications | undefined>
  findWithdrawn(
    advertiserId: number,
    notice: Extract<Notice, { kind: 'candidate-withdrew' }>,
  ): Promise<NoticeSubjects['candidate-withdrew'] | undefined>
  findRetention(
    advertiserId: number,
    candidateId: string,
  ): Promise<NoticeSubjects['retention-shortened'] | undefined>
  /** An endpoint that still fails, or has stopped. */
  findFailingWebhook(
    advertiserId: number,
    notice: Extract<Notice, { kind: 'webhook-failing' }>,
  ): Promise<NoticeSubjects['webhook-failing'] | undefined>
  /** Records that the mail server rejects the address; its account gets no notifications until it is cleared. */
  recordRefusal(email: string, words: string, now: EpochMs): Promise<void>
  findRefusal(candidateId: string): Promise<{ at: EpochMs; words: string } | undefined>
  clearRefusal(candidateId: string): Promise<void>
}
