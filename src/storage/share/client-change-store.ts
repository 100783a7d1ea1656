import type { ClientChangeStore } from '../../share/clients/change-ports.ts'
import type { Database } from '../database/tables.ts'
import { recordAudit } from '../writing/record-audit.ts'

export function createClientChangeStore({ writer, reader }: Database): ClientChangeStore {
  const changes = reader
    .selectFrom('client_changes')
    .select(['id', 'client_id as clientId', 'kind', 'value'])
    .select(['requested_by as requestedBy', 'requested_at as requestedAt'])
    .orderBy('requested_at')
    .orderBy('id')

  return {
    add: (clientId, { id, kind, value, requestedBy, requestedAt }) =>
      writer.transaction().execute(async trx => {
        // Locks the client: it exists, and of two concurrent requests the later one stays.
        const client = await trx
          .updateTable('oauth_clients')
          .set(eb => ({ name: eb.ref('name') }))
          .where('id', '=', clientId)
          .executeTakeFirst()
        if (client.numUpdatedRows === 0n) return false
        const content = { id, value, requested_by: requestedBy, requested_at: requestedAt }
        await trx
          .insertInto('client_changes')
          .values({ client_id: clientId, kind, ...content })
          .onConflict(conflict => conflict.columns(['client_id', 'kind']).doUpdateSet(content))
          .execute()
        await recordAudit(trx, {
          ...{ action: 'client.request', scope: 'board', target: `client:${clientId}` },
          after: { change: id, kind },
        })
        return true
      }),

    listOf: clientId => changes.where('client_id', '=', clientId).execute(),

    list: () => changes.execute(),

    end: (clientId, changeId, outcome) =>
      writer.transaction().execute(async trx => {
        const ended = await trx
          .deleteFrom('client_changes')
          .where('client_id', '=', clientId)
          .where('id', '=', changeId)
          .returning('kind')
          .executeTakeFirst()
        if (ended === undefined) return false
        await recordAudit(trx, {
          ...{ action: 'client.request-end', scope: 'board', target: `client:${clientId}` },
          before: { change: changeId, kind: ended.kind },
          after: { outcome },
        })
        return true
      }),
  }
}
