import { sql } from 'kysely'
import type { ApplicationStatus } from '../model/application-status.ts'
import { adoptAddress } from '../people/account/moved-addresses-store.ts'
import type { Act } from '../platform/audit/acts.ts'
import { recordAudit } from '../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import { mailboxOf, storedSpellings } from '../platform/core/email.ts'
import { searchForm } from '../platform/core/search-form.ts'
import type { Database } from '../platform/database/tables.ts'
import { sameApplication } from '../schema/same-application.ts'

/** A company as the operator sees it: figures only, no personal data. */
export interface CompanyFigures {
  id: number
  people: number
  admins: number
  applications: number
  /** API calls since that day. */
  calls: number
  /** Unanswered applications, counted up to `unansweredCounted`; null before the first count. */
  unanswered: number | null
  lastApplicationAt: EpochMs | null
}

/** Everything stored about one email address: IDs and counts, no texts by the person. */
export interface FoundPerson {
  account:
    | {
        candidateId: string
        createdAt: EpochMs
        isConfirmed: boolean
        resumes: number
        consents: number
        companies: number
        isOperator: boolean
      }
    | undefined
  applications: {
    advertiserId: number
    applicationId: number
    submittedAt: EpochMs
    status: ApplicationStatus
    isOnHold: boolean
  }[]
  /** Reports of jobs made with this address. */
  reports: number
}

export type BoardStore = ReturnType<typeof createBoardStore>

