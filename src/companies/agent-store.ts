import { sql, type Transaction } from 'kysely'
import { addLanesOfAgent, endLanesOfAgent } from '../events/webhooks/agent-lanes-store.ts'
import { recordAudit } from '../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import type { PageParameters } from '../platform/core/input/page-parameters.ts'
import type { Database, Schema } from '../platform/database/tables.ts'
import { lockLedger } from '../schema/writing/change-application.ts'
import { endConsents } from '../schema/writing/end-consents.ts'
import { addEvent, nextEventNumber } from '../schema/writing/record-event.ts'
import { recordTombstones } from '../schema/writing/record-tombstones.ts'
import { withLedger } from '../schema/writing/with-ledger.ts'
import type { AdvertiserStatus } from './rules.ts'

export interface Agent {
  id: number
  name: string
  createdAt: EpochMs
}

export interface AgentOfAdvertiser {
  id: number
  name: string
  authorisedAt: EpochMs | null
  /** When it got permission to report progress; null if it may only read. */
  progressGrantedAt: EpochMs | null
}

/** An advertiser that has authorised an agent. */
export interface CompanyOfAgent {
  advertiserId: number
  name: string
  status: AdvertiserStatus
  authorisedAt: EpochMs
  progressGrantedAt: EpochMs | null
}

/** IDs that we assign begin here, so that they look different from advertiser IDs. */
const firstAgentId = 20_000_001

const agentColumns = ['id', 'name', 'created_at as createdAt'] as const

export type AgentStore = ReturnType<typeof createAgentStore>

