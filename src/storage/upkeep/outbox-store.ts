import type { MailInOutbox, OutboxStore } from '../../demo/ports.ts'
import type { Database } from '../database/tables.ts'

export function createOutboxStore({ writer, reader }: Database): OutboxStore {
  return {
    async add({ id, recipient, subject, body, html, sentAt }) {
      await writer
        .insertInto('demo_outbox')
        .values({ id, recipient, subject, body, html, sent_at: sentAt })
        .execute()
    },

    list: (most): Promise<MailInOutbox[]> =>
      reader
        .selectFrom('demo_outbox')
        .select(['id', 'recipient', 'subject', 'body', 'sent_at as sentAt'])
        .orderBy('sent_at', 'desc')
        .orderBy('id')
        .limit(most)
        .execute(),

    async findHtml(id) {
      const row = await reader
        .selectFrom('demo_outbox')
        .select('html')
        .where('id', '=', id)
        .executeTakeFirst()
      return row?.html
    },
  }
}
