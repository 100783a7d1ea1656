import type { Kysely } from 'kysely'
import { type FileType, fileTypes } from '../../model/application.ts'
import { emptyProfile } from '../../model/profile.ts'
import { questionsIn } from '../../model/v1/stored-screen.ts'
import type { OwnApplicationFile, OwnDataStore } from '../../people/own-data/ports.ts'
import { primaryInfoOf } from '../database/primary-info.ts'
import { scanOf } from '../database/scan-columns.ts'
import type { Database, Schema } from '../database/tables.ts'

/** Everything that a candidate may take along, piece by piece. */
export function createOwnDataStore({ reader }: Database): OwnDataStore {
  return {
    async account(candidateId) {
      const row = await reader
        .selectFrom('candidates')
        .select(['id', 'email', 'email_confirmed_at', 'first_name', 'last_name', 'profile', 'created_at'])
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

    memberships: candidateId =>
      reader
        .selectFrom('memberships as membership')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'membership.advertiser_id')
        .select(['advertiser.name as advertiserName', 'membership.role', 'membership.created_at as since'])
        .where('membership.candidate_id', '=', candidateId)
        .orderBy('membership.created_at')
        .orderBy('advertiser.id')
        .execute(),

    links: (candidateId, now) =>
      reader
        .selectFrom('account_links')
        .select(['purpose', 'email', 'expires_at as expiresAt'])
        .where('candidate_id', '=', candidateId)
        .where('expires_at', '>', now)
        .orderBy('expires_at')
        .execute(),

    async applications(candidateId, before, limit) {
      let query = reader
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
        .select(['own.application_id', 'own.job_ad_id', 'own.job_title as ad_title', 'own.job_location'])
        .select(['own.advertiser_name', 'own.submitted_at', 'screen.json'])
        .select(['application.email', 'application.first_name', 'application.last_name', 'application.phone'])
        .select(['application.job_reference', 'application.erased_at', 'application.is_new_to_work_force'])
        .select(['application.job_title', 'application.company_name', 'application.time_in_role_months'])
        .where('own.candidate_id', '=', candidateId)
        .orderBy('own.submitted_at', 'desc')
        .orderBy('own.application_id', 'desc')
        .limit(limit)
      if (before !== undefined)
        query = query.where(({ eb, refTuple, tuple }) =>
          eb(
            refTuple('own.submitted_at', 'own.application_id'),
            '<',
            tuple(before.submittedAt, before.applicationId),
          ),
        )
      const rows = await query.execute()
      const files = await filesOf(reader, candidateId, rows)
      return rows.map(row => ({
        applicationId: row.application_id,
        jobAdId: row.job_ad_id,
        jobTitle: row.ad_title,
        jobLocation: row.job_location,
        advertiserName: row.advertiser_name,
        jobReference: row.job_reference,
        submittedAt: row.submitted_at,
        erasedAt: row.erased_at,
        contact: {
          email: row.email,
          firstName: row.first_name,
          lastName: row.last_name,
          phone: row.phone,
        },
        primaryJobSeekingInfo: primaryInfoOf(row),
        questions: row.json === null ? [] : questionsIn(row.json),
        files: files
          .filter(({ applicationId }) => applicationId === row.application_id)
          .map(({ applicationId, ...file }): OwnApplicationFile => file)
          .toSorted((a, b) => orderOf(a.type) - orderOf(b.type)),
      }))
    },

    startedApplications(candidateId, before, limit) {
      const newest = reader
        .selectFrom('prefilled_applications as application')
        .innerJoin('oauth_clients as client', 'client.id', 'application.client_id')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'application.advertiser_id')
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
        .where('application.candidate_id', '=', candidateId)
        .orderBy('application.created_at', 'desc')
        .orderBy('application.id', 'desc')
        .limit(limit)
      if (before === undefined) return newest.execute()
      return newest
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('application.created_at', 'application.id'), '<', tuple(before.createdAt, before.id)),
        )
        .execute()
    },

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

const orderOf = (type: FileType) => fileTypes.indexOf(type)

/** Of a run of the candidate's applications, newest first. */
async function filesOf(
  reader: Kysely<Schema>,
  candidateId: string,
  rows: readonly { submitted_at: number }[],
): Promise<(OwnApplicationFile & { applicationId: number })[]> {
  const [newest, oldest] = [rows[0], rows.at(-1)]
  if (newest === undefined || oldest === undefined) return []
  return reader
    .selectFrom('own_applications as own')
    .innerJoin('application_files as file', join =>
      join
        .onRef('file.advertiser_id', '=', 'own.advertiser_id')
        .onRef('file.application_id', '=', 'own.application_id'),
    )
    .select(['file.application_id as applicationId', 'file.type', 'file.file_name as fileName'])
    .select(['file.content_type as contentType', 'file.blob', 'file.sha256', 'file.size'])
    .select(scanOf('file').as('scan'))
    .select('file.uploaded_at as uploadedAt')
    .where('own.candidate_id', '=', candidateId)
    .where('own.submitted_at', '>=', oldest.submitted_at)
    .where('own.submitted_at', '<=', newest.submitted_at)
    .execute()
}