/** Figures and IDs of the whole board, for the operator's pages. */
export function createBoardStore({ reader, writer }: Database) {
  async function accountOf(email: string): Promise<FoundPerson['account']> {
    const row = await reader
      .selectFrom('candidates as candidate')
      .select(eb => {
        const countIn = (table: 'resumes' | 'grants' | 'memberships' | 'operators') =>
          eb
            .selectFrom(table)
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .whereRef(`${table}.candidate_id`, '=', 'candidate.id')
        return [
          'candidate.id as candidateId',
          'candidate.created_at as createdAt',
          'candidate.email_confirmed_at as confirmedAt',
          countIn('resumes').as('resumes'),
          countIn('grants').where('grants.withdrawn_at', 'is', null).as('consents'),
          countIn('memberships').as('companies'),
          countIn('operators').as('operators'),
        ]
      })
      .where('candidate.email', '=', email)
      .executeTakeFirst()
    if (row === undefined) return undefined
    const { confirmedAt, operators, resumes, consents, companies, ...account } = row
    return {
      ...account,
      isConfirmed: confirmedAt !== null,
      resumes: resumes ?? 0,
      consents: consents ?? 0,
      companies: companies ?? 0,
      isOperator: operators === 1,
    }
  }

  return {
    async companies(callsSince: string): Promise<CompanyFigures[]> {
      const rows = await reader
        .selectFrom('advertisers as advertiser')
        .innerJoin('advertiser_ledger as ledger', 'ledger.advertiser_id', 'advertiser.id')
        .select(eb => {
          const members = eb
            .selectFrom('memberships')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .whereRef('memberships.advertiser_id', '=', 'advertiser.id')
          return [
            'advertiser.id',
            members.as('people'),
            members.where('memberships.role', '=', 'admin').as('admins'),
            sql<number>`coalesce((select sum(applications) from application_counts
              where advertiser_id = advertiser.id), 0)`.as('applications'),
            sql<number>`coalesce((select sum(calls) from api_call_days
              where advertiser_id = advertiser.id and day >= ${callsSince}), 0)`.as('calls'),
            'advertiser.unanswered',
            'ledger.last_submitted_at as lastAt',
          ]
        })
        .orderBy('advertiser.id')
        .execute()
      return rows.map(({ lastAt, people, admins, applications, calls, ...row }) => ({
        ...row,
        people: people ?? 0,
        admins: admins ?? 0,
        // Sums are decimals on PostgreSQL.
        applications: Number(applications),
        calls: Number(calls),
        lastApplicationAt: lastAt === 0 ? null : lastAt,
      }))
    },

    /**
     * Files without a verdict. `refused`: an available scanner does not judge them, for instance because they are too
     * large.
     */
    async unjudged() {
      const waitingIn = (table: 'application_files' | 'resumes') =>
        reader
          .selectFrom(table)
          .select(({ fn }) => [
            'not_judged',
            fn.countAll<number>().as('count'),
            fn.min<number>('uploaded_at').as('oldestAt'),
          ])
          // A literal, to match the partial index of files to scan.
          .where('scan', '=', sql.lit('unscanned'))
          .where('blob', '>', '')
          .groupBy('not_judged')
          .orderBy('not_judged')
          .execute()
      const [files, resumes] = await Promise.all([waitingIn('application_files'), waitingIn('resumes')])
      const named = (rows: typeof files, of: 'application' | 'account') =>
        rows.map(({ not_judged, ...row }) => ({
          ...row,
          of,
          reason: not_judged === 1 ? ('refused' as const) : ('waiting' as const),
        }))
      return [...named(files, 'application'), ...named(resumes, 'account')]
    },

    /** Newest first. */
    infected: (max: number) =>
      reader
        .selectFrom('applications')
        .select(['advertiser_id as advertiserId', 'id as applicationId'])
        // A literal, to match the partial index.
        .where('has_virus', '=', sql.lit(1))
        .orderBy('id', 'desc')
        .limit(max)
        .execute(),

    /** Accounts whose mail server rejects our emails. */
    async refused(max: number) {
      const rows = await reader
        .selectFrom('candidates')
        .select(['id as candidateId', 'mail_refused_at as at', 'mail_refusal as words'])
        .where('mail_refused_at', 'is not', null)
        .orderBy('mail_refused_at', 'desc')
        .limit(max)
        .execute()
      return rows.map(({ at, words, ...row }) => ({ ...row, at: at ?? 0, words: words ?? '' }))
    },

    /** Resumes emails to this account; false if its address rejects none. */
    liftRefusal: (candidateId: string): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const { numUpdatedRows } = await trx
          .updateTable('candidates')
          .set({ mail_refused_at: null, mail_refusal: null })
          .where('id', '=', candidateId)
          .where('mail_refused_at', 'is not', null)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) return false
        await recordAudit(trx, { action: 'mail.lift', scope: 'board', target: `person:${candidateId}` })
        return true
      }),

    /** Records acts that change no row. */
    record: (act: Act): Promise<void> => writer.transaction().execute(trx => recordAudit(trx, act)),

    nodes: () =>
      reader
        .selectFrom('nodes')
        .select(['id', 'release', 'seen_at as seenAt'])
        .orderBy('seen_at', 'desc')
        .orderBy('id')
        .execute(),

    /** Finds the account, the reports, and all companies' unerased applications with exactly this address. */
    async findPerson(email: string): Promise<FoundPerson> {
      await adoptAddress({ reader, writer }, email)
      // Applications store an address as it was sent.
      const terms = [...new Set(storedSpellings(email).map(searchForm))]
      const found = await reader
        .selectFrom('advertisers as advertiser')
        .innerJoin('application_terms as term', 'term.advertiser_id', 'advertiser.id')
        .innerJoin('applications as application', join => sameApplication(join, 'application', 'term'))
        .leftJoin('application_holds as hold', join => sameApplication(join, 'hold', 'application'))
        .select(['application.advertiser_id as advertiserId', 'application.id as applicationId'])
        .select(['application.submitted_at as submittedAt', 'application.status'])
        .select(['hold.application_id as heldId', 'application.email'])
        .where('term.term', 'in', terms)
        .where('application.erased_at', 'is', null)
        .distinct()
        .orderBy('application.id')
        .execute()
      const rows = found.filter(row => mailboxOf(row.email) === email)
      const { reports } = await reader
        .selectFrom('job_reports')
        .select(({ fn }) => fn.countAll<number>().as('reports'))
        .where('email', 'in', storedSpellings(email))
        .executeTakeFirstOrThrow()
      return {
        reports: Number(reports),
        account: await accountOf(email),
        applications: rows.map(({ heldId, email: _email, ...row }) => ({
          ...row,
          isOnHold: heldId !== null,
        })),
      }
    },
  }
}
