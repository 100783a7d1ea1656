import type { MailTransport } from '../people/mail/ports.ts'
import type { Clock } from '../platform/core/clock.ts'
import { newUuid } from '../platform/core/ids.ts'
import type { MailInOutbox, OutboxStore } from './outbox-store.ts'

export type Outbox = ReturnType<typeof createOutbox>

/** The emails the demo would have sent. Public, because the demo runs on one machine for one person. */
export function createOutbox({ store, clock }: { store: OutboxStore; clock: Clock }) {
  const transport: MailTransport = {
    async send({ to, subject, text, html }) {
      await store.add({ id: newUuid(), recipient: to, subject, body: text, html, sentAt: clock() })
      return { outcome: 'sent' }
    },
    check: async () => {},
  }
  return { transport, list: (): Promise<MailInOutbox[]> => store.list(100), findHtml: store.findHtml }
}
