import type { SentFormStore } from '../../http/rates/sent-forms-ports.ts'
import type { Database } from '../database/tables.ts'

export function createSentFormStore({ writer }: Database): SentFormStore {
  return {
    async claim(key, now, until) {
      const claim = { location: '', expires_at: until }
      const claimed = await writer
        .insertInto('sent_forms')
        .values({ key, ...claim })
        .onConflict(conflict =>
          conflict.column('key').doUpdateSet(claim).where('sent_forms.expires_at', '<=', now),
        )
        .executeTakeFirst()
      return claimed.numInsertedOrUpdatedRows === 1n
    },

    // From the writer: the previous submission may have been committed a moment ago.
    async find(key) {
      const row = await writer
        .selectFrom('sent_forms')
        .select('location')
        .where('key', '=', key)
        .executeTakeFirst()
      return row?.location || undefined
    },

    async finish(key, until, { location, expiresAt }) {
      await writer
        .updateTable('sent_forms')
        .set({ location, expires_at: expiresAt })
        .where('key', '=', key)
        .where('expires_at', '=', until)
        .execute()
    },

    async release(key, until) {
      await writer.deleteFrom('sent_forms').where('key', '=', key).where('expires_at', '=', until).execute()
    },
  }
}
