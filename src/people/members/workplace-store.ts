import { type Kysely, sql, type Transaction } from 'kysely'
import type { Act, AuditTarget } from '../../platform/audit/acts.ts'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { Actor } from '../../platform/core/async/audit-context.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import type { NewDelivery } from '../../platform/work/delivery-ports.ts'
import { queueDeliveries } from '../../platform/work/queue-deliveries-store.ts'
import { lockLivingCandidate } from '../../schema/writing/lock-candidate.ts'
import { recordTombstones, type Tombstone } from '../../schema/writing/record-tombstones.ts'
import { registerInvited } from '../../schema/writing/register-invited.ts'
import {
  boardId,
  type Colleague,
  type Invitation,
  type InvitedAccount,
  type MemberChange,
  type NewInvitation,
  type WorkplaceRole,
} from './rules.ts'

interface Noted {
  role: WorkplaceRole
  expiresAt?: EpochMs
  invitation?: string
}

interface Entry {
  target: AuditTarget
  before?: Noted
  after?: Noted
  actor?: Actor
}

/** The differences between companies, agents and the board. Their tables have the same columns, apart from `owner`. */
export interface WorkplaceKind<R extends WorkplaceRole> {
  members: 'memberships' | 'agent_members' | 'operators'
  invitations: 'invitations' | 'agent_invitations' | 'operator_invitations'
  /** Absent for the board. */
  owner?: { table: 'advertisers' | 'agents'; column: 'advertiser_id' | 'agent_id' }
  roles: readonly R[]
  /** A workplace always has a member with this role. */
  highest: R
  /** Columns of a new member that only this kind has. */
  newMember?(ownerId: number, now: EpochMs): object
  target: 'person' | 'operator'
  act(doing: 'invite' | 'uninvite' | 'role' | 'remove' | 'join', ownerId: number, entry: Entry): Act
  tombstone(ownerId: number, candidateId: string, joinedAt: EpochMs): Tombstone
}

export type WorkplaceStore<R extends WorkplaceRole> = ReturnType<typeof workplaceStore<R>>

