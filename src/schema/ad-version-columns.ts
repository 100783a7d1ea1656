import type { JoinBuilder } from 'kysely'
import type { AdVersion } from '../model/ad-version.ts'
import type { Schema } from '../platform/database/tables.ts'

type Joined = { application: Schema['applications']; seen: Schema['ad_versions'] }

/** Joins the version of the ad that an application was sent for. */
export const ofSeenAd = <Join extends Pick<JoinBuilder<Joined, keyof Joined>, 'onRef'>>(join: Join) =>
  join
    .onRef('seen.advertiser_id', '=', 'application.advertiser_id')
    .onRef('seen.job_ad_id', '=', 'application.job_ad_id')
    .onRef('seen.version', '=', 'application.ad_version')

export const seenAdColumns = [
  'seen.job_ad_id as seen_id',
  'seen.version as seen_version',
  'seen.content as seen_content',
  'seen.created_at as seen_at',
] as const

export function seenAdOf(row: {
  seen_id: number | null
  seen_version: number | null
  seen_content: string | null
  seen_at: number | null
}): AdVersion | null {
  const { seen_id: jobAdId, seen_version: version, seen_content: content, seen_at: createdAt } = row
  if (jobAdId === null || version === null || content === null || createdAt === null) return null
  return { jobAdId, version, createdAt, ...JSON.parse(content) }
}
