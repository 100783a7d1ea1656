import type { JoinBuilder } from 'kysely'
import type { PrivacyNotice } from '../model/privacy-notice.ts'
import type { Schema } from '../platform/database/tables.ts'

type Joined = { application: Schema['applications']; notice: Schema['privacy_notices'] }

/** Joins the version of the company's privacy notice under which an application was sent. */
export const onPrivacyNoticeVersion = <Join extends Pick<JoinBuilder<Joined, keyof Joined>, 'onRef'>>(
  join: Join,
) =>
  join
    .onRef('notice.advertiser_id', '=', 'application.advertiser_id')
    .onRef('notice.version', '=', 'application.privacy_version')

export const privacyNoticeColumns = [
  'notice.version as notice_version',
  'notice.url as notice_url',
  'notice.created_at as notice_at',
] as const

export function privacyNoticeOf(row: {
  notice_version: number | null
  notice_url: string | null
  notice_at: number | null
}): PrivacyNotice | null {
  const { notice_version: version, notice_url: url, notice_at: createdAt } = row
  return version === null || createdAt === null ? null : { version, url, createdAt }
}
