import type { EpochMs } from '../../core/clock.ts'
import { restoredKey } from '../database/server-history.ts'
import type { Database } from '../database/tables.ts'
import { metaOf } from './generation.ts'

export interface Restored {
  /** Undefined if the database was never set back. */
  restoredAt: EpochMs | undefined
  heldMails: number
}

/** What an operator should look at after a restore. */
export interface Checklist extends Restored {
  /** The last that were made before the backup: each may have been changed or ended since by ways that leave no tombstone. */
  newest: { what: 'credential' | 'client secret' | 'member' | 'webhook'; id: string; createdAt: EpochMs }[]
  /** Whose last admin was deleted or removed again. */
  advertisersWithoutAdmin: number[]
  /** Whose secrets were all retired since: they need a new one. */
  clientsWithoutSecret: string[]
}

const mostOfEach = 5

export async function readRestored({ reader }: Database): Promise<Restored> {
  const [restored, { count: heldMails }] = await Promise.all([
    metaOf(reader, restoredKey),
    reader
      .selectFrom('deliveries')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('state', '=', 'held')
      .executeTakeFirstOrThrow(),
  ])
  return { restoredAt: restored === undefined ? undefined : Number(restored), heldMails }
}

export async function readChecklist(database: Database): Promise<Checklist> {
  const { reader } = database
  const credentials = await reader
    .selectFrom('sws_credentials')
    .select(['id', 'created_at as createdAt'])
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(mostOfEach)
    .execute()
  const secrets = await reader
    .selectFrom('oauth_client_secrets')
    .select(['client_id as id', 'created_at as createdAt'])
    .orderBy('created_at', 'desc')
    .limit(mostOfEach)
    .execute()
  const members = await reader
    .selectFrom('memberships')
    .select(['advertiser_id', 'candidate_id', 'created_at as createdAt'])
    .orderBy('created_at', 'desc')
    .limit(mostOfEach)
    .execute()
  const webhooks = await reader
    .selectFrom('webhook_endpoints')
    .select(['id', 'created_at as createdAt'])
    .orderBy('created_at', 'desc')
    .limit(mostOfEach)
    .execute()
  const advertisers = await reader
    .selectFrom('memberships as membership')
    .select('membership.advertiser_id as id')
    .groupBy('membership.advertiser_id')
    // The first of the roles in the alphabet.
    .having(({ fn }) => fn.min('membership.role'), '!=', 'admin')
    .orderBy('id')
    .execute()
  const clients = await reader
    .selectFrom('oauth_clients as client')
    .leftJoin('oauth_client_secrets as secret', 'secret.client_id', 'client.id')
    .select('client.id')
    .where('client.disabled_at', 'is', null)
    .where('secret.hash', 'is', null)
    .orderBy('client.id')
    .execute()
  return {
    ...(await readRestored(database)),
    newest: [
      ...credentials.map(row => ({ what: 'credential' as const, ...row })),
      ...secrets.map(row => ({ what: 'client secret' as const, ...row })),
      ...members.map(({ advertiser_id, candidate_id, createdAt }) => ({
        ...{ what: 'member' as const, id: `${candidate_id} of ${advertiser_id}`, createdAt },
      })),
      ...webhooks.map(row => ({ what: 'webhook' as const, ...row })),
    ],
    advertisersWithoutAdmin: advertisers.map(({ id }) => id),
    clientsWithoutSecret: clients.map(({ id }) => id),
  }
}
