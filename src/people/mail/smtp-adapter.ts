import { createTransport } from 'nodemailer'
import type { Mailer } from './ports.ts'

export interface SmtpOptions {
  /** `smtp:` upgrades to TLS where the server offers it; `smtps:` begins with it. */
  url: string
  from: string
  connectMs: number
}

export function createSmtpMailer({ url, from, connectMs }: SmtpOptions): Mailer {
  const transport = createTransport(
    {
      url,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: connectMs,
      // Our mails are text; nothing in one may make the process read a file or an address.
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    // So that no mailbox answers to a machine with a note about a holiday (RFC 3834).
    { from, headers: { 'Auto-Submitted': 'auto-generated' } },
  )
  return {
    async check() {
      await transport.verify()
    },
    async send({ to, subject, text }) {
      // As an object: nobody's address is read as two, or as a name with another address behind it.
      await transport.sendMail({ to: { name: '', address: to }, subject, text })
    },
  }
}
