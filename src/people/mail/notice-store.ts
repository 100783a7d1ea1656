import { urlHint } from '../../events/webhooks/address-rules.ts'
import type { AgentWebhookFailing, Notice, WebhookFailing } from '../../model/notice.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database } from '../../platform/database/tables.ts'
import { namedAdvertiser } from '../../schema/client-advertisers.ts'
import { readSentFiles } from '../../schema/own-applications.ts'
import { sameApplication } from '../../schema/same-application.ts'
import type { NewApplications, NoticeReader, NoticeSubjects, SentApplication } from './ports.ts'

export type NoticeStore = ReturnType<typeof createNoticeStore>

/** Looks up the subjects of notices; undefined if a subject no longer exists, so that no notice is sent. */
export function createNoticeStore({ writer, reader }: Database) {
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

  /** Null if there are no failed events, because they were sent again. */
  async function givenUpEvents(endpointId: string, advertiserId: number | undefined) {
    const { events, lastAt } = await reader
      .selectFrom('webhook_lanes')
      .select(({ fn }) => [
        fn.countAll<number>().as('events'),
        fn.max<number | null>('ended_at').as('lastAt'),
      ])
      .where('endpoint_id', '=', endpointId)
      .where('ended', '=', 'given-up')
      .$if(advertiserId !== undefined, query => query.where('advertiser_id', '=', advertiserId as number))
      .executeTakeFirstOrThrow()
    return lastAt === null ? null : { events, lastAt }
  }

  async function failingEndpoint(
    ownerName: string,
    column: 'advertiser_id' | 'agent_id',
    ownerId: number,
    { endpointId, isGivenUp }: WebhookFailing | AgentWebhookFailing,
  ) {
    const endpoint = await reader
      .selectFrom('webhook_endpoints')
      .select(['url', 'failing_since', 'stop_reason as reason', 'key_lost_at'])
      .where('id', '=', endpointId)
      .where(column, '=', ownerId)
      .executeTakeFirst()
    if (endpoint === undefined) return undefined
    const givenUp = isGivenUp
      ? await givenUpEvents(endpointId, column === 'advertiser_id' ? ownerId : undefined)
      : null
    // Null: the endpoint works again, or the events were sent again.
    const since = isGivenUp ? givenUp?.lastAt : (endpoint.key_lost_at ?? endpoint.failing_since)
    if (since === null || since === undefined) return undefined
    return {
      ownerName,
      url: urlHint(endpoint.url),
      since,
      isGone: endpoint.reason === 'gone',
      isKeyLost: endpoint.key_lost_at !== null,
      givenUp,
    }
  }

  const applicationsWithAds = (advertiserId: number) =>
    reader
      .selectFrom('applications as application')
      .leftJoin('job_ads as ad', join =>
        join
          .onRef('ad.advertiser_id', '=', 'application.advertiser_id')
          .onRef('ad.id', '=', 'application.job_ad_id'),
      )
      .where('application.advertiser_id', '=', advertiserId)

  const countNew = (advertiserId: number, { firstId, lastId }: { firstId: number; lastId: number }) =>
    applicationsWithAds(advertiserId)
      .select(({ fn }) => ['ad.title as jobTitle', fn.countAll<number>().as('count')])
      .where('application.id', '>=', firstId)
      .where('application.id', '<=', lastId)
      .where('application.status', '!=', 'withdrawn')
      .where('application.erased_at', 'is', null)
      .groupBy(['ad.id', 'ad.title'])
      .execute()

  const titlesOf = async (advertiserId: number, ids: readonly number[]) =>
    ids.length === 0
      ? []
      : applicationsWithAds(advertiserId)
          .select(['application.id', 'ad.title as jobTitle'])
          .where('application.id', 'in', ids)
          .orderBy('application.id', 'desc')
          .execute()

  return {
    async findReader(candidateId: string): Promise<NoticeReader | undefined> {
      const row = await reader
        .selectFrom('candidates')
        .select(['email', 'email_confirmed_at', 'muted', 'mail_refused_at'])
        .where('id', '=', candidateId)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { email, email_confirmed_at, muted, mail_refused_at } = row
      return { email, isConfirmed: email_confirmed_at !== null, muted, isRefused: mail_refused_at !== null }
    },

    /** An application that its candidate sent. */
    async findSent(candidateId: string, applicationId: number): Promise<SentApplication | undefined> {
      const sent = await reader
        .selectFrom('own_applications as own')
        .innerJoin('applications as application', join => sameApplication(join, 'application', 'own'))
        .leftJoin('application_screens as screen', join => sameApplication(join, 'screen', 'own'))
        .select(['own.job_title as jobTitle', 'own.job_location as jobLocation'])
        .select(['own.advertiser_name as advertiserName', 'own.submitted_at as submittedAt'])
        .leftJoin('kept_applications as kept', join => sameApplication(join, 'kept', 'own'))
        .select('kept.until as keptUntil')
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

    async findDisclosure(
      _candidateId: string,
      { clientId, advertiserId }: Extract<Notice, { kind: 'first-disclosure' }>,
    ): Promise<NoticeSubjects['first-disclosure'] | undefined> {
      return reader
        .selectFrom('oauth_clients as client')
        .leftJoin('advertisers as advertiser', join => join.on('advertiser.id', '=', advertiserId ?? 0))
        .select(['client.name as clientName', namedAdvertiser.as('advertiserName')])
        .where('client.id', '=', clientId)
        .executeTakeFirst()
    },

    /**
     * This method and the next two are for members of the advertiser. `findNew` returns nothing while the advertiser is
     * on hold, and counts no new applications for a member who has visited the company since `queuedAt`.
     */
    async findNew(
      advertiserId: number,
      notice: Extract<Notice, { kind: 'new-applications' }>,
      { queuedAt, most }: { queuedAt: EpochMs; most: number },
    ): Promise<NewApplications | undefined> {
      const workplace = await workplaceOf(advertiserId, notice.candidateId)
      if (workplace?.status !== 'active') return undefined
      const hasSeenNew = (workplace.visitedAt ?? 0) > queuedAt
      const found = hasSeenNew ? [] : await countNew(advertiserId, notice)
      const withdrawn = await titlesOf(advertiserId, notice.withdrawnIds ?? [])
      if (found.length === 0 && withdrawn.length === 0) return undefined
      const byCount = found.toSorted((a, b) => b.count - a.count)
      const sum = (rows: typeof found) => rows.reduce((total, { count }) => total + count, 0)
      return {
        advertiserName: workplace.name,
        count: sum(found),
        ads: byCount.slice(0, most),
        others: sum(byCount.slice(most)),
        withdrawn,
      }
    },

    async findRetention(
      advertiserId: number,
      candidateId: string,
    ): Promise<NoticeSubjects['retention-shortened'] | undefined> {
      const workplace = await workplaceOf(advertiserId, candidateId)
      if (workplace === undefined) return undefined
      const { name, months, changesAt } = workplace
      // Null: the change was cancelled, or has taken effect.
      return months === null || changesAt === null ? undefined : { advertiserName: name, months, changesAt }
    },

    /** An endpoint that still fails, has stopped, or has failed events that were not sent again. */
    async findFailingWebhook(
      advertiserId: number,
      notice: WebhookFailing,
    ): Promise<NoticeSubjects['webhook-failing'] | undefined> {
      const workplace = await workplaceOf(advertiserId, notice.candidateId)
      return workplace && failingEndpoint(workplace.name, 'advertiser_id', advertiserId, notice)
    },

    /** Like `findFailingWebhook`, for an admin of the agent. */
    async findFailingAgentWebhook(
      agentId: number,
      notice: AgentWebhookFailing,
    ): Promise<NoticeSubjects['webhook-failing'] | undefined> {
      const agent = await reader
        .selectFrom('agent_members as member')
        .innerJoin('agents as agent', 'agent.id', 'member.agent_id')
        .select('agent.name')
        .where('member.agent_id', '=', agentId)
        .where('member.candidate_id', '=', notice.candidateId)
        .where('member.role', '=', 'admin')
        .executeTakeFirst()
      return agent && failingEndpoint(agent.name, 'agent_id', agentId, notice)
    },

    /** Records that the mail server rejects the address; its account gets no notifications until it is cleared. */
    async recordRefusal(email: string, words: string, now: EpochMs): Promise<void> {
      await writer
        .updateTable('candidates')
        .set({ mail_refused_at: now, mail_refusal: words })
        .where('email', '=', email)
        .execute()
    },

    async findRefusal(candidateId: string): Promise<{ at: EpochMs; words: string } | undefined> {
      const row = await reader
        .selectFrom('candidates')
        .select(['mail_refused_at as at', 'mail_refusal as words'])
        .where('id', '=', candidateId)
        .executeTakeFirst()
      return row === undefined || row.at === null ? undefined : { at: row.at, words: row.words ?? '' }
    },

    async clearRefusal(candidateId: string): Promise<void> {
      await writer
        .updateTable('candidates')
        .set({ mail_refused_at: null, mail_refusal: null })
        .where('id', '=', candidateId)
        .execute()
    },
  }
}
