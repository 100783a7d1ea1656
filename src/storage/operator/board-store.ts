import { domainToUnicode } from 'node:url'
import { sql } from 'kysely'
import { spellEmail } from '../../core/email.ts'
import { searchForm } from '../../core/search-form.ts'
import type { BoardStore, FoundPerson } from '../../operator/ports.ts'
import type { Database } from '../database/tables.ts'
import { recordAudit } from '../writing/record-audit.ts'

/** Numbers and IDs of the whole board: see the port. */
export function createBoardStore({ reader, writer }: Database): BoardStore {
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
      ...{ resumes: resumes ?? 0, consents: consents ?? 0, companies: companies ?? 0 },
      isOperator: operators === 1,
    }
  }

  return {
    async companies(callsSince) {
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
            'ledger.last_submitted_at as lastAt',
          ]
        })
        .orderBy('advertiser.id')
        .execute()
      return rows.map(({ lastAt, people, admins, applications, calls, ...row }) => ({
        ...row,
        ...{ people: people ?? 0, admins: admins ?? 0 },
        // Sums are decimals on PostgreSQL.
        ...{ applications: Number(applications), calls: Number(calls) },
        lastApplicationAt: lastAt === 0 ? null : lastAt,
      }))
    },

    async unjudged() {
      const waitingIn = (table: 'application_files' | 'resumes') =>
        reader
          .selectFrom(table)
          .select(({ fn }) => [
            'not_judged',
            fn.countAll<number>().as('count'),
            fn.min<number>('uploaded_at').as('oldestAt'),
          ])
          // A literal, as in the partial index of files to scan.
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

    infected: most =>
      reader
        .selectFrom('applications')
        .select(['advertiser_id as advertiserId', 'id as applicationId'])
        // A literal, as in the partial index.
        .where('has_virus', '=', sql.lit(1))
        .orderBy('id', 'desc')
        .limit(most)
        .execute(),

    async refused(most) {
      const rows = await reader
        .selectFrom('candidates')
        .select(['id as candidateId', 'mail_refused_at as at', 'mail_refusal as words'])
        .where('mail_refused_at', 'is not', null)
        .orderBy('mail_refused_at', 'desc')
        .limit(most)
        .execute()
      return rows.map(({ at, words, ...row }) => ({ ...row, at: at ?? 0, words: words ?? '' }))
    },

    liftRefusal: candidateId =>
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

    record: act => writer.transaction().execute(trx => recordAudit(trx, act)),

    nodes: () =>
      reader
        .selectFrom('nodes')
        .select(['id', 'release', 'seen_at as seenAt'])
        .orderBy('seen_at', 'desc')
        .orderBy('id')
        .execute(),

    async findPerson(email) {
      const [local = '', domain = ''] = email.split('@')
      // Applications keep an address as it was sent, perhaps with the domain in its own script.
      const terms = [email, `${local}@${domainToUnicode(domain)}`].map(searchForm)
      const found = await reader
        .selectFrom('advertisers as advertiser')
        .innerJoin('application_terms as term', 'term.advertiser_id', 'advertiser.id')
        .innerJoin('applications as application', join =>
          join
            .onRef('application.advertiser_id', '=', 'term.advertiser_id')
            .onRef('application.id', '=', 'term.application_id'),
        )
        .leftJoin('application_holds as hold', join =>
          join
            .onRef('hold.advertiser_id', '=', 'application.advertiser_id')
            .onRef('hold.application_id', '=', 'application.id'),
        )
        .select(['application.advertiser_id as advertiserId', 'application.id as applicationId'])
        .select(['application.submitted_at as submittedAt', 'application.status'])
        .select(['hold.application_id as heldId', 'application.email'])
        .where('term.term', 'in', terms)
        .where('application.erased_at', 'is', null)
        .distinct()
        .orderBy('application.id')
        .execute()
      const rows = found.filter(row => spellEmail(row.email) === email)
      return {
        account: await accountOf(email),
        applications: rows.map(({ heldId, email: _email, ...row }) => ({
          ...row,
          isOnHold: heldId !== null,
        })),
      }
    },
  }
}
