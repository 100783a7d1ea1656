import { sql } from 'kysely'
import { mutedBit } from '../../model/notice-topics.ts'
import type { NotificationStore } from '../../people/notifications/ports.ts'
import type { Database } from '../database/tables.ts'
import { newestApplication } from './newest-application.ts'

const keyOfLinks = 'key of links in emails'

export function createNotificationStore({ writer, reader }: Database): NotificationStore {
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

    preferences: candidateId =>
      reader
        .selectFrom('candidates')
        .select(['muted', 'mail_refused_at as refusedAt'])
        .where('id', '=', candidateId)
        .executeTakeFirst(),

    async setMuted(candidateId, muted) {
      await writer.updateTable('candidates').set({ muted }).where('id', '=', candidateId).execute()
    },

    // In the statement, so that two links used at once both take effect.
    async setTopic(candidateId, topic, isOn) {
      const bit = sql.lit(mutedBit(topic))
      const muted = isOn ? sql<number>`muted & ~ ${bit}` : sql<number>`muted | ${bit}`
      await writer.updateTable('candidates').set({ muted }).where('id', '=', candidateId).execute()
    },

    async setRhythm(advertiserId, candidateId, chosen, now) {
      const told_up_to = sql<number>`case when notify = 'off' then ${newestApplication(advertiserId)}
        else told_up_to end`
      await writer
        .updateTable('memberships')
        // What has arrived since the last email waits for the morning, if the member chooses so.
        .set({ notify: chosen, told_up_to, ...(chosen === 'daily' ? { told_at: now } : {}) })
        .where('advertiser_id', '=', advertiserId)
        .where('candidate_id', '=', candidateId)
        .where('notify', '!=', chosen)
        .execute()
    },

    async linkKey(fresh) {
      await writer
        .insertInto('meta')
        .values({ key: keyOfLinks, value: fresh })
        .onConflict(conflict => conflict.column('key').doNothing())
        .execute()
      const { value } = await writer
        .selectFrom('meta')
        .select('value')
        .where('key', '=', keyOfLinks)
        .executeTakeFirstOrThrow()
      return value
    },
  }
}
