import { createTransport } from 'nodemailer'
import type { MailTransport } from './ports.ts'

export interface SmtpOptions {
  /** `smtp:` upgrades to TLS if the server offers it; `smtps:` starts with TLS. */
  url: string
  from: { name: string; address: string } | string
  connectMs: number
}

export function createSmtpMailer({ url, from, connectMs }: SmtpOptions): MailTransport {
  const transport = createTransport(
    {
      url,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: connectMs,
      // Our emails are plain text; their content must never make the process read a file or a URL.
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    // Prevents automatic replies such as holiday notices (RFC 3834).
    { from, headers: { 'Auto-Submitted': 'auto-generated' } },
  )
  return {
    async check() {
      await transport.verify()
    },
    async send({ to, subject, text }) {
      // An object, so that the address is never parsed as a list or as a name with another address.
      await transport.sendMail({ to: { name: '', address: to }, subject, text })
    },
  }
}
