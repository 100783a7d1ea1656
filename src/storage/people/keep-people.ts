import type { Kysely, Transaction } from 'kysely'
import type { Actor } from '../../core/async/acting.ts'
import type { EpochMs } from '../../core/clock.ts'
import type { Act } from '../../model/audit.ts'
import type { AgentRole } from '../../model/principal.ts'
import type { AnyRole, Joined, Owner, PeopleStore } from '../../people/members/ports.ts'
import type { Database, Schema } from '../database/tables.ts'
import { lockLivingCandidate } from '../writing/lock-candidate.ts'
import { queueDeliveries } from '../writing/queue-notice.ts'
import { recordAudit } from '../writing/record-audit.ts'
import { registerInvited } from '../writing/register-invited.ts'

type Invitation = Schema['agent_invitations']

/** The tables of agents stand for those of advertisers, which have the same columns under another name of the owner. */
interface PeopleTables {
  owners: 'agents'
  members: 'agent_members'
  invitations: 'agent_invitations'
  owner: 'agent_id'
}

const tablesOf = {
  agents: {
    ...{ owners: 'agents', members: 'agent_members', invitations: 'agent_invitations', owner: 'agent_id' },
  },
  advertisers: {
    ...{ owners: 'advertisers', members: 'memberships', invitations: 'invitations', owner: 'advertiser_id' },
  },
}

type Doing = 'invite' | 'uninvite' | 'role' | 'remove' | 'join'

interface Noted {
  role: AnyRole
  expiresAt?: EpochMs
  invitation?: string
}

/** What differs between the people of advertisers and of agents beside their tables. */
export interface PeopleKind {
  of: keyof typeof tablesOf
  ownerOf(ownerId: number): Owner
  /** Goes to the chain of the owner. */
  actOf(doing: Doing, ownerId: number): Pick<Act, 'action' | 'scope'>
  /** Added to what is noted of each act. */
  notedOf(ownerId: number): object
  /** Columns of a new member that only one of the tables has. */
  newMember(ownerId: number, now: EpochMs): object
  bury(trx: Transaction<Schema>, ownerId: number, candidateId: string, joinedAt: EpochMs): Promise<unknown>
}

