import type { Kysely, Transaction } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'
import type { Role } from '../../model/principal.ts'
import type { Colleague, Invitation, MemberStore } from '../../people/members/ports.ts'
import { invitationColumns } from '../columns.ts'
import { prepareQuery } from '../database/prepared-query.ts'
import type { Database, Schema } from '../database/tables.ts'
import { bury } from '../writing/bury.ts'
import { lockLivingCandidate } from '../writing/lock-candidate.ts'
import { queueDeliveries } from '../writing/queue-notice.ts'
import { recordAudit } from '../writing/record-audit.ts'
import { registerInvited } from '../writing/register-invited.ts'
import { newestApplication } from './newest-application.ts'

export function createMemberStore({ writer, reader, dialect }: Database): MemberStore {
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

  /**
   * Serialises changes to the members of an advertiser: other transactions wait for this row and then see the change.
   * SQLite has one writer anyway. False if there is no such advertiser.
   */
  async function holdPeople(trx: Transaction<Schema>, advertiserId: number): Promise<boolean> {
    const advertiser = trx.selectFrom('advertisers').select('id').where('id', '=', advertiserId)
    const found = dialect === 'postgres' ? advertiser.forNoKeyUpdate() : advertiser
    return (await found.executeTakeFirst()) !== undefined
  }

  return {
    async find(advertiserId, candidateId) {
      const found = await find({ advertiserId, candidateId })
      return found && { ...found, requiresFactor: found.requiresFactor === 1 }
    },

    workplacesOf: candidateId =>
      workplaces
        .where('membership.candidate_id', '=', candidateId)
        .orderBy('advertiser.name')
        .orderBy('advertiser.id')
        .execute(),

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

    listInvitations: (advertiserId, now): Promise<Invitation<Role>[]> =>
      reader
        .selectFrom('invitations')
        .select(['id', 'email', 'role', 'created_at as createdAt', 'expires_at as expiresAt'])
        .where('advertiser_id', '=', advertiserId)
        .where('expires_at', '>', now)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    invite: (advertiserId, { hash, id, email, role, createdAt, expiresAt }, most, mails = []) =>
      writer.transaction().execute(async trx => {
        if (!(await holdPeople(trx, advertiserId))) return 'missing'
        const members = await trx
          .selectFrom('memberships as membership')
          .innerJoin('candidates as candidate', 'candidate.id', 'membership.candidate_id')
          .select('candidate.email')
          .where('membership.advertiser_id', '=', advertiserId)
          .execute()
        if (members.some(member => member.email === email)) return 'member'
        const open = await trx
          .selectFrom('invitations')
          .select('email')
          .where('advertiser_id', '=', advertiserId)
          .where('expires_at', '>', createdAt)
          .execute()
        const others = open.filter(invitation => invitation.email !== email)
        if (members.length + others.length >= most) return 'too-many'
        await trx
          .deleteFrom('invitations')
          .where('advertiser_id', '=', advertiserId)
          .where('email', '=', email)
          .execute()
        await trx
          .insertInto('invitations')
          .values({
            hash,
            id,
            advertiser_id: advertiserId,
            email,
            role,
            created_at: createdAt,
            expires_at: expiresAt,
          })
          .execute()
        await queueDeliveries(trx, mails, createdAt)
        await recordAudit(trx, {
          ...{ action: 'invitation.send', scope: { advertiserId }, target: `invitation:${id}` },
          after: { role, expiresAt },
        })
        return 'invited'
      }),

    async drawLink(advertiserId, invitationId, hash, now) {
      const drawn = await writer
        .updateTable('invitations')
        .set(eb => ({ former_hash: eb.ref('hash'), hash }))
        .where('advertiser_id', '=', advertiserId)
        .where('id', '=', invitationId)
        .where('expires_at', '>', now)
        .returning(['email', 'role'])
        .executeTakeFirst()
      const advertiser = await reader
        .selectFrom('advertisers')
        .select('name')
        .where('id', '=', advertiserId)
        .executeTakeFirst()
      return drawn && advertiser && { ...drawn, ownerName: advertiser.name }
    },

    takeBack: (advertiserId, invitationId) =>
      writer.transaction().execute(async trx => {
        const taken = await trx
          .deleteFrom('invitations')
          .where('advertiser_id', '=', advertiserId)
          .where('id', '=', invitationId)
          .returning('role')
          .executeTakeFirst()
        if (taken === undefined) return false
        await recordAudit(trx, {
          ...{ action: 'invitation.withdraw', scope: { advertiserId }, target: `invitation:${invitationId}` },
          before: { role: taken.role },
        })
        return true
      }),

    setRole: (advertiserId, candidateId, role) =>
      writer.transaction().execute(async trx => {
        await holdPeople(trx, advertiserId)
        if (role !== 'admin' && (await isLastAdmin(trx, advertiserId, candidateId))) return 'last-admin'
        const member = await trx
          .selectFrom('memberships')
          .select('role')
          .where('advertiser_id', '=', advertiserId)
          .where('candidate_id', '=', candidateId)
          .executeTakeFirst()
        if (member === undefined) return 'missing'
        if (member.role === role) return 'done'
        await trx
          .updateTable('memberships')
          .set({ role })
          .where('advertiser_id', '=', advertiserId)
          .where('candidate_id', '=', candidateId)
          .execute()
        await recordAudit(trx, {
          action: 'member.role',
          scope: { advertiserId },
          target: `person:${candidateId}`,
          before: { role: member.role },
          after: { role },
        })
        return 'done'
      }),

    remove: (advertiserId, candidateId, { mayBeLast = false } = {}) =>
      writer.transaction().execute(async trx => {
        await holdPeople(trx, advertiserId)
        if (!mayBeLast && (await isLastAdmin(trx, advertiserId, candidateId))) return 'last-admin'
        const removed = await trx
          .deleteFrom('memberships')
          .where('advertiser_id', '=', advertiserId)
          .where('candidate_id', '=', candidateId)
          .returning(['created_at', 'role'])
          .executeTakeFirst()
        if (removed === undefined) return 'missing'
        await bury(trx, ['member', advertiserId, candidateId, removed.created_at])
        await recordAudit(trx, {
          action: 'member.remove',
          scope: { advertiserId },
          target: `person:${candidateId}`,
          before: { role: removed.role },
        })
        return 'done'
      }),

    async findInvitation(hash, now) {
      const row = await reader
        .selectFrom('invitations as invitation')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'invitation.advertiser_id')
        .leftJoin('candidates as candidate', 'candidate.email', 'invitation.email')
        .select([
          'advertiser.id as advertiserId',
          'advertiser.name as ownerName',
          'invitation.role as role',
          'invitation.email as email',
          'candidate.email_confirmed_at as confirmedAt',
        ])
        .where('invitation.hash', '=', await currentHash(reader, hash))
        .where('invitation.expires_at', '>', now)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { confirmedAt, advertiserId, ...invitation } = row
      return { ...invitation, owner: { advertiserId }, hasAccount: confirmedAt !== null }
    },

    join: (hash, { candidateId, email }, now) =>
      writer.transaction().execute(async trx => {
        await lockLivingCandidate(trx, candidateId)
        const invitation = await takeInvitation(trx, hash, now, email)
        if (invitation === undefined) return undefined
        await addMember(trx, invitation, candidateId, now)
        return { owner: { advertiserId: invitation.advertiser_id }, candidateId }
      }),

    joinWithAccount: (hash, account, now) =>
      writer.transaction().execute(async trx => {
        const invitation = await takeInvitation(trx, hash, now)
        if (invitation === undefined) return undefined
        const candidateId = await registerInvited(trx, invitation.email, account, now)
        if (candidateId === undefined) {
          await trx.insertInto('invitations').values(invitation).execute()
          return 'taken'
        }
        await addMember(trx, invitation, candidateId, now)
        return { owner: { advertiserId: invitation.advertiser_id }, candidateId }
      }),
  }
}

