import type { Mail, MailTransport, SendResult } from '../../src/people/mail/ports.ts'
import type { Services } from './services.ts'

/** A mailbox in which a test finds the next email; `results` are the server's answers to the next ones. */
export function postBox() {
  const waiting: { resolve: (mail: Mail) => void; to?: string }[] = []
  const mails: Mail[] = []
  const results: SendResult[] = []
  const transport: MailTransport = {
    check: async () => {},
    async send(mail) {
      const result = results.shift() ?? { outcome: 'sent' }
      const index = waiting.findIndex(({ to = mail.to }) => to === mail.to)
      if (index < 0) mails.push(mail)
      else waiting.splice(index, 1)[0]?.resolve(mail)
      return result
    },
  }
  return {
    transport,
    results,
    /** Not taken by `next` yet. */
    mails,
    /** With `to`, skips emails to others: what an earlier test has queued may arrive here, too. */
    next: (to?: string) =>
      new Promise<Mail>(resolve => {
        const index = mails.findIndex(mail => mail.to === (to ?? mail.to))
        const [mail] = index < 0 ? [] : mails.splice(index, 1)
        if (mail === undefined) waiting.push({ resolve, ...(to !== undefined && { to }) })
        else resolve(mail)
      }),
  }
}

/** Makes the services send their emails into a new mailbox. */
export function usePostBox(services: Services) {
  const box = postBox()
  services.useOutlet({ transport: box.transport, authUrl: () => 'https://auth.example' })
  return {
    ...box,
    /** Every email since the last call, once all that are due have been sent. */
    async sent(): Promise<Mail[]> {
      await services.background.whenIdle()
      while (Object.keys((await services.deliveries.run()).did).length > 0);
      return box.mails.splice(0)
    },
  }
}