export function keepPeople<R extends AnyRole>(database: Database, kind: PeopleKind): PeopleStore<R> {
  const { writer, reader, dialect } = database
  const { owners, members, invitations, owner } = tablesOf[kind.of] as PeopleTables
  const columns = [
    ...(['hash', 'former_hash', 'id', owner, 'email', 'role', 'created_at', 'expires_at'] as const),
  ]

  function record(
    trx: Transaction<Schema>,
    doing: Doing,
    ownerId: number,
    { target, before, after, actor }: { target: string; before?: Noted; after?: Noted; actor?: Actor },
  ): Promise<void> {
    const noted = kind.notedOf(ownerId)
    return recordAudit(trx, {
      ...{ ...kind.actOf(doing, ownerId), target },
      ...(before === undefined ? {} : { before: { ...noted, ...before } }),
      ...(after === undefined ? {} : { after: { ...noted, ...after } }),
      ...(actor === undefined ? {} : { actor }),
    } as Act)
  }

  /**
   * Serialises changes to the people of an owner: other transactions wait for this row and then see the change. SQLite has
   * one writer anyway. False if there is no such owner.
   */
  async function holdPeople(trx: Transaction<Schema>, ownerId: number): Promise<boolean> {
    const row = trx.selectFrom(owners).select('id').where('id', '=', ownerId)
    const found = dialect === 'postgres' ? row.forNoKeyUpdate() : row
    return (await found.executeTakeFirst()) !== undefined
  }

  async function isLastAdmin(trx: Transaction<Schema>, ownerId: number, candidateId: string) {
    const admins = await trx
      .selectFrom(members)
      .select('candidate_id')
      .where(owner, '=', ownerId)
      .where('role', '=', 'admin')
      .execute()
    return admins.length === 1 && admins[0]?.candidate_id === candidateId
  }

  /** The link of an email before the last one is as good: see `drawLink`. */
  async function currentHash(db: Kysely<Schema>, hash: string): Promise<string> {
    const invitation = await db
      .selectFrom(invitations)
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
      .deleteFrom(invitations)
      .where('hash', '=', await currentHash(trx, hash))
      .where('expires_at', '>', now)
    return (email === undefined ? taken : taken.where('email', '=', email))
      .returning(columns)
      .executeTakeFirst()
  }

  /** A person who is already a member, under another address, keeps the higher role. */
  async function addMember(
    trx: Transaction<Schema>,
    { id, role, [owner]: ownerId }: Invitation,
    candidateId: string,
    now: EpochMs,
  ): Promise<Joined> {
    const known = await trx
      .selectFrom(members)
      .select('role')
      .where(owner, '=', ownerId)
      .where('candidate_id', '=', candidateId)
      .executeTakeFirst()
    const member = { [owner]: ownerId, candidate_id: candidateId, role, created_at: now }
    await trx
      .insertInto(members)
      .values({ ...member, ...kind.newMember(ownerId, now) })
      .onConflict(conflict => {
        const known = conflict.columns([owner, 'candidate_id'])
        return role === 'admin' ? known.doUpdateSet({ role }) : known.doNothing()
      })
      .execute()
    await record(trx, 'join', ownerId, {
      target: `person:${candidateId}`,
      ...(known === undefined ? {} : { before: { role: known.role } }),
      after: { role: role === 'admin' ? role : (known?.role ?? role), invitation: id },
      // The link proves the person, signed in or not.
      actor: { kind: 'person', id: candidateId, proof: 'link' },
    })
    return { owner: kind.ownerOf(ownerId), candidateId }
  }

  const store: PeopleStore<AgentRole> = {
    list: ownerId =>
      reader
        .selectFrom(`${members} as member`)
        .innerJoin('candidates as candidate', 'candidate.id', 'member.candidate_id')
        .select([
          'candidate.id as candidateId',
          'candidate.email as email',
          'candidate.first_name as firstName',
          'candidate.last_name as lastName',
          'member.role as role',
          'member.created_at as since',
        ])
        .where(`member.${owner}`, '=', ownerId)
        .orderBy('member.created_at')
        .orderBy('candidate.email')
        .execute(),

    listInvitations: (ownerId, now) =>
      reader
        .selectFrom(invitations)
        .select(['id', 'email', 'role', 'created_at as createdAt', 'expires_at as expiresAt'])
        .where(owner, '=', ownerId)
        .where('expires_at', '>', now)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    invite: (ownerId, { hash, id, email, role, createdAt, expiresAt }, most, mails = []) =>
      writer.transaction().execute(async trx => {
        if (!(await holdPeople(trx, ownerId))) return 'missing'
        const known = await trx
          .selectFrom(`${members} as member`)
          .innerJoin('candidates as candidate', 'candidate.id', 'member.candidate_id')
          .select('candidate.email')
          .where(`member.${owner}`, '=', ownerId)
          .execute()
        if (known.some(member => member.email === email)) return 'member'
        const open = await trx
          .selectFrom(invitations)
          .select('email')
          .where(owner, '=', ownerId)
          .where('expires_at', '>', createdAt)
          .execute()
        const others = open.filter(invitation => invitation.email !== email)
        if (known.length + others.length >= most) return 'too-many'
        await trx.deleteFrom(invitations).where(owner, '=', ownerId).where('email', '=', email).execute()
        const times = { created_at: createdAt, expires_at: expiresAt }
        await trx
          .insertInto(invitations)
          .values({ hash, former_hash: null, id, [owner]: ownerId, email, role, ...times })
          .execute()
        await queueDeliveries(trx, mails, createdAt)
        await record(trx, 'invite', ownerId, { target: `invitation:${id}`, after: { role, expiresAt } })
        return 'invited'
      }),

    async drawLink(ownerId, invitationId, hash, now) {
      const drawn = await writer
        .updateTable(invitations)
        .set(eb => ({ former_hash: eb.ref('hash'), hash }))
        .where(owner, '=', ownerId)
        .where('id', '=', invitationId)
        .where('expires_at', '>', now)
        .returning(['email', 'role'])
        .executeTakeFirst()
      const row = await reader.selectFrom(owners).select('name').where('id', '=', ownerId).executeTakeFirst()
      return drawn && row && { ...drawn, ownerName: row.name }
    },

    takeBack: (ownerId, invitationId) =>
      writer.transaction().execute(async trx => {
        const taken = await trx
          .deleteFrom(invitations)
          .where(owner, '=', ownerId)
          .where('id', '=', invitationId)
          .returning('role')
          .executeTakeFirst()
        if (taken === undefined) return false
        const before = { role: taken.role }
        await record(trx, 'uninvite', ownerId, { target: `invitation:${invitationId}`, before })
        return true
      }),

    setRole: (ownerId, candidateId, role) =>
      writer.transaction().execute(async trx => {
        await holdPeople(trx, ownerId)
        if (role !== 'admin' && (await isLastAdmin(trx, ownerId, candidateId))) return 'last-admin'
        const member = await trx
          .selectFrom(members)
          .select('role')
          .where(owner, '=', ownerId)
          .where('candidate_id', '=', candidateId)
          .executeTakeFirst()
        if (member === undefined) return 'missing'
        if (member.role === role) return 'done'
        await trx
          .updateTable(members)
          .set({ role })
          .where(owner, '=', ownerId)
          .where('candidate_id', '=', candidateId)
          .execute()
        const change = { before: { role: member.role }, after: { role } }
        await record(trx, 'role', ownerId, { target: `person:${candidateId}`, ...change })
        return 'done'
      }),

    remove: (ownerId, candidateId, { mayBeLast = false } = {}) =>
      writer.transaction().execute(async trx => {
        await holdPeople(trx, ownerId)
        if (!mayBeLast && (await isLastAdmin(trx, ownerId, candidateId))) return 'last-admin'
        const removed = await trx
          .deleteFrom(members)
          .where(owner, '=', ownerId)
          .where('candidate_id', '=', candidateId)
          .returning(['created_at', 'role'])
          .executeTakeFirst()
        if (removed === undefined) return 'missing'
        await kind.bury(trx, ownerId, candidateId, removed.created_at)
        const before = { role: removed.role }
        await record(trx, 'remove', ownerId, { target: `person:${candidateId}`, before })
        return 'done'
      }),

    async findInvitation(hash, now) {
      const row = await reader
        .selectFrom(`${invitations} as invitation`)
        .innerJoin(`${owners} as owner`, 'owner.id', `invitation.${owner}`)
        .leftJoin('candidates as candidate', 'candidate.email', 'invitation.email')
        .select(['owner.id as ownerId', 'owner.name as ownerName'])
        .select(['invitation.role as role', 'invitation.email as email'])
        .select('candidate.email_confirmed_at as confirmedAt')
        .where('invitation.hash', '=', await currentHash(reader, hash))
        .where('invitation.expires_at', '>', now)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { confirmedAt, ownerId, ...invitation } = row
      return { ...invitation, owner: kind.ownerOf(ownerId), hasAccount: confirmedAt !== null }
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
        await trx.insertInto(invitations).values(invitation).execute()
        return 'taken'
      }),
  }
  // Stored as text: the role of an owner's people is the caller's to name.
  return store as unknown as PeopleStore<R>
}
