import type { OwnHistoryEntry, OwnRead } from '../../apply/form/own-application.ts'
import { historiesOfOwn, readsOfOwn } from '../../apply/form/reads-of-own-store.ts'
import type { AnyFileType, Contact, PrimaryJobSeekingInfo, ResultQuestion } from '../../model/application.ts'
import type { ReadOnRecord } from '../../model/application-read.ts'
import type { ApplicationStatus, ChosenStatus, ProgressReason } from '../../model/application-status.ts'
import type { ReportOutcome, ReportReason } from '../../model/job-report.ts'
import type { Rhythm } from '../../model/notice-topics.ts'
import { privacyNoticeHref } from '../../model/privacy-notice.ts'
import { emptyProfile, type Profile } from '../../model/profile.ts'
import { questionsIn } from '../../model/v1/stored-screen.ts'
import type { ReceivedFile } from '../../platform/blobs/stored-file.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database } from '../../platform/database/tables.ts'
import { namedAdvertiser } from '../../schema/client-advertisers.ts'
import { readSentFiles, sentApplications, startedApplications } from '../../schema/own-applications.ts'
import { primaryInfoOf } from '../../schema/primary-info.ts'
import { sameApplication } from '../../schema/same-application.ts'
import type { Account, LinkPurpose } from '../account/records.ts'

/** An account as exported for its owner, without the password hash. */
export interface OwnAccount extends Omit<Account, 'passwordHash'> {
  createdAt: EpochMs
  profile: Profile
  /** Bits of the notifications that are switched off. */
  muted: number
  mailRefusedAt: EpochMs | null
}

export interface OwnConsent {
  clientName: string
  advertiserName: string | null
  scope: string
  /** Bits of the released categories; `filled`: of those that had content at the time. */
  released: number
  filled: number
  createdAt: EpochMs
  decidedAt: EpochMs
  withdrawnAt: EpochMs | null
}

export interface OwnApplicationFile extends ReceivedFile {
  type: AnyFileType
}

/** An application sent from here. The result of the questionnaire is only for the advertiser. */
export interface OwnSentApplication {
  applicationId: number
  jobAdId: number
  jobTitle: string
  jobLocation: string
  advertiserName: string
  jobReference: string | null
  submittedAt: EpochMs
  status: ApplicationStatus
  /** Without the company's notes. */
  history: OwnHistoryEntry[]
  reads: ReadOnRecord[]
  /** Path of the company's privacy notice shown above the form. */
  privacyNotice: string | null
  /** The last day for which the company may keep it for other jobs; null: none. */
  keptUntil: string | null
  erasedAt: EpochMs | null
  contact: Contact
  primaryJobSeekingInfo: PrimaryJobSeekingInfo | null
  questions: ResultQuestion[]
  files: OwnApplicationFile[]
}

/** An application started on another website with data from here. */
export interface OwnStartedApplication {
  id: string
  clientName: string
  /** Null unless the client may act for the advertiser. */
  advertiserName: string | null
  formUrl: string
  positionTitle: string | null
  positionUri: string | null
  positionReference: string | null
  countryCode: string | null
  postalCode: string | null
  createdAt: EpochMs
  updatedAt: EpochMs
  completedAt: EpochMs | null
  /** Statuses that the website reported, oldest first. */
  reported: { at: EpochMs; status: ChosenStatus; reason: ProgressReason | null }[]
}

/** Membership of a company, an agent or the job board (which has no name). */
export interface OwnMembership {
  advertiserName?: string
  agentName?: string
  role: string
  since: EpochMs
  /** How often emails announce a company's applications. */
  rhythm?: Rhythm
}

/** An emailed link that can still be used. */
export interface OwnLink {
  purpose: LinkPurpose | 'undo'
  email: string
  expiresAt: EpochMs
}

/** A recipient of data, and the advertiser on whose behalf it asked. */
export interface Recipient {
  clientName: string
  advertiserName: string | null
}

/** A job that was reported with the address of the account. */
export interface OwnReport {
  id: string
  jobAdId: number
  reason: ReportReason
  details: string
  reportedAt: EpochMs
  outcome: ReportOutcome | null
}

export type OwnDataStore = ReturnType<typeof createOwnDataStore>

