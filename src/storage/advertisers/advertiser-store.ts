import { type Selectable, sql } from 'kysely'
import type { Advertiser, AdvertiserStore, Credential, CredentialStore } from '../../advertisers/ports.ts'
import type { Act } from '../../model/audit.ts'
import { advertiserColumns } from '../columns.ts'
import { findByKey } from '../database/find-by-key.ts'
import type { Database, Schema } from '../database/tables.ts'
import { bury } from '../writing/bury.ts'
import { recordAudit } from '../writing/record-audit.ts'

/** IDs that we assign begin here, to distinguish them from those of applications at a glance. */
const firstAdvertiserId = 10_000_001

export function createAdvertiserStore({ writer, reader, dialect }: Database): AdvertiserStore {
  /** Records what a setting was and has become, unless it stays the same. */
  const change = (
    advertiserId: number,
    set: { status: 'active' | 'hold' } | { time_zone: string | null } | { requires_factor: number },
    act: (row: Row) => Pick<Act, 'action' | 'before'>,
  ) =>
    writer.transaction().execute(async trx => {
      const row = await trx
        .selectFrom('advertisers')
        .select(advertiserColumns)
        .where('id', '=', advertiserId)
        .$if(dialect === 'postgres', query => query.forNoKeyUpdate())
        .executeTakeFirst()
      if (row === undefined) return undefined
      const changed = { ...row, ...set }
      const [was, becomes] = [act(row), act(changed)]
      if (JSON.stringify(was) === JSON.stringify(becomes)) return advertiserOf(row)
      await trx.updateTable('advertisers').set(set).where('id', '=', advertiserId).execute()
      await recordAudit(trx, {
        ...was,
        scope: { advertiserId },
        target: `company:${advertiserId}`,
        after: becomes.before,
      } as Act)
      return advertiserOf(changed)
    })

  return {
    add: ({ id, name, createdAt, timeZone = null }) =>
      writer.transaction().execute(async trx => {
        const next = sql<number>`(select coalesce(max(id) + 1, ${firstAdvertiserId}) from advertisers)`
        const row = await trx
          .insertInto('advertisers')
          .values({ id: id ?? next, name, status: 'active', created_at: createdAt, time_zone: timeZone })
          .onConflict(conflict => conflict.column('id').doNothing())
          .returning(advertiserColumns)
          .executeTakeFirst()
        if (row === undefined) return undefined
        await trx
          .insertInto('advertiser_ledger')
          .values({ advertiser_id: row.id, last_submitted_at: 0, version: 0 })
          .execute()
        await recordAudit(trx, {
          action: 'company.add',
          scope: { advertiserId: row.id },
          target: `company:${row.id}`,
          after: { status: row.status, timeZone: row.time_zone },
        })
        return advertiserOf(row)
      }),

    async list() {
      const rows = await reader.selectFrom('advertisers').select(advertiserColumns).orderBy('id').execute()
      return rows.map(advertiserOf)
    },

    async find(advertiserId) {
      const row = await reader
        .selectFrom('advertisers')
        .select(advertiserColumns)
        .where('id', '=', advertiserId)
        .executeTakeFirst()
      return row && advertiserOf(row)
    },

    setStatus: (advertiserId, status) =>
      change(advertiserId, { status }, row => ({ action: 'company.status', before: { status: row.status } })),

    setTimeZone: (advertiserId, timeZone) =>
      change(advertiserId, { time_zone: timeZone }, row => ({
        action: 'company.time-zone',
        before: { timeZone: row.time_zone },
      })),

    setRequiresFactor: (advertiserId, isRequired) =>
      change(advertiserId, { requires_factor: isRequired ? 1 : 0 }, row => ({
        action: 'company.second-factor',
        before: { required: row.requires_factor === 1 },
      })),
  }
}

type Row = Pick<Selectable<Schema['advertisers']>, (typeof advertiserColumns)[number]>

function advertiserOf(row: Row): Advertiser {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    timeZone: row.time_zone,
    createdAt: row.created_at,
  }
}

const credentialColumns = [
  'id',
  'hint',
  'label',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
  'last_used_at as lastUsedAt',
] as const

export function createCredentialStore(database: Database): CredentialStore {
  const { writer, reader } = database
  return {
    findOwner: findByKey(
      database,
      'credential.hash',
      reader
        .selectFrom('sws_credentials as credential')
        .innerJoin('advertisers as advertiser', 'advertiser.id', 'credential.advertiser_id')
        .innerJoin('advertiser_ledger as ledger', 'ledger.advertiser_id', 'credential.advertiser_id')
        .select([
          'credential.id as credentialId',
          'advertiser.id as advertiserId',
          'advertiser.status as advertiserStatus',
          'credential.expires_at as expiresAt',
          'credential.revoked_at as revokedAt',
          'credential.last_used_at as lastUsedAt',
          'ledger.version',
          'ledger.event_number as eventNumber',
        ]),
    ),

    async advertiserOf(credentialId) {
      const row = await reader
        .selectFrom('sws_credentials')
        .select('advertiser_id')
        .where('id', '=', credentialId)
        .executeTakeFirst()
      return row?.advertiser_id
    },

    add: (advertiserId, credential) =>
      writer.transaction().execute(async trx => {
        await trx
          .insertInto('sws_credentials')
          .values({
            id: credential.id,
            advertiser_id: advertiserId,
            hash: credential.hash,
            hint: credential.hint,
            label: credential.label,
            created_at: credential.createdAt,
            expires_at: credential.expiresAt,
          })
          .execute()
        await recordAudit(trx, {
          action: 'credential.issue',
          scope: { advertiserId },
          target: `credential:${credential.id}`,
          after: { expiresAt: credential.expiresAt },
        })
      }),

    list: (advertiserId): Promise<Credential[]> =>
      reader
        .selectFrom('sws_credentials')
        .select(credentialColumns)
        .where('advertiser_id', '=', advertiserId)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    revoke: (advertiserId, credentialId, at): Promise<Credential | undefined> =>
      writer.transaction().execute(async trx => {
        const revoked = await trx
          .updateTable('sws_credentials')
          .set({ revoked_at: at })
          .where('advertiser_id', '=', advertiserId)
          .where('id', '=', credentialId)
          .where('revoked_at', 'is', null)
          .returning(credentialColumns)
          .executeTakeFirst()
        // Revoked before, or unknown.
        if (revoked === undefined)
          return trx
            .selectFrom('sws_credentials')
            .select(credentialColumns)
            .where('advertiser_id', '=', advertiserId)
            .where('id', '=', credentialId)
            .executeTakeFirst()
        await bury(trx, ['credential', advertiserId, credentialId])
        await recordAudit(trx, {
          action: 'credential.revoke',
          scope: { advertiserId },
          target: `credential:${credentialId}`,
          before: { revokedAt: null },
          after: { revokedAt: at },
        })
        return revoked
      }),

    async recordUse(advertiserId, credentialId, at, since) {
      await writer
        .updateTable('sws_credentials')
        .set({ last_used_at: at })
        .where('advertiser_id', '=', advertiserId)
        .where('id', '=', credentialId)
        .where(eb => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', since)]))
        .execute()
    },
  }
}
