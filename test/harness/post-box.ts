import type { Services } from '../../src/app.ts'
import type { Mail, MailTransport, SendResult } from '../../src/people/mail/ports.ts'

/** A mailbox in which a test finds the next email; `results` are the server's answers to the next ones. */
export function postBox() {
  const waiting: ((mail: Mail) => void)[] = []
  const mails: Mail[] = []
  const results: SendResult[] = []
  const transport: MailTransport = {
    check: async () => {},
    async send(mail) {
      const result = results.shift() ?? { outcome: 'sent' }
      const next = waiting.shift()
      if (next === undefined) mails.push(mail)
      else next(mail)
      return result
    },
  }
  return {
    transport,
    results,
    /** Not taken by `next` yet. */
    mails,
    next: () =>
      new Promise<Mail>(resolve => {
        const mail = mails.shift()
        if (mail === undefined) waiting.push(resolve)
        else resolve(mail)
      }),
  }
}

/** Makes the services send their emails into a new mailbox. */
export function usePostBox(services: Services) {
  const box = postBox()
  services.useOutlet({ transport: box.transport, authUrl: () => 'https://auth.example' })
  return box
}
