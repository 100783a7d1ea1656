import type { EpochMs } from '../../core/clock.ts'
import type { Database } from '../../database/tables.ts'

export type SentFormStore = ReturnType<typeof createSentFormStore>

/** Remembers submitted forms, so that each is processed once, on whichever node it arrives. */
export function createSentFormStore({ writer }: Database) {
  return {
    /** Returns false if this form was submitted before or is being processed, until it is forgotten. */
    async claim(key: string, now: EpochMs, until: EpochMs): Promise<boolean> {
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

    // Read from the writer: the previous submission may have been committed a moment ago.
    /** The location to which the form led; undefined if unknown or still being processed. */
    async find(key: string): Promise<string | undefined> {
      const row = await writer
        .selectFrom('sent_forms')
        .select('location')
        .where('key', '=', key)
        .executeTakeFirst()
      return row?.location || undefined
    },

    /** `finish` and `release` do nothing if the claim, identified by its end, now belongs to another request. */
    async finish(
      key: string,
      until: EpochMs,
      { location, expiresAt }: { location: string; expiresAt: EpochMs },
    ): Promise<void> {
      await writer
        .updateTable('sent_forms')
        .set({ location, expires_at: expiresAt })
        .where('key', '=', key)
        .where('expires_at', '=', until)
        .execute()
    },

    async release(key: string, until: EpochMs): Promise<void> {
      await writer.deleteFrom('sent_forms').where('key', '=', key).where('expires_at', '=', until).execute()
    },
  }
}
