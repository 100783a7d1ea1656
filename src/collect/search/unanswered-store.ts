import type { Database } from '../../platform/database/tables.ts'

export type UnansweredStore = ReturnType<typeof createUnansweredStore>

/** Each company's number of unanswered applications, as of the last count. */
export function createUnansweredStore({ reader, writer }: Database) {
  return {
    /** Companies with IDs above `after`, in order. */
    companies: (
      after: number,
      limit: number,
    ): Promise<{ advertiserId: number; answerDays: number | null; unanswered: number | null }[]> =>
      reader
        .selectFrom('advertisers')
        .select(['id as advertiserId', 'answer_days as answerDays', 'unanswered'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute(),

    async record(advertiserId: number, unanswered: number): Promise<void> {
      await writer.updateTable('advertisers').set({ unanswered }).where('id', '=', advertiserId).execute()
    },

    /** The total of all companies; undefined before the first count. */
    async total(): Promise<number | undefined> {
      const { total } = await reader
        .selectFrom('advertisers')
        .select(({ fn }) => fn.sum<number | string | null>('unanswered').as('total'))
        .executeTakeFirstOrThrow()
      // A decimal on PostgreSQL.
      return total === null ? undefined : Number(total)
    },
  }
}
