import type { Kysely, Transaction } from 'kysely'
import type { EpochMs } from '../../core/clock.ts'
import type { AgentMemberStore } from '../../people/members/ports.ts'
import { prepareQuery } from '../database/prepared-query.ts'
import type { Database, Schema } from '../database/tables.ts'
import { bury } from '../writing/bury.ts'
import { lockLivingCandidate } from '../writing/lock-candidate.ts'
import { queueDeliveries } from '../writing/queue-notice.ts'
import { recordAudit } from '../writing/record-audit.ts'
import { registerInvited } from '../writing/register-invited.ts'

type Invitation = Schema['agent_invitations']

const invitationColumns = [
  ...(['hash', 'former_hash', 'id', 'agent_id', 'email', 'role', 'created_at', 'expires_at'] as const),
]

/** The people of agents, as `member-store.ts` keeps those of advertisers. Their acts are in the board's log. */
export function createAgentMemberStore({ writer, reader, dialect }: Database): AgentMemberStore {
  const workplaces = reader
    .selectFrom('agent_members as member')
    .innerJoin('agents as agent', 'agent.id', 'member.agent_id')
    .select(['agent.id as agentId', 'agent.name as agentName', 'member.role as role'])

  const find = prepareQuery(reader, (values: { agentId: number; candidateId: string }) =>
    workplaces
      .where('member.agent_id', '=', values.agentId)
      .where('member.candidate_id', '=', values.candidateId),
  )

  /** Serialises changes to the people of an agent. False if there is no such agent. */
  async function holdPeople(trx: Transaction<Schema>, agentId: number): Promise<boolean> {
    const agent = trx.selectFrom('agents').select('id').where('id', '=', agentId)
    const found = dialect === 'postgres' ? agent.forNoKeyUpdate() : agent
    return (await found.executeTakeFirst()) !== undefined
  }

  return {
    find: (agentId, candidateId) => find({ agentId, candidateId }),

    workplacesOf: candidateId =>
      workplaces
        .where('member.candidate_id', '=', candidateId)
        .orderBy('agent.name')
        .orderBy('agent.id')
        .execute(),

    list: agentId =>
      reader
        .selectFrom('agent_members as member')
        .innerJoin('candidates as candidate', 'candidate.id', 'member.candidate_id')
        .select([
          'candidate.id as candidateId',
          'candidate.email as email',
          'candidate.first_name as firstName',
          'candidate.last_name as lastName',
          'member.role as role',
          'member.created_at as since',
        ])
        .where('member.agent_id', '=', agentId)
        .orderBy('member.created_at')
        .orderBy('candidate.email')
        .execute(),

    listInvitations: (agentId, now) =>
      reader
        .selectFrom('agent_invitations')
        .select(['id', 'email', 'role', 'created_at as createdAt', 'expires_at as expiresAt'])
        .where('agent_id', '=', agentId)
        .where('expires_at', '>', now)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    invite: (agentId, { hash, id, email, role, createdAt, expiresAt }, most, mails = []) =>
      writer.transaction().execute(async trx => {
        if (!(await holdPeople(trx, agentId))) return 'missing'
        const members = await trx
          .selectFrom('agent_members as member')
          .innerJoin('candidates as candidate', 'candidate.id', 'member.candidate_id')
          .select('candidate.email')
          .where('member.agent_id', '=', agentId)
          .execute()
        if (members.some(member => member.email === email)) return 'member'
        const open = await trx
          .selectFrom('agent_invitations')
          .select(['email', 'hash', 'expires_at'])
          .where('agent_id', '=', agentId)
          .execute()
        const others = open.filter(each => each.email !== email && each.expires_at > createdAt)
        if (members.length + others.length >= most) return 'too-many'
        await trx
          .deleteFrom('agent_invitations')
          .where('agent_id', '=', agentId)
          .where('email', '=', email)
          .execute()
        await trx
          .insertInto('agent_invitations')
          .values({
            ...{ hash, former_hash: null, id, agent_id: agentId, email, role },
            ...{ created_at: createdAt, expires_at: expiresAt },
          })
          .execute()
        await queueDeliveries(trx, mails, createdAt)
        await recordAudit(trx, {
          ...{ action: 'agent.invite', scope: 'board', target: `invitation:${id}` },
          after: { agentId, role, expiresAt },
        })
        return 'invited'
      }),

    async drawLink(agentId, invitationId, hash, now) {
      const drawn = await writer
        .updateTable('agent_invitations')
        .set(eb => ({ former_hash: eb.ref('hash'), hash }))
        .where('agent_id', '=', agentId)
        .where('id', '=', invitationId)
        .where('expires_at', '>', now)
        .returning(['email', 'role'])
        .executeTakeFirst()
      const agent = await reader
        .selectFrom('agents')
        .select('name')
        .where('id', '=', agentId)
        .executeTakeFirst()
      return drawn && agent && { ...drawn, ownerName: agent.name }
    },

    takeBack: (agentId, invitationId) =>
      writer.transaction().execute(async trx => {
        const taken = await trx
          .deleteFrom('agent_invitations')
          .where('agent_id', '=', agentId)
          .where('id', '=', invitationId)
          .returning('role')
          .executeTakeFirst()
        if (taken === undefined) return false
        await recordAudit(trx, {
          ...{ action: 'agent.uninvite', scope: 'board', target: `invitation:${invitationId}` },
          before: { agentId, role: taken.role },
        })
        return true
      }),

    setRole: (agentId, candidateId, role) =>
      writer.transaction().execute(async trx => {
        await holdPeople(trx, agentId)
        if (role !== 'admin' && (await isLastAdmin(trx, agentId, candidateId))) return 'last-admin'
        const member = await trx
          .selectFrom('agent_members')
          .select('role')
          .where('agent_id', '=', agentId)
          .where('candidate_id', '=', candidateId)
          .executeTakeFirst()
        if (member === undefined) return 'missing'
        if (member.role === role) return 'done'
        await trx
          .updateTable('agent_members')
          .set({ role })
          .where('agent_id', '=', agentId)
          .where('candidate_id', '=', candidateId)
          .execute()
        await recordAudit(trx, {
          ...{ action: 'agent.role', scope: 'board', target: `person:${candidateId}` },
          before: { agentId, role: member.role },
          after: { agentId, role },
        })
        return 'done'
      }),

    remove: (agentId, candidateId, { mayBeLast = false } = {}) =>
      writer.transaction().execute(async trx => {
        await holdPeople(trx, agentId)
        if (!mayBeLast && (await isLastAdmin(trx, agentId, candidateId))) return 'last-admin'
        const removed = await trx
          .deleteFrom('agent_members')
          .where('agent_id', '=', agentId)
          .where('candidate_id', '=', candidateId)
          .returning(['created_at', 'role'])
          .executeTakeFirst()
        if (removed === undefined) return 'missing'
        await bury(trx, ['agent-member', agentId, candidateId, removed.created_at])
        await recordAudit(trx, {
          ...{ action: 'agent.remove', scope: 'board', target: `person:${candidateId}` },
          before: { agentId, role: removed.role },
        })
        return 'done'
      }),

    async findInvitation(hash, now) {
      const row = await reader
        .selectFrom('agent_invitations as invitation')
        .innerJoin('agents as agent', 'agent.id', 'invitation.agent_id')
        .leftJoin('candidates as candidate', 'candidate.email', 'invitation.email')
        .select([
          'agent.id as agentId',
          'agent.name as ownerName',
          'invitation.role as role',
          'invitation.email as email',
          'candidate.email_confirmed_at as confirmedAt',
        ])
        .where('invitation.hash', '=', await currentHash(reader, hash))
        .where('invitation.expires_at', '>', now)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { confirmedAt, agentId, ...invitation } = row
      return { ...invitation, owner: { agentId }, hasAccount: confirmedAt !== null }
    },

    join: (hash, { candidateId, email }, now) =>
      writer.transaction().execute(async trx => {
        await lockLivingCandidate(trx, candidateId)
        const invitation = await takeInvitation(trx, hash, now, email)
        return invitation && addMember(trx, invitation, candidateId, now)
      }),

    joinWithAccount: (hash, account, now) =>
      writer.transaction().execute(async trx => {
        const invitation = await takeInvitation(trx, hash, now)
        if (invitation === undefined) return undefined
        const candidateId = await registerInvited(trx, invitation.email, account, now)
        if (candidateId !== undefined) return addMember(trx, invitation, candidateId, now)
        await trx.insertInto('agent_invitations').values(invitation).execute()
        return 'taken'
      }),
  }
}

