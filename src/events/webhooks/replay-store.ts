import { sql } from 'kysely'
import type { EventType } from '../../model/events.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import type { Database } from '../../platform/database/tables.ts'
import { writeTypes } from '../feed/type-words.ts'
import { lockOwner } from './agent-lanes-store.ts'
import type { EndpointOwner } from './ports.ts'

export interface Replay {
  id: string
  advertiserId: number
  /** Only events after this number. */
  after: number
  /** Undefined: up to the newest event at this moment. */
  end?: number
  types: readonly EventType[] | null
  now: EpochMs
}

export type ReplayStore = ReturnType<typeof createReplayStore>

export function createReplayStore({ writer, dialect }: Database) {
  const laneOf = (endpointId: string, kind: 'replay' | 'parked') =>
    writer.updateTable('webhook_lanes').where('endpoint_id', '=', endpointId).where('kind', '=', kind)

  return {
    /** Returns the lane's numbers; undefined if the endpoint has no lane for the advertiser. */
    add: (
      owner: EndpointOwner,
      endpointId: string,
      { id, advertiserId, after, end, types, now }: Replay,
    ): Promise<{ after: number; end: number } | undefined> =>
      writer.transaction().execute(async trx => {
        // A withdrawal of the agent or a removal of the endpoint either comes first and is seen here, or removes the
        // replay.
        await lockOwner(trx, dialect, owner)
        const found = await trx
          .selectFrom('webhook_lanes as lane')
          .innerJoin('advertiser_ledger as ledger', 'ledger.advertiser_id', 'lane.advertiser_id')
          .select(['ledger.event_number as last', 'ledger.events_from as from'])
          .where('lane.endpoint_id', '=', endpointId)
          .where('lane.advertiser_id', '=', advertiserId)
          .where('lane.kind', '=', 'live')
          // A lane with an end belongs to a withdrawn agent.
          .where('lane.end_number', 'is', null)
          .executeTakeFirst()
        if (found === undefined) return undefined
        // Events that are no longer kept cannot be sent.
        const numbers = { after: Math.max(after, found.from), end: Math.min(end ?? found.last, found.last) }
        await trx
          .insertInto('webhook_lanes')
          .values({
            id,
            endpoint_id: endpointId,
            advertiser_id: advertiserId,
            kind: 'replay' as const,
            sent: numbers.after,
            end_number: numbers.end,
            types: types && writeTypes(types),
            due_at: now,
            created_at: now,
            ...(numbers.after < numbers.end ? {} : { ended: 'done' as const, ended_at: now }),
          })
          .execute()
        return numbers
      }),

    async cancel(endpointId: string, laneId: string, now: EpochMs): Promise<boolean> {
      const { numUpdatedRows } = await laneOf(endpointId, 'replay')
        .set({ ended: 'cancelled', ended_at: now })
        .where('id', '=', laneId)
        .where('ended_at', 'is', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Makes parked events due immediately, including failed ones. Returns how many. */
    async resendDeferred(endpointId: string, laneId: string | 'all', now: EpochMs): Promise<number> {
      const { numUpdatedRows } = await laneOf(endpointId, 'parked')
        .set({ due_at: now, tries: 0, ended: null, ended_at: null, notified_at: null })
        .set({ sent: sql<number>`case when notice is null then end_number - 1 else sent end` })
        .where(eb => eb.or([eb('ended', 'is', null), eb('ended', '=', 'given-up')]))
        .$if(laneId !== 'all', query => query.where('id', '=', laneId))
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },
  }
}
