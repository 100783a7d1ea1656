import type { Config } from '../config.ts'
import { mailOf } from '../people/mail/messages.ts'
import type { Mailer, MailTransport } from '../people/mail/ports.ts'
import type { DemoModule } from './demo.ts'

/** Undefined without a mail server: everything that needs email is then switched off and says so. */
export function mailerOf(...[config, demo, options]: Parameters<typeof transportOf>): Mailer | undefined {
  const transport = transportOf(config, demo, options)
  const sender = { name: config.BOARD_NAME, contactUrl: config.BOARD_CONTACT }
  return transport && { ...transport, send: message => transport.send(mailOf(message, sender)) }
}

function transportOf(
  config: Config,
  { outbox }: Pick<DemoModule, 'outbox'>,
  { isDemo, authUrl }: { isDemo: boolean; authUrl(): string },
): MailTransport | undefined {
  if (isDemo) return outbox.transport
  const { SMTP_URL: url, MAIL_FROM } = config
  if (url === undefined) return undefined
  // Loaded with the first email, when our own address is known too.
  const load = async () => {
    const { createSmtpMailer } = await import('../people/mail/smtp-adapter.ts')
    const address = MAIL_FROM ?? `no-reply@${new URL(authUrl()).hostname}`
    const from = address.includes('<') ? address : { name: config.BOARD_NAME, address }
    return createSmtpMailer({ url, from, connectMs: config.limits.mailConnectMs })
  }
  let smtp: Promise<MailTransport> | undefined
  const loaded = () => {
    smtp ??= load()
    return smtp
  }
  return {
    send: async mail => (await loaded()).send(mail),
    check: async () => (await loaded()).check(),
  }
}
