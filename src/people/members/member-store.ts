import { roles } from '../../model/principal.ts'
import { prepareQuery } from '../../platform/database/prepared-query.ts'
import type { Database } from '../../platform/database/tables.ts'
import { newestApplication } from '../../schema/newest-application.ts'
import type { Workplace } from './rules.ts'
import { workplaceStore } from './workplace-store.ts'

const actions = {
  invite: 'invitation.send',
  uninvite: 'invitation.withdraw',
  role: 'member.role',
  remove: 'member.remove',
  join: 'member.join',
} as const

export type MemberStore = ReturnType<typeof createMemberStore>

/** The people of advertisers. */
export function createMemberStore(database: Database) {
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
      .select(['advertiser.requires_factor as requiresFactor', 'advertiser.answer_days as answerDays'])
      .where('membership.advertiser_id', '=', values.advertiserId)
      .where('membership.candidate_id', '=', values.candidateId),
  )

  return {
    ...workplaceStore(database, {
      members: 'memberships',
      invitations: 'invitations',
      owner: { table: 'advertisers', column: 'advertiser_id' },
      roles,
      highest: 'admin',
      // Emails report only applications that arrive from now on.
      newMember: (advertiserId, now) => ({ told_up_to: newestApplication(advertiserId), told_at: now }),
      target: 'person',
      act: (doing, advertiserId, entry) => ({
        action: actions[doing],
        scope: { ownerId: advertiserId },
        ...entry,
      }),
      tombstone: (...member) => ['member', ...member],
    }),

    /** Undefined if this person is not a member, or there is no such advertiser. */
    async find(
      advertiserId: number,
      candidateId: string,
    ): Promise<(Workplace & { requiresFactor: boolean; answerDays: number | null }) | undefined> {
      const member = await find({ advertiserId, candidateId })
      return member && { ...member, requiresFactor: member.requiresFactor === 1 }
    },

    /** Sorted by the advertiser's name. */
    workplacesOf: (candidateId: string): Promise<Workplace[]> =>
      workplaces
        .where('membership.candidate_id', '=', candidateId)
        .orderBy('advertiser.name')
        .orderBy('advertiser.id')
        .execute(),
  }
}