async function isLastAdmin(trx: Transaction<Schema>, agentId: number, candidateId: string): Promise<boolean> {
  const admins = await trx
    .selectFrom('agent_members')
    .select('candidate_id')
    .where('agent_id', '=', agentId)
    .where('role', '=', 'admin')
    .execute()
  return admins.length === 1 && admins[0]?.candidate_id === candidateId
}

/** The link of an email before the last one is as good: see `drawLink`. */
async function currentHash(db: Kysely<Schema>, hash: string): Promise<string> {
  const invitation = await db
    .selectFrom('agent_invitations')
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
): Promise<Invitation | undefined> {
  const taken = trx
    .deleteFrom('agent_invitations')
    .where('hash', '=', await currentHash(trx, hash))
    .where('expires_at', '>', now)
  return (email === undefined ? taken : taken.where('email', '=', email))
    .returning(invitationColumns)
    .executeTakeFirst()
}

/** A person who is already a member, under another address, keeps the higher role. */
async function addMember(
  trx: Transaction<Schema>,
  { id, agent_id: agentId, role }: Invitation,
  candidateId: string,
  now: EpochMs,
) {
  await trx
    .insertInto('agent_members')
    .values({ agent_id: agentId, candidate_id: candidateId, role, created_at: now })
    .onConflict(conflict => {
      const known = conflict.columns(['agent_id', 'candidate_id'])
      return role === 'admin' ? known.doUpdateSet({ role }) : known.doNothing()
    })
    .execute()
  await recordAudit(trx, {
    ...{ action: 'agent.join', scope: 'board', target: `person:${candidateId}` },
    after: { agentId, role, invitation: id },
    // The link proves the person, signed in or not.
    actor: { kind: 'person', id: candidateId, proof: 'link' },
  })
  return { owner: { agentId }, candidateId }
}
