import type { Topic } from '../../model/notice-topics.ts'
import type { Clock } from '../../platform/core/clock.ts'
import type { DeliveryOutcome } from '../../platform/work/delivery-ports.ts'
import type { EmailMessage } from './email-message.ts'
import type { NoticeStore } from './notice-store.ts'
import type { Mail, MailTransport } from './ports.ts'

/** Headers and reason of a notification that a person can switch off. */
export type Extras = Pick<Mail, 'headers'> & { reason?: { topic: Topic | 'company'; url: string } }

export type Post = ReturnType<typeof createPost>

/** Renders emails and hands them to the mail server, as the attempt of a delivery. */
export function createPost(deps: {
  /** Undefined without a mail server. */
  transport(): MailTransport | undefined
  /** Resolves when the data in the email is durable. */
  whenDurable(): Promise<void>
  render(message: EmailMessage, reason?: Extras['reason']): Pick<Mail, 'subject' | 'text' | 'html'>
  store: Pick<NoticeStore, 'recordRefusal'>
  clock: Clock
}) {
  return {
    async send(
      id: string,
      to: string,
      message: EmailMessage,
      { headers, reason }: Extras = {},
    ): Promise<DeliveryOutcome> {
      const transport = deps.transport()
      if (transport === undefined) return { outcome: 'dropped' }
      const mail = { id, to, ...deps.render(message, reason), ...(headers && { headers }) }
      await deps.whenDurable()
      const result = await transport.send(mail)
      if (result.outcome === 'sent' || result.outcome === 'retry') return result
      const { words } = result
      if (result.outcome === 'refused') await deps.store.recordRefusal(to, words, deps.clock())
      return { outcome: 'dead', words }
    },

    /** Does the work of `send` without sending anything. */
    async pretend(id: string, to: string, message: EmailMessage): Promise<DeliveryOutcome> {
      const transport = deps.transport()
      if (transport === undefined) return { outcome: 'dropped' }
      const mail = { id, to, ...deps.render(message) }
      try {
        await (transport.rehearse?.(mail) ?? transport.check())
      } catch {
        return { outcome: 'retry', words: 'the mail server is unavailable', isUnavailable: true }
      }
      return { outcome: 'sent' }
    },
  }
}
