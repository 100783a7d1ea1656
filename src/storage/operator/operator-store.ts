import type { Transaction } from 'kysely'
import type { Actor } from '../../core/async/acting.ts'
import type { OperatorStore } from '../../operator/access/ports.ts'
import { prepareQuery } from '../database/prepared-query.ts'
import type { Database, Schema } from '../database/tables.ts'
import { bury } from '../writing/bury.ts'
import { lockLivingCandidate } from '../writing/lock-candidate.ts'
import { recordAudit } from '../writing/record-audit.ts'
import { registerInvited } from '../writing/register-invited.ts'

type Invitation = Schema['operator_invitations']

const columns = ['hash', 'id', 'email', 'role', 'created_at', 'expires_at'] as const

export function createOperatorStore({ writer, reader, dialect }: Database): OperatorStore {
  const find = prepareQuery(reader, ({ candidateId }: { candidateId: string }) =>
    reader.selectFrom('operators').select('role').where('candidate_id', '=', candidateId),
  )

  /** Uses an invitation by deleting its row, so it can be used once. */
  async function take(
    trx: Transaction<Schema>,
    hash: string,
    now: number,
    email?: string,
  ): Promise<Invitation | undefined> {
    const taken = trx
      .deleteFrom('operator_invitations')
      .where('hash', '=', hash)
      .where('expires_at', '>', now)
    return (email === undefined ? taken : taken.where('email', '=', email))
      .returning(columns)
      .executeTakeFirst()
  }

  /** A person who is an operator already, under another address, keeps the higher role. */
  async function add(
    trx: Transaction<Schema>,
    candidateId: string,
    { role }: Invitation,
    now: number,
    actor?: Actor,
  ): Promise<{ candidateId: string }> {
    const known = await trx
      .selectFrom('operators')
      .select('role')
      .where('candidate_id', '=', candidateId)
      .executeTakeFirst()
    await trx
      .insertInto('operators')
      .values({ candidate_id: candidateId, role, created_at: now })
      .onConflict(conflict => {
        const known = conflict.column('candidate_id')
        return role === 'operator' ? known.doUpdateSet({ role }) : known.doNothing()
      })
      .execute()
    await recordAudit(trx, {
      ...{ action: 'operator.join', scope: 'board', target: `operator:${candidateId}` },
      ...(known === undefined ? {} : { before: { role: known.role } }),
      after: { role: role === 'operator' ? role : (known?.role ?? role) },
      ...(actor === undefined ? {} : { actor }),
    })
    return { candidateId }
  }

  return {
    find: async candidateId => (await find({ candidateId }))?.role,

    isAny: async () =>
      (await reader.selectFrom('operators').select('role').limit(1).executeTakeFirst()) !== undefined,

    list: () =>
      reader
        .selectFrom('operators as operator')
        .innerJoin('candidates as candidate', 'candidate.id', 'operator.candidate_id')
        .select(['candidate.id as candidateId', 'candidate.email', 'operator.role'])
        .select('operator.created_at as since')
        .orderBy('operator.created_at')
        .orderBy('candidate.email')
        .execute(),

    listInvitations: now =>
      reader
        .selectFrom('operator_invitations')
        .select(['id', 'email', 'role', 'created_at as createdAt', 'expires_at as expiresAt'])
        .where('expires_at', '>', now)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    invite: ({ id, email, role, hash, createdAt, expiresAt }) =>
      writer.transaction().execute(async trx => {
        const known = await trx
          .selectFrom('operators as operator')
          .innerJoin('candidates as candidate', 'candidate.id', 'operator.candidate_id')
          .select('operator.role')
          .where('candidate.email', '=', email)
          .executeTakeFirst()
        if (known !== undefined) return 'operator'
        const invitation = { id, hash, role, created_at: createdAt, expires_at: expiresAt }
        await trx
          .insertInto('operator_invitations')
          .values({ ...invitation, email })
          .onConflict(conflict => conflict.column('email').doUpdateSet(invitation))
          .execute()
        await recordAudit(trx, {
          action: 'operator.invite',
          scope: 'board',
          target: `invitation:${id}`,
          after: { role, expiresAt },
        })
        return 'invited'
      }),

    takeBack: by =>
      writer.transaction().execute(async trx => {
        const taken = trx.deleteFrom('operator_invitations')
        const gone = await ('id' in by ? taken.where('id', '=', by.id) : taken.where('email', '=', by.email))
          .returning(['id', 'role'])
          .executeTakeFirst()
        if (gone === undefined) return false
        await recordAudit(trx, {
          action: 'operator.uninvite',
          scope: 'board',
          target: `invitation:${gone.id}`,
          before: { role: gone.role },
        })
        return true
      }),

    remove: (candidateId, { mayBeLast = false } = {}) =>
      writer.transaction().execute(async trx => {
        // Locked together, so that two operators cannot remove each other and leave none.
        const all = trx
          .selectFrom('operators')
          .select(['candidate_id', 'role', 'created_at'])
          .orderBy('candidate_id')
        const rows = await (dialect === 'postgres' ? all.forUpdate() : all).execute()
        const own = rows.find(({ candidate_id }) => candidate_id === candidateId)
        if (own === undefined) return 'missing'
        const isLast = !rows.some(row => row !== own && row.role === 'operator')
        if (own.role === 'operator' && isLast && !mayBeLast) return 'last-operator'
        await trx.deleteFrom('operators').where('candidate_id', '=', candidateId).execute()
        await bury(trx, ['operator', candidateId, own.created_at])
        await recordAudit(trx, {
          action: 'operator.remove',
          scope: 'board',
          target: `operator:${candidateId}`,
          before: { role: own.role },
        })
        return 'done'
      }),

    async findInvitation(hash, now) {
      const row = await reader
        .selectFrom('operator_invitations as invitation')
        .leftJoin('candidates as candidate', 'candidate.email', 'invitation.email')
        .select(['invitation.email', 'invitation.role', 'candidate.email_confirmed_at as confirmedAt'])
        .where('invitation.hash', '=', hash)
        .where('invitation.expires_at', '>', now)
        .executeTakeFirst()
      if (row === undefined) return undefined
      const { confirmedAt, ...invitation } = row
      return { ...invitation, hasAccount: confirmedAt !== null }
    },

    join: (hash, { candidateId, email }, now) =>
      writer.transaction().execute(async trx => {
        await lockLivingCandidate(trx, candidateId)
        const invitation = await take(trx, hash, now, email)
        return invitation && add(trx, candidateId, invitation, now)
      }),

    joinWithAccount: (hash, account, now) =>
      writer.transaction().execute(async trx => {
        const invitation = await take(trx, hash, now)
        if (invitation === undefined) return undefined
        const candidateId = await registerInvited(trx, invitation.email, account, now)
        // The link is the proof; no one is signed in.
        const actor: Actor = { kind: 'person', id: candidateId ?? '', proof: 'link' }
        if (candidateId !== undefined) return add(trx, candidateId, invitation, now, actor)
        await trx.insertInto('operator_invitations').values(invitation).execute()
        return 'taken'
      }),
  }
}
