import type { Mail } from './messages.ts'

export interface Mailer {
  /** Resolves when the mail is somebody else's to deliver. */
  send(mail: Mail): Promise<void>
  /** Rejects when no email can be sent at present, whoever it would be for. */
  check(): Promise<void>
}
