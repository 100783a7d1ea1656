import type { Mail } from './messages.ts'

export interface Mailer {
  /** Resolves when the mail is somebody else's to deliver. */
  send(mail: Mail): Promise<void>
}
