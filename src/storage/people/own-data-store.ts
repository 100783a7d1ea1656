import type { OwnRead } from '../../apply/form/ports.ts'
import { emptyProfile } from '../../model/profile.ts'
import { questionsIn } from '../../model/v1/stored-screen.ts'
import type { OwnDataStore } from '../../people/own-data/ports.ts'
import { primaryInfoOf } from '../database/primary-info.ts'
import type { Database } from '../database/tables.ts'
import { readSentFiles, sentApplications, startedApplications } from './own-applications.ts'
import { historiesOfOwn, readsOfOwn } from './reads-of-own.ts'

/** Everything that a candidate may export, part by part. */
export function createOwnDataStore({ reader }: Database): OwnDataStore {
  return {
    async account(candidateId) {
      const row = await reader
        .selectFrom('candidates')
        .select(['id', 'email', 'email_confirmed_at', 'first_name', 'last_name', 'profile', 'created_at'])
        .select(['muted', 'mail_refused_at'])
        .where('id', '=', candidateId)
        .executeTakeFirst()
      return (
        row && {
          candidateId: row.id,
          email: row.email,
          emailConfirmedAt: row.email_confirmed_at,
          firstName: row.first_name,
          lastName: row.last_name,
          createdAt: row.created_at,
          muted: row.muted,
          mailRefusedAt: row.mail_refused_at,
          profile: { ...emptyProfile, ...JSON.parse(row.profile) },
        }
      )
    },

    consents: candidateId =>
      reader
        .selectFrom('grants as consent')
        .innerJoin('oauth_clients as client', 'client.id', 'consent.client_id')
        .leftJoin('advertisers as advertiser', 'advertiser.id', 'consent.advertiser_id')
        .select([
          'client.name as clientName',
          'advertiser.name as advertiserName',
          'consent.scope',
          'consent.released',
          'consent.filled',
          'consent.created_at as createdAt',
          'consent.decided_at as decidedAt',
          'consent.withdrawn_at as withdrawnAt',
        ])
        .where('consent.candidate_id', '=', candidateId)
        .orderBy('consent.created_at')
        .orderBy('consent.id')
        .execute(),

    async memberships(candidateId) {
      const [companies, agents, board] = await Promise.all([
        reader
          .selectFrom('memberships as membership')
          .innerJoin('advertisers as advertiser', 'advertiser.id', 'membership.advertiser_id')
          .select(['advertiser.name as advertiserName', 'membership.role', 'membership.created_at as since'])
          .select('membership.notify as rhythm')
          .where('membership.candidate_id', '=', candidateId)
          .orderBy('membership.created_at')
          .orderBy('advertiser.id')
          .execute(),
        reader
          .selectFrom('agent_members as membership')
          .innerJoin('agents as agent', 'agent.id', 'membership.agent_id')
          .select(['agent.name as agentName', 'membership.role', 'membership.created_at as since'])
          .where('membership.candidate_id', '=', candidateId)
          .orderBy('membership.created_at')
          .orderBy('agent.id')
          .execute(),
        reader
          .selectFrom('operators')
          .select(['role', 'created_at as since'])
          .where('candidate_id', '=', candidateId)
          .execute(),
      ])
      return [...companies, ...agents, ...board]
    },

    links: (candidateId, now) =>
      reader
        .selectFrom('account_links')
        .select(['purpose', 'email', 'expires_at as expiresAt'])
        .where('candidate_id', '=', candidateId)
        .where('expires_at', '>', now)
        .orderBy('expires_at')
        .execute(),

    async applications(candidateId, before, limit) {
      const rows = await sentApplications(reader, candidateId, before, limit)
        .select(['own.application_id', 'own.job_ad_id', 'own.job_title as ad_title', 'own.job_location'])
        .select(['own.advertiser_name', 'own.submitted_at as submittedAt', 'screen.json'])
        .select(['application.email', 'application.first_name', 'application.last_name', 'application.phone'])
        .select(['application.job_reference', 'application.erased_at', 'application.is_new_to_work_force'])
        .select('application.status')
        .select(['application.job_title', 'application.company_name', 'application.time_in_role_months'])
        .execute()
      const times = { from: rows.at(-1)?.submittedAt, until: rows[0]?.submittedAt }
      const [filesOf, historyOf] = await Promise.all([
        readSentFiles(reader, candidateId, rows),
        historiesOfOwn(reader, candidateId, times),
      ])
      const readsOf = new Map<number, OwnRead[]>()
      // One after the other, so that an export does not take all connections.
      for (const { application_id: applicationId } of rows)
        readsOf.set(applicationId, await readsOfOwn(reader, candidateId, { applicationId }))
      return rows.map(row => ({
        applicationId: row.application_id,
        jobAdId: row.job_ad_id,
        jobTitle: row.ad_title,
        jobLocation: row.job_location,
        advertiserName: row.advertiser_name,
        jobReference: row.job_reference,
        submittedAt: row.submittedAt,
        status: row.status,
        history: historyOf.get(row.application_id) ?? [],
        reads: readsOf.get(row.application_id) ?? [],
        erasedAt: row.erased_at,
        contact: {
          email: row.email,
          firstName: row.first_name,
          lastName: row.last_name,
          phone: row.phone,
        },
        primaryJobSeekingInfo: primaryInfoOf(row),
        questions: row.json === null ? [] : questionsIn(row.json),
        files: filesOf(row.application_id),
      }))
    },

    startedApplications: (candidateId, before, limit) =>
      startedApplications(reader, candidateId, before && [before.createdAt, before.id], limit)
        .select([
          'application.id',
          'client.name as clientName',
          'advertiser.name as advertiserName',
          'application.form_url as formUrl',
          'application.position_title as positionTitle',
          'application.position_uri as positionUri',
          'application.position_reference as positionReference',
          'application.country_code as countryCode',
          'application.postal_code as postalCode',
          'application.created_at as createdAt',
          'application.updated_at as updatedAt',
          'application.completed_at as completedAt',
        ])
        .execute(),

    recipients: (candidateId, limit) =>
      reader
        .selectFrom('disclosures as disclosure')
        .innerJoin('oauth_clients as client', 'client.id', 'disclosure.client_id')
        .leftJoin('advertisers as advertiser', 'advertiser.id', 'disclosure.advertiser_id')
        .select(['client.name as clientName', 'advertiser.name as advertiserName'])
        .distinct()
        .where('disclosure.candidate_id', '=', candidateId)
        .orderBy('client.name')
        .orderBy('advertiser.name')
        .limit(limit)
        .execute(),

    async advertisersAppliedTo(candidateId, limit) {
      const rows = await reader
        .selectFrom('own_applications')
        .select('advertiser_name')
        .distinct()
        .where('candidate_id', '=', candidateId)
        .orderBy('advertiser_name')
        .limit(limit)
        .execute()
      return rows.map(row => row.advertiser_name)
    },
  }
}
