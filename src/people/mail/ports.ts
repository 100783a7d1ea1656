import type { Mail } from './messages.ts'

export interface Mailer {
  /** Resolves when the mail server has accepted the email. */
  send(mail: Mail): Promise<void>
  /** Rejects when no email can be sent, to any recipient. */
  check(): Promise<void>
}
