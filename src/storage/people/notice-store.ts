import { urlHint } from '../../events/webhooks/address-rules.ts'
import type { NoticeStore } from '../../people/mail/ports.ts'
import type { Database } from '../database/tables.ts'
import { readSentFiles } from './own-applications.ts'

export function createNoticeStore({ writer, reader }: Database): NoticeStore {
  /** The advertiser, if the person works there. */
  const workplaceOf = (advertiserId: number, candidateId: string) =>
    reader
      .selectFrom('memberships as membership')
      .innerJoin('advertisers as advertiser', 'advertiser.id', 'membership.advertiser_id')
      .select([
        'advertiser.name',
        'advertiser.status',
        'membership.visited_at as visitedAt',
        'next_retention_months as months',
        'retention_changes_at as changesAt',
      ])
      .where('membership.advertiser_id', '=', advertiserId)
      .where('membership.candidate_id', '=', candidateId)
      .executeTakeFirst()

  return {
    async findReader(candidateId) {
      const row = await reader
        .selectFrom('candidates')
        .select(['email', 'email_confirmed_at', 'muted', 'mail_refused_at'])
        .where('id', '=', candidateId)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { email, email_confirmed_at, muted, mail_refused_at } = row
      return { email, isConfirmed: email_confirmed_at !== null, muted, isRefused: mail_refused_at !== null }
    },

    async findSent(candidateId, applicationId) {
      const sent = await reader
        .selectFrom('own_applications as own')
        .innerJoin('applications as application', join =>
          join
            .onRef('application.advertiser_id', '=', 'own.advertiser_id')
            .onRef('application.id', '=', 'own.application_id'),
        )
        .leftJoin('application_screens as screen', join =>
          join
            .onRef('screen.advertiser_id', '=', 'own.advertiser_id')
            .onRef('screen.application_id', '=', 'own.application_id'),
        )
        .select(['own.job_title as jobTitle', 'own.job_location as jobLocation'])
        .select(['own.advertiser_name as advertiserName', 'own.submitted_at as submittedAt'])
        .select(['screen.application_id as answeredId', 'application.status', 'application.erased_at'])
        .where('own.candidate_id', '=', candidateId)
        .where('own.application_id', '=', applicationId)
        .executeTakeFirst()
      if (sent === undefined) return undefined
      const { answeredId, erased_at, ...application } = sent
      const filesOf = await readSentFiles(reader, candidateId, [application])
      const files = filesOf(applicationId)
      return { ...application, files, hasAnswers: answeredId !== null, isErased: erased_at !== null }
    },

    async findDisclosure(_candidateId, { clientId, advertiserId }) {
      const client = await reader
        .selectFrom('oauth_clients')
        .select('name')
        .where('id', '=', clientId)
        .executeTakeFirst()
      const advertiser =
        advertiserId === null
          ? undefined
          : await reader
              .selectFrom('advertisers')
              .select('name')
              .where('id', '=', advertiserId)
              .executeTakeFirst()
      return client && { clientName: client.name, advertiserName: advertiser?.name ?? null }
    },

    async findNew(advertiserId, { candidateId, firstId, lastId }, { queuedAt, most }) {
      const workplace = await workplaceOf(advertiserId, candidateId)
      if (workplace?.status !== 'active' || (workplace.visitedAt ?? 0) > queuedAt) return undefined
      const found = await reader
        .selectFrom('applications as application')
        .leftJoin('job_ads as ad', join =>
          join
            .onRef('ad.advertiser_id', '=', 'application.advertiser_id')
            .onRef('ad.id', '=', 'application.job_ad_id'),
        )
        .select(({ fn }) => ['ad.title as jobTitle', fn.countAll<number>().as('count')])
        .where('application.advertiser_id', '=', advertiserId)
        .where('application.id', '>=', firstId)
        .where('application.id', '<=', lastId)
        .where('application.status', '!=', 'withdrawn')
        .where('application.erased_at', 'is', null)
        .groupBy(['ad.id', 'ad.title'])
        .execute()
      const byCount = found.toSorted((a, b) => b.count - a.count)
      const sum = (rows: typeof found) => rows.reduce((total, { count }) => total + count, 0)
      if (found.length === 0) return undefined
      return {
        advertiserName: workplace.name,
        count: sum(found),
        ads: byCount.slice(0, most),
        others: sum(byCount.slice(most)),
      }
    },

    async findWithdrawn(advertiserId, { candidateId, applicationId }) {
      const workplace = await workplaceOf(advertiserId, candidateId)
      const application = await reader
        .selectFrom('applications as application')
        .leftJoin('job_ads as ad', join =>
          join
            .onRef('ad.advertiser_id', '=', 'application.advertiser_id')
            .onRef('ad.id', '=', 'application.job_ad_id'),
        )
        .select('ad.title as jobTitle')
        .where('application.advertiser_id', '=', advertiserId)
        .where('application.id', '=', applicationId)
        .executeTakeFirst()
      if (workplace?.status !== 'active' || application === undefined) return undefined
      return { ...application, advertiserName: workplace.name }
    },

    async findRetention(advertiserId, candidateId) {
      const workplace = await workplaceOf(advertiserId, candidateId)
      if (workplace === undefined) return undefined
      const { name, months, changesAt } = workplace
      // Null: it was taken back, or has taken effect.
      return months === null || changesAt === null ? undefined : { advertiserName: name, months, changesAt }
    },

    async findFailingWebhook(advertiserId, { candidateId, endpointId }) {
      const workplace = await workplaceOf(advertiserId, candidateId)
      const endpoint = await reader
        .selectFrom('webhook_endpoints')
        .select(['url', 'failing_since as since', 'stop_reason as reason'])
        .where('id', '=', endpointId)
        .where('advertiser_id', '=', advertiserId)
        .executeTakeFirst()
      // Null: it works again.
      if (workplace === undefined || endpoint === undefined || endpoint.since === null) return undefined
      const { url, since, reason } = endpoint
      return { advertiserName: workplace.name, url: urlHint(url), since, isGone: reason === 'gone' }
    },

    async recordRefusal(email, words, now) {
      await writer
        .updateTable('candidates')
        .set({ mail_refused_at: now, mail_refusal: words })
        .where('email', '=', email)
        .execute()
    },

    async findRefusal(candidateId) {
      const row = await reader
        .selectFrom('candidates')
        .select(['mail_refused_at as at', 'mail_refusal as words'])
        .where('id', '=', candidateId)
        .executeTakeFirst()
      return row === undefined || row.at === null ? undefined : { at: row.at, words: row.words ?? '' }
    },

    async clearRefusal(candidateId) {
      await writer
        .updateTable('candidates')
        .set({ mail_refused_at: null, mail_refusal: null })
        .where('id', '=', candidateId)
        .execute()
    },
  }
}
