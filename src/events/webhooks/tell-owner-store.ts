import type { Transaction } from 'kysely'
import type { Schema } from '../../platform/database/tables.ts'
import { queueNotices } from '../../schema/writing/queue-notice.ts'
import type { EndpointEvent } from '../../schema/writing/record-event.ts'
import type { EndpointOwner } from './ports.ts'

/**
 * Queues emails to the owner's admins about an endpoint that is failing, has stopped or has rejected events for good.
 */
export async function queueEndpointNotices(
  trx: Transaction<Schema>,
  owner: EndpointOwner,
  about: { endpointId: string; isStopped: boolean; isGivenUp?: true },
  now: number,
): Promise<void> {
  const admins = await ('agentId' in owner
    ? trx
        .selectFrom('agent_members')
        .select('candidate_id')
        .where('agent_id', '=', owner.agentId)
        .where('role', '=', 'admin')
    : trx
        .selectFrom('memberships')
        .select('candidate_id')
        .where('advertiser_id', '=', owner.advertiserId)
        .where('role', '=', 'admin')
  ).execute()
  const notices = admins.map(({ candidate_id: candidateId }) => ({
    kind: 'webhook-failing' as const,
    candidateId,
    ...owner,
    ...about,
  }))
  await queueNotices(trx, notices, now)
}

/** The events for an agent's clients: an agent has no log, and its endpoints belong to none of its advertisers. */
export async function endpointEventsOfAgent(
  trx: Transaction<Schema>,
  agentId: number,
  type: EndpointEvent['type'],
  { endpointId, since }: { endpointId: string; since: number },
): Promise<EndpointEvent[]> {
  const clients = await trx
    .selectFrom('oauth_clients')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('disabled_at', 'is', null)
    .execute()
  return clients.map(({ id: clientId }) => ({
    clientId,
    type,
    agentId,
    endpointId,
    since: new Date(since).toISOString(),
  }))
}
