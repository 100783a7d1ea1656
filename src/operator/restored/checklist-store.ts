import type { EpochMs } from '../../platform/core/clock.ts'
import { getMeta } from '../../platform/database/meta.ts'
import type { Tombstones } from '../../platform/database/restore-detection/tombstones.ts'
import { restoredKey } from '../../platform/database/server-history.ts'
import type { Database } from '../../platform/database/tables.ts'
import type { Tombstone } from '../../schema/writing/record-tombstones.ts'

export interface Restored {
  /** Undefined if the database was never set back. */
  restoredAt: EpochMs | undefined
  heldMails: number
}

/** Items for an operator to check after a restore. */
export interface Checklist extends Restored {
  /** The last items made before the backup: each may have been changed or ended since in ways that leave no tombstone. */
  newest: { what: 'credential' | 'client secret' | 'member' | 'webhook'; id: string; createdAt: EpochMs }[]
  /** Advertisers whose last admin was deleted or removed again. */
  advertisersWithoutAdmin: number[]
  /** Clients that need a new secret, because all of theirs were retired since. */
  clientsWithoutSecret: string[]
  /** Accounts that have lost the passkey or app added since the backup: the password alone may open them. */
  accountsWithoutFactor: { candidateId: string; email: string; addedAt: EpochMs }[]
}

const maxOfEach = 5

export async function readRestored({ reader }: Database): Promise<Restored> {
  const [restored, { count: heldMails }] = await Promise.all([
    getMeta(reader, restoredKey),
    reader
      .selectFrom('deliveries')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('state', '=', 'held')
      .executeTakeFirstOrThrow(),
  ])
  return { restoredAt: restored === undefined ? undefined : Number(restored), heldMails }
}

/** Added factors that neither exist nor were removed, unless their owner has another one now. */
async function readLostFactors(
  { reader }: Database,
  tombstones: Pick<Tombstones<Tombstone>, 'read'>,
): Promise<Checklist['accountsWithoutFactor']> {
  const added = new Map<string, { candidateId: string; addedAt: EpochMs }>()
  const removed = new Set<string>()
  const keyOf = (...parts: (string | number)[]) => parts.join(' ')
  for await (const part of tombstones.read())
    for (const [kind, ...rest] of part) {
      const [candidateId] = rest as [string]
      if (kind === 'factor-added') {
        const [, factor, addedAt] = rest as [string, string, number]
        added.set(keyOf(candidateId, factor, addedAt), { candidateId, addedAt })
      } else if (kind === 'totp' || kind === 'passkey')
        removed.add(keyOf(candidateId, kind, rest.at(-1) as number))
    }
  const lost = new Map<string, EpochMs>()
  for (const [key, { candidateId, addedAt }] of added)
    if (!removed.has(key)) lost.set(candidateId, Math.max(addedAt, lost.get(candidateId) ?? 0))
  const found: Checklist['accountsWithoutFactor'] = []
  for (const [candidateId, addedAt] of lost) {
    const account = await reader
      .selectFrom('candidates')
      .leftJoin('totp_factors as totp', 'totp.candidate_id', 'candidates.id')
      .select(['email', 'totp.created_at as appAt'])
      .select(eb =>
        eb
          .selectFrom('passkeys')
          .select(({ fn }) => fn.max('created_at').as('at'))
          .whereRef('passkeys.candidate_id', '=', 'candidates.id')
          .as('passkeyAt'),
      )
      .where('candidates.id', '=', candidateId)
      .executeTakeFirst()
    if (account === undefined || Math.max(account.appAt ?? 0, account.passkeyAt ?? 0) >= addedAt) continue
    found.push({ candidateId, email: account.email, addedAt })
  }
  return found.toSorted((a, b) => a.addedAt - b.addedAt)
}

export async function readChecklist(
  database: Database,
  tombstones: Pick<Tombstones<Tombstone>, 'read'>,
): Promise<Checklist> {
  const { reader } = database
  const credentials = await reader
    .selectFrom('sws_credentials')
    .select(['id', 'created_at as createdAt'])
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .limit(maxOfEach)
    .execute()
  const secrets = await reader
    .selectFrom('oauth_client_secrets')
    .select(['client_id as id', 'created_at as createdAt'])
    .orderBy('created_at', 'desc')
    .limit(maxOfEach)
    .execute()
  const members = await reader
    .selectFrom('memberships')
    .select(['advertiser_id', 'candidate_id', 'created_at as createdAt'])
    .orderBy('created_at', 'desc')
    .limit(maxOfEach)
    .execute()
  const webhooks = await reader
    .selectFrom('webhook_endpoints')
    .select(['id', 'created_at as createdAt'])
    .orderBy('created_at', 'desc')
    .limit(maxOfEach)
    .execute()
  const advertisers = await reader
    .selectFrom('memberships as membership')
    .select('membership.advertiser_id as id')
    .groupBy('membership.advertiser_id')
    // `admin` is the first of the roles in the alphabet.
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
        what: 'member' as const,
        id: `${candidate_id} of ${advertiser_id}`,
        createdAt,
      })),
      ...webhooks.map(row => ({ what: 'webhook' as const, ...row })),
    ],
    advertisersWithoutAdmin: advertisers.map(({ id }) => id),
    clientsWithoutSecret: clients.map(({ id }) => id),
    accountsWithoutFactor: await readLostFactors(database, tombstones),
  }
}
