import { type OperatorRole, operatorRoles } from '../../model/principal.ts'
import { prepareQuery } from '../../platform/database/prepared-query.ts'
import type { Database } from '../../platform/database/tables.ts'
import { workplaceStore } from './workplace-store.ts'

const actions = {
  invite: 'operator.invite',
  uninvite: 'operator.uninvite',
  remove: 'operator.remove',
  join: 'operator.join',
} as const

export type OperatorStore = ReturnType<typeof createOperatorStore>

/** The people who run the board. */
export function createOperatorStore(database: Database) {
  const { reader } = database
  const find = prepareQuery(reader, ({ candidateId }: { candidateId: string }) =>
    reader.selectFrom('operators').select('role').where('candidate_id', '=', candidateId),
  )

  // Operators are not sent their link, and keep their role until they are removed.
  const { issueLink, setRole, ...people } = workplaceStore(database, {
    members: 'operators',
    invitations: 'operator_invitations',
    roles: operatorRoles,
    highest: 'operator',
    target: 'operator',
    act(doing, _, entry) {
      if (doing === 'role') throw new Error('there is no such act')
      return { action: actions[doing], scope: 'board', ...entry }
    },
    tombstone: (_, candidateId, joinedAt) => ['operator', candidateId, joinedAt],
  })

  return {
    ...people,

    find: async (candidateId: string): Promise<OperatorRole | undefined> =>
      (await find({ candidateId }))?.role,

    isAny: async (): Promise<boolean> =>
      (await reader.selectFrom('operators').select('role').limit(1).executeTakeFirst()) !== undefined,
  }
}
