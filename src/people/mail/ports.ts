import type { Mail, Message } from './messages.ts'

/** Delivers emails that are written. */
export interface MailTransport {
  /** Resolves when the mail server has accepted the email. */
  send(mail: Mail): Promise<void>
  /** Rejects when no email can be sent, to any recipient. */
  check(): Promise<void>
}

/** Writes and delivers emails. */
export interface Mailer extends Pick<MailTransport, 'check'> {
  send(message: Message): Promise<void>
}
