import type { SentFormStore } from '../../core/sent-forms.ts'
import type { Database } from '../schema.ts'

export function createSentFormStore({ writer }: Database): SentFormStore {
  return {
    async claim(key, expiresAt) {
      const claimed = await writer
        .insertInto('sent_forms')
        .values({ key, location: '', expires_at: expiresAt })
        .onConflict(conflict => conflict.column('key').doNothing())
        .executeTakeFirst()
      return claimed.numInsertedOrUpdatedRows === 1n
    },

    // From the writer: the form before it may have ended a moment ago.
    async find(key) {
      const row = await writer
        .selectFrom('sent_forms')
        .select('location')
        .where('key', '=', key)
        .executeTakeFirst()
      return row?.location || undefined
    },

    async finish(key, location) {
      await writer.updateTable('sent_forms').set({ location }).where('key', '=', key).execute()
    },

    async release(key) {
      await writer.deleteFrom('sent_forms').where('key', '=', key).execute()
    },
  }
}
