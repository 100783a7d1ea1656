import type { Config } from '../config.ts'
import type { Mailer } from '../people/mail/ports.ts'
import type { DemoModule } from './demo.ts'

/** Undefined without a mail server: everything that needs email is then switched off and says so. */
export function mailerOf(
  config: Config,
  { outbox }: Pick<DemoModule, 'outbox'>,
  { isDemo, authUrl }: { isDemo: boolean; authUrl(): string },
): Mailer | undefined {
  if (isDemo) return outbox.mailer
  const { SMTP_URL: url, MAIL_FROM } = config
  if (url === undefined) return undefined
  // Loaded with the first email, when our own address is known too.
  const load = async () => {
    const { createSmtpMailer } = await import('../people/mail/smtp-adapter.ts')
    const from = MAIL_FROM ?? `no-reply@${new URL(authUrl()).hostname}`
    return createSmtpMailer({ url, from, connectMs: config.limits.mailConnectMs })
  }
  let smtp: Promise<Mailer> | undefined
  const loaded = () => {
    smtp ??= load()
    return smtp
  }
  return {
    send: async mail => (await loaded()).send(mail),
    check: async () => (await loaded()).check(),
  }
}
