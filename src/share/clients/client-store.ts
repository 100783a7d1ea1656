import { sql, type Transaction } from 'kysely'
import { auditAddresses } from '../../platform/audit/acts.ts'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { findByKey } from '../../platform/database/find-by-key.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { endConsents } from '../../schema/writing/end-consents.ts'
import { recordTombstones } from '../../schema/writing/record-tombstones.ts'
import type { Client } from '../protocol/records.ts'
import { redirectUris, wordsOf } from './client-rows-store.ts'

const clientColumns = [
  'client.id',
  'client.name',
  'client.agent_id as agentId',
  'client.scopes',
  'client.require_pkce as requirePkce',
  'client.disabled_at as disabledAt',
  'client.logo_hash as logoHash',
  'client.privacy_url as privacyUrl',
] as const

const advertiserIds = sql<string | null>`(
  select string_agg(cast(advertiser_id as text), ' ' order by advertiser_id)
  from oauth_client_advertisers where client_id = client.id
)`.as('advertiserIds')

const secretHashes = sql<string | null>`(
  select string_agg(hash, ' ' order by created_at desc) from oauth_client_secrets where client_id = client.id
)`.as('secretHashes')

export type ClientStore = ReturnType<typeof createClientStore>

export function createClientStore(database: Database) {
  const { writer, reader, dialect } = database
  const find = findByKey(
    database,
    'client.id',
    reader.selectFrom('oauth_clients as client').select([...clientColumns, redirectUris, secretHashes]),
  )

  return {
    async find(clientId: string): Promise<Client | undefined> {
      const row = await find(clientId)
      return (
        row && {
          ...row,
          scopes: wordsOf(row.scopes),
          requirePkce: row.requirePkce === 1,
          redirectUris: wordsOf(row.redirectUris),
          secretHashes: wordsOf(row.secretHashes),
        }
      )
    },

    /** Returns false if the ID is taken. */
    add: (
      client: Omit<Client, 'secretHashes' | 'disabledAt' | 'logoHash' | 'privacyUrl'> & Partial<Client>,
      secretHash: string,
      at: EpochMs,
      advertiserIds: readonly number[] = [],
    ): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const made = await trx
          .insertInto('oauth_clients')
          .values({
            id: client.id,
            name: client.name,
            agent_id: client.agentId,
            scopes: client.scopes.join(' '),
            require_pkce: client.requirePkce ? 1 : 0,
            privacy_url: client.privacyUrl,
            created_at: at,
          })
          .onConflict(conflict => conflict.column('id').doNothing())
          .executeTakeFirst()
        if (made.numInsertedOrUpdatedRows !== 1n) return false
        if (client.redirectUris.length > 0) {
          await trx
            .insertInto('oauth_redirect_uris')
            .values(client.redirectUris.map(uri => ({ client_id: client.id, uri })))
            .execute()
        }
        if (advertiserIds.length > 0) {
          await trx
            .insertInto('oauth_client_advertisers')
            .values(advertiserIds.map(id => ({ client_id: client.id, advertiser_id: id })))
            .execute()
        }
        await trx
          .insertInto('oauth_client_secrets')
          .values({ client_id: client.id, hash: secretHash, created_at: at })
          .execute()
        const target = `client:${client.id}` as const
        await recordAudit(
          trx,
          {
            action: 'client.add',
            scope: 'board',
            target,
            after: {
              agentId: client.agentId,
              scopes: client.scopes.join(' '),
              requirePkce: client.requirePkce,
              redirectUris: client.redirectUris.length,
              uris: auditAddresses(...client.redirectUris),
            },
          },
          ...advertiserIds.map(
            advertiserId => ({ action: 'client.allow', scope: { ownerId: advertiserId }, target }) as const,
          ),
        )
        return true
      }),

    /** All clients, or one agent's. */
    async list(
      agentId?: number,
    ): Promise<
      (Omit<Client, 'secretHashes'> & { createdAt: EpochMs; secrets: number; advertiserIds: number[] })[]
    > {
      const all = reader
        .selectFrom('oauth_clients as client')
        .select([
          ...clientColumns,
          'client.created_at as createdAt',
          redirectUris,
          advertiserIds,
          eb =>
            eb
              .selectFrom('oauth_client_secrets')
              .select(sql<number>`count(*)`.as('secrets'))
              .whereRef('client_id', '=', 'client.id')
              .as('secrets'),
        ])
        .orderBy('client.id')
      const rows = await (agentId === undefined ? all : all.where('client.agent_id', '=', agentId)).execute()
      return rows.map(row => ({
        ...row,
        scopes: wordsOf(row.scopes),
        requirePkce: row.requirePkce === 1,
        redirectUris: wordsOf(row.redirectUris),
        secrets: row.secrets ?? 0,
        advertiserIds: wordsOf(row.advertiserIds).map(Number),
      }))
    },

    /** Idempotent; client and advertiser must exist. */
    allow: (clientId: string, advertiserId: number): Promise<void> =>
      writer.transaction().execute(async trx => {
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto('oauth_client_advertisers')
          .values({ client_id: clientId, advertiser_id: advertiserId })
          .onConflict(conflict => conflict.columns(['client_id', 'advertiser_id']).doNothing())
          .executeTakeFirst()
        if (numInsertedOrUpdatedRows !== 1n) return
        await recordAudit(trx, {
          action: 'client.allow',
          scope: { ownerId: advertiserId },
          target: `client:${clientId}`,
        })
      }),

    /** Also ends the client's consents for the advertiser. Returns false if the advertiser was not listed. */
    forbid: (clientId: string, advertiserId: number, at: EpochMs): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const { numDeletedRows } = await trx
          .deleteFrom('oauth_client_advertisers')
          .where('client_id', '=', clientId)
          .where('advertiser_id', '=', advertiserId)
          .executeTakeFirst()
        if (numDeletedRows === 0n) return false
        await endConsents(trx, advertiserId, { clientId }, at)
        await recordTombstones(trx, ['client-advertiser', clientId, advertiserId])
        await recordAudit(trx, {
          action: 'client.forbid',
          scope: { ownerId: advertiserId },
          target: `client:${clientId}`,
        })
        return true
      }),

    /** Returns false if there is no such client. */
    setPrivacyUrl: (clientId: string, privacyUrl: string | null): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        const { numUpdatedRows } = await trx
          .updateTable('oauth_clients')
          .set({ privacy_url: privacyUrl })
          .where('id', '=', clientId)
          .executeTakeFirst()
        if (numUpdatedRows !== 1n) return false
        await recordAudit(trx, {
          action: 'client.privacy',
          scope: 'board',
          target: `client:${clientId}`,
          after: {
            isSet: privacyUrl !== null,
            privacyUrl: privacyUrl === null ? null : auditAddresses(privacyUrl),
          },
        })
        return true
      }),

    /** Replaces all redirect URIs; returns false if there is no such client. */
    setRedirectUris: (clientId: string, uris: readonly string[]): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        if (!(await lockClient(trx, clientId))) return false
        const former = await trx
          .deleteFrom('oauth_redirect_uris')
          .where('client_id', '=', clientId)
          .returning('uri')
          .execute()
        if (uris.length > 0)
          await trx
            .insertInto('oauth_redirect_uris')
            .values(uris.map(uri => ({ client_id: clientId, uri })))
            .execute()
        await recordAudit(trx, {
          action: 'client.redirect-uris',
          scope: 'board',
          target: `client:${clientId}`,
          before: {
            redirectUris: former.length,
            uris: auditAddresses(...former.map(({ uri }) => uri).toSorted()),
          },
          after: { redirectUris: uris.length, uris: auditAddresses(...uris) },
        })
        return true
      }),

    /** Adds a secret and retires all others except the newest `keep`; returns false if there is no such client. */
    addSecret: (clientId: string, secretHash: string, keep: number, at: EpochMs): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        if (!(await lockClient(trx, clientId))) return false
        const others = await trx
          .selectFrom('oauth_client_secrets')
          .select(['hash', 'created_at'])
          .where('client_id', '=', clientId)
          .orderBy('created_at', 'desc')
          .execute()
        const retired = others.slice(keep)
        if (retired.length > 0) {
          await trx
            .deleteFrom('oauth_client_secrets')
            .where('client_id', '=', clientId)
            .where(
              'hash',
              'in',
              retired.map(({ hash }) => hash),
            )
            .execute()
          await recordTombstones(
            trx,
            ...retired.map(secret => ['client-secret', clientId, secret.created_at] as const),
          )
        }
        // The newest secret must stay the newest even if the clock was set back.
        const created_at = Math.max(at, (others[0]?.created_at ?? 0) + 1)
        await trx
          .insertInto('oauth_client_secrets')
          .values({ client_id: clientId, hash: secretHash, created_at })
          .execute()
        await recordAudit(trx, {
          action: 'client.secret',
          scope: 'board',
          target: `client:${clientId}`,
          before: { secrets: others.length },
          after: { secrets: others.length - retired.length + 1 },
        })
        return true
      }),

    /**
     * Also revokes the client's codes and tokens in the same transaction; keeps the first time. Returns false if there
     * is no such client.
     */
    disable: (clientId: string, at: EpochMs): Promise<boolean> =>
      writer.transaction().execute(async trx => {
        // Updated first: a redemption holds a share lock on this row, so its token is visible to the statements below.
        const client = await trx
          .updateTable('oauth_clients')
          .set(eb => ({ disabled_at: eb.fn.coalesce('disabled_at', eb.val(at)) }))
          .where('id', '=', clientId)
          .returning('disabled_at')
          .executeTakeFirst()
        if (client === undefined) return false
        // Codes before tokens, as everywhere, so that concurrent transactions cannot deadlock.
        await trx
          .updateTable('oauth_codes')
          .set({ expires_at: at })
          .where('client_id', '=', clientId)
          .where('redeemed_at', 'is', null)
          .where('expires_at', '>', at)
          .execute()
        const tokens = trx
          .selectFrom('oauth_tokens')
          .select('hash')
          .where('client_id', '=', clientId)
          .where('revoked_at', 'is', null)
          .where('expires_at', '>', at)
        await trx
          .updateTable('oauth_tokens')
          .set({ revoked_at: at })
          .where('client_id', '=', clientId)
          // In the same order in which prefills lock the tokens of several candidates.
          .where('hash', 'in', dialect === 'postgres' ? tokens.orderBy('hash').forNoKeyUpdate() : tokens)
          .execute()
        await recordTombstones(trx, ['client', clientId])
        if (client.disabled_at === at)
          await recordAudit(trx, {
            action: 'client.disable',
            scope: 'board',
            target: `client:${clientId}`,
            after: { disabledAt: at },
          })
        return true
      }),
  }
}

/** Serialises changes to a client; returns false if there is no such client. */
export async function lockClient(trx: Transaction<Schema>, clientId: string): Promise<boolean> {
  const client = await trx
    .updateTable('oauth_clients')
    .set(eb => ({ name: eb.ref('name') }))
    .where('id', '=', clientId)
    .executeTakeFirst()
  return client.numUpdatedRows > 0n
}