/** The people of companies, of agents or of the board: the first argument is the workplace's ID, or `boardId`. */
export function workplaceStore<R extends WorkplaceRole>(database: Database, kind: WorkplaceKind<R>) {
  const { writer, reader, dialect } = database
  const { members, invitations, owner, highest } = kind
  const isOf = (ownerId: number) =>
    owner === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(owner.column)} = ${ownerId}`
  const ownerColumn = (ownerId: number) => (owner === undefined ? {} : { [owner.column]: ownerId })
  const invitationColumns = [
    ...(['hash', 'id', 'email', 'role', 'created_at', 'expires_at'] as const),
    ...(owner === undefined ? [] : (['former_hash', owner.column] as const)),
  ]

  function roleOf(text: string): R {
    const role = kind.roles.find(each => each === text)
    if (role === undefined) throw new Error(`${members} has no role ${text}`)
    return role
  }

  const record = (trx: Transaction<Schema>, ...act: Parameters<typeof kind.act>) =>
    recordAudit(trx, kind.act(...act))

  /**
   * Serialises changes to a workplace's people: other transactions wait for its row, or for all operators' rows, and
   * then see the change. SQLite has one writer anyway. Returns false if there is no such workplace.
   */
  async function holdPeople(trx: Transaction<Schema>, ownerId: number): Promise<boolean> {
    const isPostgres = dialect === 'postgres'
    if (owner === undefined) {
      const operators = trx.selectFrom(members).select('candidate_id').orderBy('candidate_id')
      if (isPostgres) await operators.forUpdate().execute()
      return true
    }
    const row = trx.selectFrom(owner.table).select('id').where('id', '=', ownerId)
    return (await (isPostgres ? row.forNoKeyUpdate() : row).executeTakeFirst()) !== undefined
  }

  /** Whether no one else has the highest role. */
  async function isLast(trx: Transaction<Schema>, ownerId: number, candidateId: string): Promise<boolean> {
    const highestOnes = await trx
      .selectFrom(members)
      .select('candidate_id')
      .where(isOf(ownerId))
      .where('role', '=', highest)
      .execute()
    return highestOnes.length === 1 && highestOnes[0]?.candidate_id === candidateId
  }

  /** An invitation's previous link also works: see `issueLink`. */
  async function currentHash(db: Kysely<Schema>, hash: string): Promise<string> {
    if (invitations === 'operator_invitations') return hash
    const invitation = await db
      .selectFrom(invitations)
      .select('hash')
      .where('former_hash', '=', hash)
      .executeTakeFirst()
    return invitation?.hash ?? hash
  }

  /** Uses an invitation by deleting its row, so it can be used once. */
  async function takeInvitation(trx: Transaction<Schema>, hash: string, now: EpochMs, email?: string) {
    const taken = trx
      .deleteFrom(invitations)
      .where('hash', '=', await currentHash(trx, hash))
      .where('expires_at', '>', now)
    return (email === undefined ? taken : taken.where('email', '=', email))
      .returning(invitationColumns)
      .executeTakeFirst()
  }

  const findRole = (trx: Transaction<Schema>, ownerId: number, candidateId: string) =>
    trx
      .selectFrom(members)
      .select('role')
      .where(isOf(ownerId))
      .where('candidate_id', '=', candidateId)
      .executeTakeFirst()

  /** Someone who is already a member, under another address, keeps the higher role. */
  async function addMember(
    trx: Transaction<Schema>,
    invitation: NonNullable<Awaited<ReturnType<typeof takeInvitation>>>,
    candidateId: string,
    now: EpochMs,
    actor: Actor | undefined,
  ): Promise<Joined> {
    const { id, role } = invitation
    const ownerId = owner === undefined ? boardId : invitation[owner.column]
    const member = await findRole(trx, ownerId, candidateId)
    await trx
      .insertInto(members)
      .values({
        ...ownerColumn(ownerId),
        candidate_id: candidateId,
        role,
        created_at: now,
        ...kind.newMember?.(ownerId, now),
      })
      .onConflict(conflict => {
        const same = conflict.columns([...(owner === undefined ? [] : [owner.column]), 'candidate_id'])
        return role === highest ? same.doUpdateSet({ role }) : same.doNothing()
      })
      .execute()
    await record(trx, 'join', ownerId, {
      target: `${kind.target}:${candidateId}`,
      ...(member === undefined ? {} : { before: { role: member.role } }),
      after: {
        role: role === highest ? role : (member?.role ?? role),
        ...(owner === undefined ? {} : { invitation: id }),
      },
      ...(actor === undefined ? {} : { actor }),
    })
    return { ownerId, candidateId }
  }

  const byLink = (candidateId: string): Actor => ({ kind: 'person', id: candidateId, proof: 'link' })

  async function nameOf(ownerId: number): Promise<string> {
    if (owner === undefined) return ''
    const row = reader.selectFrom(owner.table).select('name').where('id', '=', ownerId)
    return (await row.executeTakeFirstOrThrow()).name
  }

  return {
    /** Earliest members first. */
    async list(ownerId: number): Promise<Colleague<R>[]> {
      const rows = await reader
        .selectFrom(members)
        .innerJoin('candidates as candidate', 'candidate.id', `${members}.candidate_id`)
        .select([
          'candidate.id as candidateId',
          'candidate.email as email',
          'candidate.first_name as firstName',
          'candidate.last_name as lastName',
          `${members}.role as role`,
          `${members}.created_at as since`,
        ])
        // Only companies can require a second factor.
        .$if(members === 'memberships', query =>
          query.select(({ or, exists, selectFrom }) =>
            or(
              (['totp_factors', 'passkeys'] as const).map(factor =>
                exists(
                  selectFrom(factor)
                    .select('candidate_id')
                    .whereRef(`${factor}.candidate_id`, '=', 'candidate.id'),
                ),
              ),
            ).as('hasFactor'),
          ),
        )
        .where(isOf(ownerId))
        .orderBy(`${members}.created_at`)
        .orderBy('candidate.email')
        .execute()
      return rows.map(({ hasFactor, ...row }) => ({
        ...row,
        role: roleOf(row.role),
        // SQLite has no booleans.
        ...(hasFactor === undefined ? {} : { hasFactor: Boolean(hasFactor) }),
      }))
    },

    /** Invitations that can still be used, oldest first. */
    async listInvitations(ownerId: number, now: EpochMs): Promise<Invitation<R>[]> {
      const rows = await reader
        .selectFrom(invitations)
        .select(['id', 'email', 'role', 'created_at as createdAt', 'expires_at as expiresAt'])
        .where(isOf(ownerId))
        .where('expires_at', '>', now)
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(row => ({ ...row, role: roleOf(row.role) }))
    },

    /** Replaces an open invitation to the same address. `max` limits members and open invitations together. */
    invite: (
      ownerId: number,
      { hash, id, email, role, createdAt, expiresAt }: NewInvitation<R>,
      max: number,
      /** Emails queued with the invitation. */
      mails: readonly NewDelivery[] = [],
    ): Promise<'invited' | 'missing' | 'member' | 'too-many'> =>
      writer.transaction().execute(async trx => {
        // Invitations to the board replace one another by the key of their table.
        if (owner !== undefined && !(await holdPeople(trx, ownerId))) return 'missing'
        const colleagues = await trx
          .selectFrom(members)
          .innerJoin('candidates as candidate', 'candidate.id', `${members}.candidate_id`)
          .select('candidate.email')
          .where(isOf(ownerId))
          .execute()
        if (colleagues.some(member => member.email === email)) return 'member'
        const open = await trx
          .selectFrom(invitations)
          .select('email')
          .where(isOf(ownerId))
          .where('expires_at', '>', createdAt)
          .execute()
        const others = open.filter(invitation => invitation.email !== email)
        if (colleagues.length + others.length >= max) return 'too-many'
        await trx.deleteFrom(invitations).where(isOf(ownerId)).where('email', '=', email).execute()
        const invitation = { hash, id, role, created_at: createdAt, expires_at: expiresAt }
        await trx
          .insertInto(invitations)
          .values({ ...ownerColumn(ownerId), ...invitation, email })
          .$if(owner === undefined, query =>
            query.onConflict(conflict => conflict.column('email').doUpdateSet(invitation)),
          )
          .execute()
        await queueDeliveries(trx, mails, createdAt)
        await record(trx, 'invite', ownerId, { target: `invitation:${id}`, after: { role, expiresAt } })
        return 'invited'
      }),

    /**
     * Issues another link for an open invitation, for an email. The previous link stays valid; undefined if the
     * invitation is gone.
     */
    async issueLink(
      ownerId: number,
      invitationId: string,
      hash: string,
      now: EpochMs,
    ): Promise<{ email: string; role: R; ownerName: string } | undefined> {
      const drawn = await writer
        .updateTable(invitations)
        .set(eb => ({ former_hash: eb.ref('hash'), hash }))
        .where(isOf(ownerId))
        .where('id', '=', invitationId)
        .where('expires_at', '>', now)
        .returning(['email', 'role'])
        .executeTakeFirst()
      return drawn && { email: drawn.email, role: roleOf(drawn.role), ownerName: await nameOf(ownerId) }
    },

    /** Returns false if there is no such invitation. */
    takeBack: (ownerId: number, invitationId: string): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const taken = await trx
          .deleteFrom(invitations)
          .where(isOf(ownerId))
          .where('id', '=', invitationId)
          .returning('role')
          .executeTakeFirst()
        if (taken === undefined) return false
        const before = { role: taken.role }
        await record(trx, 'uninvite', ownerId, { target: `invitation:${invitationId}`, before })
        return true
      }),

    /** Never leaves a workplace without an admin, even under concurrent requests. */
    setRole: (ownerId: number, candidateId: string, role: R): Promise<MemberChange> =>
      writer.transaction().execute(async trx => {
        await holdPeople(trx, ownerId)
        if (role !== highest && (await isLast(trx, ownerId, candidateId))) return 'last-admin'
        const member = await findRole(trx, ownerId, candidateId)
        if (member === undefined) return 'missing'
        if (member.role === role) return 'done'
        await trx
          .updateTable(members)
          .set({ role })
          .where(isOf(ownerId))
          .where('candidate_id', '=', candidateId)
          .execute()
        const target: AuditTarget = `${kind.target}:${candidateId}`
        await record(trx, 'role', ownerId, { target, before: { role: member.role }, after: { role } })
        return 'done'
      }),

    /** `mayBeLast`: allowed for the operator and the command line, who can invite a new admin at any time. */
    remove: (
      ownerId: number,
      candidateId: string,
      { mayBeLast = false }: { mayBeLast?: boolean } = {},
    ): Promise<MemberChange> =>
      writer.transaction().execute(async trx => {
        await holdPeople(trx, ownerId)
        if (!mayBeLast && (await isLast(trx, ownerId, candidateId))) return 'last-admin'
        const removed = await trx
          .deleteFrom(members)
          .where(isOf(ownerId))
          .where('candidate_id', '=', candidateId)
          .returning(['created_at', 'role'])
          .executeTakeFirst()
        if (removed === undefined) return 'missing'
        await recordTombstones(trx, kind.tombstone(ownerId, candidateId, removed.created_at))
        const before = { role: removed.role }
        await record(trx, 'remove', ownerId, { target: `${kind.target}:${candidateId}`, before })
        return 'done'
      }),

    async findInvitation(hash: string, now: EpochMs) {
      const row = await reader
        .selectFrom(invitations)
        .leftJoin('candidates as candidate', 'candidate.email', `${invitations}.email`)
        .select([`${invitations}.role as role`, `${invitations}.email as email`])
        .select('candidate.email_confirmed_at as confirmedAt')
        .select(
          (owner === undefined ? sql.lit(boardId) : sql<number>`${sql.ref(owner.column)}`).as('ownerId'),
        )
        .where('hash', '=', await currentHash(reader, hash))
        .where('expires_at', '>', now)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { confirmedAt, email, ownerId } = row
      const hasAccount = confirmedAt !== null
      return { ownerId, ownerName: await nameOf(ownerId), role: roleOf(row.role), email, hasAccount }
    },

    /** This method and the next use up the invitation in one transaction; undefined if it no longer exists. */
    join: (
      hash: string,
      { candidateId, email }: { candidateId: string; email: string },
      now: EpochMs,
    ): Promise<Joined | undefined> =>
      writer.transaction().execute(async trx => {
        await lockLivingCandidate(trx, candidateId)
        const invitation = await takeInvitation(trx, hash, now, email)
        // The link proves the person, signed in or not. To join the board, people have just proved who they are again.
        const actor = owner === undefined ? undefined : byLink(candidateId)
        return invitation && addMember(trx, invitation, candidateId, now, actor)
      }),

    /** `taken`: the address now has a confirmed account; the invitation remains. */
    joinWithAccount: (
      hash: string,
      account: InvitedAccount,
      now: EpochMs,
    ): Promise<Joined | 'taken' | undefined> =>
      writer.transaction().execute(async trx => {
        const invitation = await takeInvitation(trx, hash, now)
        if (invitation === undefined) return undefined
        const candidateId = await registerInvited(trx, invitation.email, account, now)
        if (candidateId !== undefined)
          return addMember(trx, invitation, candidateId, now, byLink(candidateId))
        await trx.insertInto(invitations).values(invitation).execute()
        return 'taken'
      }),
  }
}

interface Joined {
  ownerId: number
  candidateId: string
}