/** Everything that a candidate may export, in parts. */
export function createOwnDataStore({ reader }: Database) {
  return {
    async account(candidateId: string): Promise<OwnAccount | undefined> {
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

    /** All consents ever given, including withdrawn ones. */
    consents: (candidateId: string): Promise<OwnConsent[]> =>
      reader
        .selectFrom('grants as consent')
        .innerJoin('oauth_clients as client', 'client.id', 'consent.client_id')
        .leftJoin('advertisers as advertiser', 'advertiser.id', 'consent.advertiser_id')
        .select([
          'client.name as clientName',
          namedAdvertiser.as('advertiserName'),
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

    async memberships(candidateId: string): Promise<OwnMembership[]> {
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

    async links(candidateId: string, now: EpochMs): Promise<OwnLink[]> {
      const links = await reader
        .selectFrom('account_links')
        .select(['purpose', 'email', 'expires_at as expiresAt'])
        .where('candidate_id', '=', candidateId)
        .where('expires_at', '>', now)
        .execute()
      const undos = await reader
        .selectFrom('undo_links')
        .select(['email', 'expires_at as expiresAt'])
        .where('candidate_id', '=', candidateId)
        .whereRef('hash', '=', 'change_id')
        .where('expires_at', '>', now)
        .execute()
      return [...links, ...undos.map(undo => ({ purpose: 'undo' as const, ...undo }))].toSorted(
        (a, b) => a.expiresAt - b.expiresAt,
      )
    },

    /** Newest first, starting after `before` if given. */
    async applications(
      candidateId: string,
      before: Pick<OwnSentApplication, 'submittedAt' | 'applicationId'> | undefined,
      limit: number,
    ): Promise<OwnSentApplication[]> {
      const rows = await sentApplications(reader, candidateId, before, limit)
        .select(['own.application_id', 'own.job_ad_id', 'own.job_title as ad_title', 'own.job_location'])
        .select(['own.advertiser_name', 'own.submitted_at as submittedAt'])
        .select(['screen.json', 'screen.details'])
        .select(['application.email', 'application.first_name', 'application.last_name', 'application.phone'])
        .select(['application.job_reference', 'application.erased_at', 'application.is_new_to_work_force'])
        .select('application.status')
        .leftJoin('kept_applications as kept', join => sameApplication(join, 'kept', 'own'))
        .select('kept.until as keptUntil')
        .select(['own.advertiser_id', 'application.privacy_version as version'])
        .select(['application.job_title', 'application.company_name', 'application.time_in_role_months'])
        .execute()
      const times = { from: rows.at(-1)?.submittedAt, until: rows[0]?.submittedAt }
      const [filesOf, historyOf] = await Promise.all([
        readSentFiles(reader, candidateId, rows),
        historiesOfOwn(reader, candidateId, times),
      ])
      const readsOf = new Map<number, OwnRead[]>()
      // Sequential, so that an export does not take all connections.
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
        privacyNotice:
          row.version === null
            ? null
            : privacyNoticeHref(row.advertiser_id, { version: row.version, url: null }),
        keptUntil: row.keptUntil,
        erasedAt: row.erased_at,
        contact: {
          email: row.email,
          firstName: row.first_name,
          lastName: row.last_name,
          phone: row.phone,
        },
        primaryJobSeekingInfo: primaryInfoOf(row),
        questions: row.json === null ? [] : questionsIn({ json: row.json, details: row.details }),
        files: filesOf(row.application_id),
      }))
    },

    async startedApplications(
      candidateId: string,
      before: Pick<OwnStartedApplication, 'createdAt' | 'id'> | undefined,
      limit: number,
    ): Promise<OwnStartedApplication[]> {
      const position = before && ([before.createdAt, before.id] as const)
      const rows = await startedApplications(reader, candidateId, position, limit)
        .select([
          'application.id',
          'client.name as clientName',
          namedAdvertiser.as('advertiserName'),
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
        // Candidates get reasons only if the company shows them; applications sent here have the same rule.
        .select(({ selectFrom }) =>
          selectFrom('advertisers as company')
            .select('company.shows_reasons')
            .whereRef('company.id', '=', 'application.advertiser_id')
            .as('showsReasons'),
        )
        .execute()
      if (rows.length === 0) return []
      const ids = rows.map(({ id }) => id)
      const reports = await reader
        .selectFrom('prefill_progress')
        .select(['prefilled_application_id as id', 'at', 'state as status', 'reason'])
        .where('prefilled_application_id', 'in', ids)
        .orderBy('prefilled_application_id')
        .orderBy('position')
        .execute()
      const ofApplication = Map.groupBy(reports, ({ id }) => id)
      return rows.map(({ showsReasons, ...row }) => ({
        ...row,
        reported: (ofApplication.get(row.id) ?? []).map(({ at, status, reason }) => ({
          at,
          status,
          reason: showsReasons === 1 ? reason : null,
        })),
      }))
    },

    /** Job reports sent with the account's confirmed address. */
    reports: (email: string): Promise<OwnReport[]> =>
      reader
        .selectFrom('job_reports')
        .select(['id', 'job_ad_id as jobAdId', 'reason', 'details', 'reported_at as reportedAt', 'outcome'])
        .where('email', '=', email)
        .orderBy('reported_at')
        .execute(),

    /** Websites that have received data from the profile, by name. */
    recipients: (candidateId: string, limit: number): Promise<Recipient[]> =>
      reader
        .selectFrom('disclosures as disclosure')
        .innerJoin('oauth_clients as client', 'client.id', 'disclosure.client_id')
        .leftJoin('advertisers as advertiser', 'advertiser.id', 'disclosure.advertiser_id')
        .select(['client.name as clientName', namedAdvertiser.as('advertiserName')])
        .distinct()
        .where('disclosure.candidate_id', '=', candidateId)
        .orderBy('clientName')
        .orderBy('advertiserName')
        .limit(limit)
        .execute(),

    /** Advertisers that received an application from here, by their name at the time. */
    async advertisersAppliedTo(candidateId: string, limit: number): Promise<string[]> {
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
