import type { EpochMs } from '../platform/core/clock.ts'
import type { Database } from '../platform/database/tables.ts'

export interface MailInOutbox {
  id: string
  recipient: string
  subject: string
  /** The text form. */
  body: string
  sentAt: EpochMs
}

export type OutboxStore = ReturnType<typeof createOutboxStore>

/** Emails of the demo, which sends none. */
export function createOutboxStore({ writer, reader }: Database) {
  return {
    async add({
      id,
      recipient,
      subject,
      body,
      html,
      sentAt,
    }: MailInOutbox & { html: string }): Promise<void> {
      await writer
        .insertInto('demo_outbox')
        .values({ id, recipient, subject, body, html, sent_at: sentAt })
        .execute()
    },

    /** Newest first. */
    list: (max: number): Promise<MailInOutbox[]> =>
      reader
        .selectFrom('demo_outbox')
        .select(['id', 'recipient', 'subject', 'body', 'sent_at as sentAt'])
        .orderBy('sent_at', 'desc')
        .orderBy('id')
        .limit(max)
        .execute(),

    async findHtml(id: string): Promise<string | undefined> {
      const row = await reader
        .selectFrom('demo_outbox')
        .select('html')
        .where('id', '=', id)
        .executeTakeFirst()
      return row?.html
    },
  }
}
