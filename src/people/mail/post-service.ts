import type { Clock } from '../../core/clock.ts'
import type { DeliveryOutcome } from '../../work/delivery-ports.ts'
import type { Letter } from './letter.ts'
import type { Mail, MailTransport, NoticeStore } from './ports.ts'

/** What notifications have besides their text, for those that a person can switch off. */
export type Extras = Pick<Mail, 'headers'> & { reason?: { text: string; label: string; url: string } }

export type Post = ReturnType<typeof createPost>

/** Renders letters and hands them to the mail server, as the attempt of a delivery. */
export function createPost(deps: {
  /** Undefined without a mail server. */
  transport(): MailTransport | undefined
  render(letter: Letter, reason?: Extras['reason']): Pick<Mail, 'subject' | 'text' | 'html'>
  store: Pick<NoticeStore, 'recordRefusal'>
  clock: Clock
}) {
  return {
    async send(
      id: string,
      to: string,
      letter: Letter,
      { headers, reason }: Extras = {},
    ): Promise<DeliveryOutcome> {
      const transport = deps.transport()
      if (transport === undefined) return { outcome: 'dropped' }
      const mail = { id, to, ...deps.render(letter, reason), ...(headers && { headers }) }
      const result = await transport.send(mail)
      if (result.outcome === 'sent' || result.outcome === 'retry') return result
      const { words } = result
      if (result.outcome === 'refused') await deps.store.recordRefusal(to, words, deps.clock())
      return { outcome: 'dead', words }
    },
  }
}