export function createAgentStore(database: Database) {
  const { writer, reader } = database
  return {
    /** Takes the next free ID if none is given; undefined if the given one is taken. */
    add: ({
      id,
      name,
      createdAt,
    }: {
      id?: number
      name: string
      createdAt: EpochMs
    }): Promise<Agent | undefined> => {
      const next = sql<number>`(select coalesce(max(id) + 1, ${firstAgentId}) from agents)`
      return writer.transaction().execute(async trx => {
        const agent = await trx
          .insertInto('agents')
          .values({ id: id ?? next, name, created_at: createdAt })
          .onConflict(conflict => conflict.column('id').doNothing())
          .returning(agentColumns)
          .executeTakeFirst()
        if (agent !== undefined)
          await recordAudit(trx, { action: 'agent.add', scope: 'board', target: `agent:${agent.id}` })
        return agent
      })
    },

    /** Each agent with the advertisers that have authorised it, in ascending order. */
    async list(): Promise<(Agent & { advertiserIds: number[] })[]> {
      const rows = await reader
        .selectFrom('agents as agent')
        .leftJoin('agent_authorisations as authorisation', 'authorisation.agent_id', 'agent.id')
        .select(['agent.id', 'agent.name', 'agent.created_at', 'authorisation.advertiser_id'])
        .orderBy('agent.id')
        .orderBy('authorisation.advertiser_id')
        .execute()
      const agents = new Map<number, Agent & { advertiserIds: number[] }>()
      for (const { id, name, created_at, advertiser_id } of rows) {
        const agent = agents.get(id) ?? { id, name, createdAt: created_at, advertiserIds: [] }
        if (advertiser_id !== null) agent.advertiserIds.push(advertiser_id)
        agents.set(id, agent)
      }
      return [...agents.values()]
    },

    find: (agentId: number): Promise<Agent | undefined> =>
      reader.selectFrom('agents').select(agentColumns).where('id', '=', agentId).executeTakeFirst(),

    /** Every agent by name, with the time from which it may act for this advertiser, or null if it may not. */
    listFor: (advertiserId: number): Promise<AgentOfAdvertiser[]> =>
      reader
        .selectFrom('agents as agent')
        .leftJoin('agent_authorisations as authorisation', join =>
          join
            .onRef('authorisation.agent_id', '=', 'agent.id')
            .on('authorisation.advertiser_id', '=', advertiserId),
        )
        .select(['agent.id', 'agent.name', 'authorisation.authorised_at as authorisedAt'])
        .select('authorisation.progress_granted_at as progressGrantedAt')
        .orderBy('agent.name')
        .orderBy('agent.id')
        .execute(),

    /** The advertisers that have authorised the agent, by name. */
    companiesOf: (agentId: number): Promise<CompanyOfAgent[]> =>
      reader
        .selectFrom('agent_authorisations as authorisation')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'authorisation.advertiser_id')
        .select(['advertiser.id as advertiserId', 'advertiser.name', 'advertiser.status'])
        .select('authorisation.authorised_at as authorisedAt')
        .select('authorisation.progress_granted_at as progressGrantedAt')
        .where('authorisation.agent_id', '=', agentId)
        .orderBy('advertiser.name')
        .orderBy('advertiser.id')
        .execute(),

    /** A page of these advertisers in ascending order of ID. */
    advertisersOf: (
      agentId: number,
      { afterId, limit }: PageParameters,
    ): Promise<Omit<CompanyOfAgent, 'status' | 'progressGrantedAt'>[]> =>
      reader
        .selectFrom('agent_authorisations as authorisation')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'authorisation.advertiser_id')
        .select(['advertiser.id as advertiserId', 'advertiser.name'])
        .select('authorisation.authorised_at as authorisedAt')
        .where('authorisation.agent_id', '=', agentId)
        .where('authorisation.advertiser_id', '>', afterId)
        .orderBy('authorisation.advertiser_id')
        .limit(limit)
        .execute(),

    /**
     * Changes nothing if there is an authorisation. A new one gets a later time than any previous one, whatever the
     * clock says: tokens refer to their authorisation by its time, so a new one must not make an old token valid again.
     */
    authorise: (advertiserId: number, agentId: number, at: EpochMs): Promise<void> =>
      withLedger(database, advertiserId, async trx => {
        const number = await nextEventNumber(trx, advertiserId, at, { changesList: false })
        // Locks the agent: of two concurrent calls, the second finds the authorisation of the first.
        const authorisedAt = await nextGrantTime(trx, agentId, at)
        const added = await trx
          .insertInto('agent_authorisations')
          .values({ advertiser_id: advertiserId, agent_id: agentId, authorised_at: authorisedAt })
          .onConflict(conflict => conflict.columns(['advertiser_id', 'agent_id']).doNothing())
          .executeTakeFirst()
        if (added.numInsertedOrUpdatedRows !== 1n) return
        await addEvent(trx, advertiserId, number, 'agent.authorised', null, { agentId })
        await addLanesOfAgent(trx, agentId, advertiserId, { number, now: at })
        await recordAudit(trx, {
          action: 'agent.authorise',
          scope: { ownerId: advertiserId },
          target: `agent:${agentId}`,
        })
      }),

    /** Whether the agent may report progress; false if it is not authorised. Repeating it changes nothing. */
    setProgress: (advertiserId: number, agentId: number, isGranted: boolean, at: EpochMs): Promise<boolean> =>
      withLedger(database, advertiserId, async trx => {
        // Reports are checked under the same lock: none is written after the grant has ended.
        await lockLedger(trx, database.dialect, advertiserId)
        const own = await trx
          .selectFrom('agent_authorisations')
          .select('progress_granted_at as grantedAt')
          .where('advertiser_id', '=', advertiserId)
          .where('agent_id', '=', agentId)
          .executeTakeFirst()
        if (own === undefined) return false
        const { grantedAt } = own
        if ((grantedAt !== null) === isGranted) return true
        const progress_granted_at = isGranted ? await nextGrantTime(trx, agentId, at) : null
        await trx
          .updateTable('agent_authorisations')
          .set({ progress_granted_at })
          .where('advertiser_id', '=', advertiserId)
          .where('agent_id', '=', agentId)
          .execute()
        if (grantedAt !== null)
          await recordTombstones(trx, ['progress-grant', advertiserId, agentId, grantedAt])
        await recordAudit(trx, {
          action: 'agent.progress',
          scope: { ownerId: advertiserId },
          target: `agent:${agentId}`,
          before: { granted: grantedAt !== null },
          after: { granted: isGranted },
        })
        return true
      }),

    /** Returns false if there was no authorisation. */
    withdraw: (advertiserId: number, agentId: number, at: EpochMs): Promise<boolean> =>
      withLedger(database, advertiserId, async trx => {
        const own = trx
          .selectFrom('agent_authorisations')
          .select('authorised_at')
          .where('advertiser_id', '=', advertiserId)
          .where('agent_id', '=', agentId)
        if ((await own.executeTakeFirst()) === undefined) return false
        // Locks the ledger before the authorisation, as `authorise` does.
        const number = await nextEventNumber(trx, advertiserId, at, { changesList: false })
        const gone = await trx
          .deleteFrom('agent_authorisations')
          .where('advertiser_id', '=', advertiserId)
          .where('agent_id', '=', agentId)
          .returning('authorised_at')
          .executeTakeFirst()
        if (gone === undefined) return false
        await endConsents(trx, advertiserId, { agentId }, at)
        await recordTombstones(trx, ['agent', advertiserId, agentId, gone.authorised_at])
        await addEvent(trx, advertiserId, number, 'agent.withdrawn', null, { agentId })
        await endLanesOfAgent(trx, database.dialect, agentId, advertiserId, { number, now: at })
        await recordAudit(trx, {
          action: 'agent.withdraw',
          scope: { ownerId: advertiserId },
          target: `agent:${agentId}`,
        })
        return true
      }),
  }
}

/**
 * Returns a time later than any previous grant's, whatever the clock says: earlier requests do not count for a later
 * grant.
 */
async function nextGrantTime(trx: Transaction<Schema>, agentId: number, at: EpochMs): Promise<EpochMs> {
  const { last_authorised_at } = await trx
    .updateTable('agents')
    .set(eb => ({
      last_authorised_at: eb
        .case()
        .when('last_authorised_at', '>=', at)
        .then(eb('last_authorised_at', '+', 1))
        .else(eb.val(at))
        .end(),
    }))
    .where('id', '=', agentId)
    .returning('last_authorised_at')
    .executeTakeFirstOrThrow()
  return last_authorised_at
}
