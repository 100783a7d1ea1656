import type { PrivacyNotice } from '../model/privacy-notice.ts'
import { auditAddresses } from '../platform/audit/acts.ts'
import { recordAudit } from '../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import type { Database } from '../platform/database/tables.ts'

/** A URL or a text; with neither, the company has removed its notice. */
export interface NoticeContent {
  url: string | null
  content: string | null
}

export type StoredNotice = PrivacyNotice & NoticeContent

const columns = ['version', 'url', 'content', 'created_at as createdAt'] as const

export type PrivacyNoticeStore = ReturnType<typeof createPrivacyNoticeStore>

/** The privacy notices of companies. Versions are added, never changed. */
export function createPrivacyNoticeStore({ writer, reader, dialect }: Database) {
  return {
    /** Newest first; the newest is in force. */
    list: (advertiserId: number, limit: number): Promise<StoredNotice[]> =>
      reader
        .selectFrom('privacy_notices')
        .select(columns)
        .where('advertiser_id', '=', advertiserId)
        .orderBy('version', 'desc')
        .limit(limit)
        .execute(),

    /** Includes the company's name. */
    find: (
      advertiserId: number,
      version: number,
    ): Promise<(StoredNotice & { advertiserName: string }) | undefined> =>
      reader
        .selectFrom('privacy_notices as notice')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'notice.advertiser_id')
        .select(['notice.version', 'notice.url', 'notice.content', 'notice.created_at as createdAt'])
        .select('advertiser.name as advertiserName')
        .where('notice.advertiser_id', '=', advertiserId)
        .where('notice.version', '=', version)
        .executeTakeFirst(),

    /** Adds a version, unless the newest has the same content; returns false if there is no such advertiser. */
    add: (advertiserId: number, { url, content }: NoticeContent, at: EpochMs): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const advertiser = await trx
          .selectFrom('advertisers')
          .select('id')
          .where('id', '=', advertiserId)
          .$if(dialect === 'postgres', query => query.forNoKeyUpdate())
          .executeTakeFirst()
        if (advertiser === undefined) return false
        const newest = await trx
          .selectFrom('privacy_notices')
          .select(columns)
          .where('advertiser_id', '=', advertiserId)
          .orderBy('version', 'desc')
          .limit(1)
          .executeTakeFirst()
        if ((newest?.url ?? null) === url && (newest?.content ?? null) === content) return true
        const version = (newest?.version ?? 0) + 1
        await trx
          .insertInto('privacy_notices')
          .values({ advertiser_id: advertiserId, version, url, content, created_at: at })
          .execute()
        await recordAudit(trx, {
          action: 'company.privacy',
          scope: { ownerId: advertiserId },
          target: `company:${advertiserId}`,
          after: {
            version,
            isSet: (url ?? content) !== null,
            privacyUrl: url === null ? null : auditAddresses(url),
          },
        })
        return true
      }),
  }
}
