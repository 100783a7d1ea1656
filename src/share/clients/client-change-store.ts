import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { Database } from '../../platform/database/tables.ts'
import type { ChangeEnd, ClientChange } from './change-rules.ts'
import { lockClient } from './client-store.ts'

export type ClientChangeStore = ReturnType<typeof createClientChangeStore>

export function createClientChangeStore({ writer, reader }: Database) {
  const changes = reader
    .selectFrom('client_changes')
    .select(['id', 'client_id as clientId', 'kind', 'value'])
    .select(['requested_by as requestedBy', 'requested_at as requestedAt'])
    .orderBy('requested_at')
    .orderBy('id')

  return {
    /** Replaces a waiting change of the same kind. Returns false if there is no such client. */
    add: (
      clientId: string,
      { id, kind, value, requestedBy, requestedAt }: Omit<ClientChange, 'clientId'>,
    ): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        // The later of two concurrent requests replaces the earlier.
        if (!(await lockClient(trx, clientId))) return false
        const content = { id, value, requested_by: requestedBy, requested_at: requestedAt }
        await trx
          .insertInto('client_changes')
          .values({ client_id: clientId, kind, ...content })
          .onConflict(conflict => conflict.columns(['client_id', 'kind']).doUpdateSet(content))
          .execute()
        await recordAudit(trx, {
          action: 'client.request',
          scope: 'board',
          target: `client:${clientId}`,
          after: { change: id, kind },
        })
        return true
      }),

    /** Oldest first. */
    listOf: (clientId: string): Promise<ClientChange[]> =>
      changes.where('client_id', '=', clientId).execute(),

    /** For the operator: changes of all clients, oldest first. */
    list: (): Promise<ClientChange[]> => changes.execute(),

    /** Returns false if the change no longer waits. */
    end: (clientId: string, changeId: string, outcome: ChangeEnd): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const ended = await trx
          .deleteFrom('client_changes')
          .where('client_id', '=', clientId)
          .where('id', '=', changeId)
          .returning('kind')
          .executeTakeFirst()
        if (ended === undefined) return false
        await recordAudit(trx, {
          action: 'client.request-end',
          scope: 'board',
          target: `client:${clientId}`,
          before: { change: changeId, kind: ended.kind },
          after: { outcome },
        })
        return true
      }),
  }
}
