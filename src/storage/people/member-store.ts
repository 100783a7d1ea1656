import type { Role } from '../../model/principal.ts'
import type { Colleague, MemberStore } from '../../people/members/ports.ts'
import { prepareQuery } from '../database/prepared-query.ts'
import type { Database } from '../database/tables.ts'
import { bury } from '../writing/bury.ts'
import { keepPeople } from './keep-people.ts'
import { newestApplication } from './newest-application.ts'

const actions = {
  invite: 'invitation.send',
  uninvite: 'invitation.withdraw',
  role: 'member.role',
  remove: 'member.remove',
  join: 'member.join',
} as const

/** The people of advertisers. */
export function createMemberStore(database: Database): MemberStore {
  const { reader } = database
  const workplaces = reader
    .selectFrom('memberships as membership')
    .innerJoin('advertisers as advertiser', 'advertiser.id', 'membership.advertiser_id')
    .select([
      'advertiser.id as advertiserId',
      'advertiser.name as advertiserName',
      'advertiser.logo_hash as logoHash',
      'advertiser.status as status',
      'advertiser.time_zone as timeZone',
      'membership.role as role',
    ])

  const find = prepareQuery(reader, (values: { advertiserId: number; candidateId: string }) =>
    workplaces
      .select('advertiser.requires_factor as requiresFactor')
      .where('membership.advertiser_id', '=', values.advertiserId)
      .where('membership.candidate_id', '=', values.candidateId),
  )

  return {
    ...keepPeople(database, {
      of: 'advertisers',
      ownerOf: advertiserId => ({ advertiserId }),
      actOf: (doing, advertiserId) => ({ action: actions[doing], scope: { advertiserId } }),
      notedOf: () => ({}),
      // Emails tell of what arrives from now on.
      newMember: (advertiserId, now) => ({ told_up_to: newestApplication(advertiserId), told_at: now }),
      bury: (trx, advertiserId, candidateId, joinedAt) =>
        bury(trx, ['member', advertiserId, candidateId, joinedAt]),
    }),

    async find(advertiserId, candidateId) {
      const found = await find({ advertiserId, candidateId })
      return found && { ...found, requiresFactor: found.requiresFactor === 1 }
    },

    async list(advertiserId): Promise<Colleague<Role>[]> {
      const found = await reader
        .selectFrom('memberships as membership')
        .innerJoin('candidates as candidate', 'candidate.id', 'membership.candidate_id')
        .select(eb => [
          eb
            .or(
              (['totp_factors', 'passkeys'] as const).map(factor =>
                eb.exists(
                  eb
                    .selectFrom(factor)
                    .select('candidate_id')
                    .whereRef(`${factor}.candidate_id`, '=', 'candidate.id'),
                ),
              ),
            )
            .as('hasFactor'),
          'candidate.id as candidateId',
          'candidate.email as email',
          'candidate.first_name as firstName',
          'candidate.last_name as lastName',
          'membership.role as role',
          'membership.created_at as since',
        ])
        .where('membership.advertiser_id', '=', advertiserId)
        .orderBy('membership.created_at')
        .orderBy('candidate.email')
        .execute()
      // SQLite has no booleans.
      return found.map(({ hasFactor, ...colleague }) => ({ ...colleague, hasFactor: Boolean(hasFactor) }))
    },

    workplacesOf: candidateId =>
      workplaces
        .where('membership.candidate_id', '=', candidateId)
        .orderBy('advertiser.name')
        .orderBy('advertiser.id')
        .execute(),
  }
}
