import { sql } from 'kysely'
import { mutedBit, type Rhythm, type Topic } from '../../model/notice-topics.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { getMeta, putMetaIfAbsent } from '../../platform/database/meta.ts'
import type { Database } from '../../platform/database/tables.ts'
import { newestApplication } from '../../schema/newest-application.ts'

/** The emails that a person has switched off, and when their mail server rejected ours. */
export interface Preferences {
  muted: number
  refusedAt: EpochMs | null
}

const keyOfLinks = 'key of links in emails'

export type NotificationStore = ReturnType<typeof createNotificationStore>

export function createNotificationStore({ writer, reader }: Database) {
  /** Undefined if this person is not a member. */
  async function rhythm(advertiserId: number, candidateId: string) {
    const row = await reader
      .selectFrom('memberships')
      .select('notify')
      .where('advertiser_id', '=', advertiserId)
      .where('candidate_id', '=', candidateId)
      .executeTakeFirst()
    return row?.notify
  }

  return {
    rhythm,

    preferences: (candidateId: string): Promise<Preferences | undefined> =>
      reader
        .selectFrom('candidates')
        .select(['muted', 'mail_refused_at as refusedAt'])
        .where('id', '=', candidateId)
        .executeTakeFirst(),

    /** Replaces all muted topics. */
    async setMuted(candidateId: string, muted: number): Promise<void> {
      await writer.updateTable('candidates').set({ muted }).where('id', '=', candidateId).execute()
    },

    // Computed in the statement, so that two links used at the same time both take effect.
    /** Changes only this topic. */
    async setTopic(candidateId: string, topic: Topic, isOn: boolean): Promise<void> {
      const bit = sql.lit(mutedBit(topic))
      const muted = isOn ? sql<number>`muted & ~ ${bit}` : sql<number>`muted | ${bit}`
      await writer.updateTable('candidates').set({ muted }).where('id', '=', candidateId).execute()
    },

    /** Emails that are switched on cover only what arrives from then on. */
    async setRhythm(advertiserId: number, candidateId: string, chosen: Rhythm, now: EpochMs): Promise<void> {
      const told_up_to = sql<number>`case when notify = 'off' then ${newestApplication(advertiserId)}
        else told_up_to end`
      await writer.transaction().execute(async trx => {
        await trx
          .updateTable('memberships')
          // If the member chooses daily emails, applications since the last email wait for the morning.
          .set({ notify: chosen, told_up_to, ...(chosen === 'daily' ? { told_at: now } : {}) })
          .where('advertiser_id', '=', advertiserId)
          .where('candidate_id', '=', candidateId)
          .where('notify', '!=', chosen)
          .execute()
        if (chosen === 'off')
          await trx
            .deleteFrom('untold_withdrawals')
            .where('advertiser_id', '=', advertiserId)
            .where('candidate_id', '=', candidateId)
            .execute()
      })
    },

    /** The key of the links in emails; all callers get the first caller's. */
    async linkKey(fresh: string): Promise<string> {
      await putMetaIfAbsent(writer, keyOfLinks, fresh)
      return (await getMeta(writer, keyOfLinks)) as string
    },
  }
}