async function isLastAdmin(
  trx: Transaction<Schema>,
  advertiserId: number,
  candidateId: string,
): Promise<boolean> {
  const admins = await trx
    .selectFrom('memberships')
    .select('candidate_id')
    .where('advertiser_id', '=', advertiserId)
    .where('role', '=', 'admin')
    .execute()
  return admins.length === 1 && admins[0]?.candidate_id === candidateId
}

/** The link of an email before the last one is as good: see `drawLink`. */
async function currentHash(db: Kysely<Schema>, hash: string): Promise<string> {
  const invitation = await db
    .selectFrom('invitations')
    .select('hash')
    .where('former_hash', '=', hash)
    .executeTakeFirst()
  return invitation?.hash ?? hash
}

/** Uses an invitation by deleting its row, so it can be used once. */
async function takeInvitation(
  trx: Transaction<Schema>,
  hash: string,
  now: EpochMs,
  email?: string,
): Promise<Schema['invitations'] | undefined> {
  const taken = trx
    .deleteFrom('invitations')
    .where('hash', '=', await currentHash(trx, hash))
    .where('expires_at', '>', now)
  return (email === undefined ? taken : taken.where('email', '=', email))
    .returning(invitationColumns)
    .executeTakeFirst()
}

/** A person who is already a member, under another address, keeps the higher role. */
async function addMember(
  trx: Transaction<Schema>,
  { id, advertiser_id, role }: Schema['invitations'],
  candidate_id: string,
  now: EpochMs,
): Promise<void> {
  await trx
    .insertInto('memberships')
    .values({
      advertiser_id,
      candidate_id,
      role,
      created_at: now,
      // Emails tell of what arrives from now on.
      told_up_to: newestApplication(advertiser_id),
      told_at: now,
    })
    .onConflict(conflict => {
      const known = conflict.columns(['advertiser_id', 'candidate_id'])
      return role === 'admin' ? known.doUpdateSet({ role }) : known.doNothing()
    })
    .execute()
  await recordAudit(trx, {
    action: 'member.join',
    scope: { advertiserId: advertiser_id },
    target: `person:${candidate_id}`,
    after: { role, invitation: id },
    // The link proves the person, signed in or not.
    actor: { kind: 'person', id: candidate_id, proof: 'link' },
  })
}
