import { type Selectable, sql } from 'kysely'
import type { EmailChoice } from '../model/application-status.ts'
import type { Act } from '../platform/audit/acts.ts'
import { recordAudit } from '../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import { findByKey } from '../platform/database/find-by-key.ts'
import type { Database, Schema } from '../platform/database/tables.ts'
import { advertiserColumns } from '../schema/columns.ts'
import { recordTombstones } from '../schema/writing/record-tombstones.ts'
import type { AdvertiserStatus } from './rules.ts'

export interface Advertiser {
  id: number
  name: string
  status: AdvertiserStatus
  /** The console's time zone for days and times; null for the operator's time zone. */
  timeZone: string | null
  /** Number of days after which an application counts as unanswered; null for the default. */
  answerDays: number | null
  /** How long the company's form offers to keep an application for other jobs; null: not. */
  keepMonths: number | null
  createdAt: EpochMs
}

/** Information that a company gives its candidates. */
export interface Telling {
  emails: EmailChoice
  /** Whether candidates' pages show the reasons that programs report. */
  showsReasons: boolean
}

/** The details of a credential that may be shown after it was issued. */
export interface Credential {
  id: string
  hint: string
  label: string
  createdAt: EpochMs
  expiresAt: EpochMs | null
  revokedAt: EpochMs | null
  lastUsedAt: EpochMs | null
  /** 1 if it may manage the company's webhook endpoints, else 0. */
  managesWebhooks: number
}

export type NewCredential = Omit<Credential, 'revokedAt' | 'lastUsedAt' | 'managesWebhooks'> & {
  hash: string
  managesWebhooks?: number
}

/** IDs that we assign begin here, so that they look different from application IDs. */
const firstAdvertiserId = 10_000_001

export type AdvertiserStore = ReturnType<typeof createAdvertiserStore>

/** The operator's access to advertisers. */
export function createAdvertiserStore({ writer, reader, dialect }: Database) {
  /** Changes a setting and audits it; does nothing if it is unchanged. */
  const change = (
    advertiserId: number,
    set:
      | { status: 'active' | 'hold' }
      | { time_zone: string | null }
      | { answer_days: number | null }
      | { keep_months: number | null }
      | { requires_factor: number }
      | { candidate_emails?: EmailChoice; shows_reasons?: number },
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
        scope: { ownerId: advertiserId },
        target: `company:${advertiserId}`,
        after: becomes.before,
      } as Act)
      return advertiserOf(changed)
    })

  return {
    /** Takes the next free ID if none is given; undefined if the given one is taken. */
    add: ({
      id,
      name,
      createdAt,
      timeZone = null,
    }: {
      id?: number
      name: string
      timeZone?: string | null
      createdAt: EpochMs
    }): Promise<Advertiser | undefined> =>
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
          scope: { ownerId: row.id },
          target: `company:${row.id}`,
          after: { status: row.status, timeZone: row.time_zone },
        })
        return advertiserOf(row)
      }),

    async list(): Promise<Advertiser[]> {
      const rows = await reader.selectFrom('advertisers').select(advertiserColumns).orderBy('id').execute()
      return rows.map(advertiserOf)
    },

    async find(advertiserId: number): Promise<Advertiser | undefined> {
      const row = await reader
        .selectFrom('advertisers')
        .select(advertiserColumns)
        .where('id', '=', advertiserId)
        .executeTakeFirst()
      return row && advertiserOf(row)
    },

    setStatus: (advertiserId: number, status: AdvertiserStatus): Promise<Advertiser | undefined> =>
      change(advertiserId, { status }, row => ({ action: 'company.status', before: { status: row.status } })),

    setTimeZone: (advertiserId: number, timeZone: string | null): Promise<Advertiser | undefined> =>
      change(advertiserId, { time_zone: timeZone }, row => ({
        action: 'company.time-zone',
        before: { timeZone: row.time_zone },
      })),

    setAnswerDays: (advertiserId: number, answerDays: number | null): Promise<Advertiser | undefined> =>
      change(advertiserId, { answer_days: answerDays }, row => ({
        action: 'company.answer-days',
        before: { days: row.answer_days },
      })),

    setKeepMonths: (advertiserId: number, keepMonths: number | null): Promise<Advertiser | undefined> =>
      change(advertiserId, { keep_months: keepMonths }, row => ({
        action: 'company.keep-months',
        before: { months: row.keep_months },
      })),

    /** Whether its people need a second factor. Credentials are not affected. */
    setRequiresFactor: (advertiserId: number, isRequired: boolean): Promise<Advertiser | undefined> =>
      change(advertiserId, { requires_factor: isRequired ? 1 : 0 }, row => ({
        action: 'company.second-factor',
        before: { required: row.requires_factor === 1 },
      })),

    async telling(advertiserId: number): Promise<Telling | undefined> {
      const row = await reader
        .selectFrom('advertisers')
        .select(['candidate_emails', 'shows_reasons'])
        .where('id', '=', advertiserId)
        .executeTakeFirst()
      return row && { emails: row.candidate_emails, showsReasons: row.shows_reasons === 1 }
    },

    /** Changes the given settings. */
    setTelling: (
      advertiserId: number,
      { emails, showsReasons }: Partial<Telling>,
    ): Promise<Advertiser | undefined> =>
      change(
        advertiserId,
        {
          ...(emails !== undefined && { candidate_emails: emails }),
          ...(showsReasons !== undefined && { shows_reasons: showsReasons ? 1 : 0 }),
        },
        row => ({
          action: 'company.telling',
          before: { emails: row.candidate_emails, reasons: row.shows_reasons === 1 },
        }),
      ),
  }
}

type Row = Pick<Selectable<Schema['advertisers']>, (typeof advertiserColumns)[number]>

function advertiserOf(row: Row): Advertiser {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    timeZone: row.time_zone,
    answerDays: row.answer_days,
    keepMonths: row.keep_months,
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
  'manages_webhooks as managesWebhooks',
] as const

export type CredentialStore = ReturnType<typeof createCredentialStore>

export function createCredentialStore(database: Database) {
  const { writer, reader } = database
  return {
    /** The only query without an advertiser, because the credential identifies the advertiser. */
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
          'credential.manages_webhooks as managesWebhooks',
          'ledger.version',
          'ledger.event_number as eventNumber',
        ]),
    ),

    /** Used by the operator, who revokes by credential ID. */
    async advertiserOf(credentialId: string): Promise<number | undefined> {
      const row = await reader
        .selectFrom('sws_credentials')
        .select('advertiser_id')
        .where('id', '=', credentialId)
        .executeTakeFirst()
      return row?.advertiser_id
    },

    add: (advertiserId: number, credential: NewCredential): Promise<void> =>
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
            manages_webhooks: credential.managesWebhooks ?? 0,
          })
          .execute()
        await recordAudit(trx, {
          action: 'credential.issue',
          scope: { ownerId: advertiserId },
          target: `credential:${credential.id}`,
          after: {
            expiresAt: credential.expiresAt,
            ...(credential.managesWebhooks === 1 && { managesWebhooks: true }),
          },
        })
      }),

    list: (advertiserId: number): Promise<Credential[]> =>
      reader
        .selectFrom('sws_credentials')
        .select(credentialColumns)
        .where('advertiser_id', '=', advertiserId)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),

    /** Keeps the time of the first revocation; undefined if the advertiser has no such credential. */
    revoke: (advertiserId: number, credentialId: string, at: EpochMs): Promise<Credential | undefined> =>
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
        await recordTombstones(trx, ['credential', advertiserId, credentialId])
        await recordAudit(trx, {
          action: 'credential.revoke',
          scope: { ownerId: advertiserId },
          target: `credential:${credentialId}`,
          before: { revokedAt: null },
          after: { revokedAt: at },
        })
        return revoked
      }),

    /** Changes nothing if a use after `since` is already recorded. */
    async recordUse(advertiserId: number, credentialId: string, at: EpochMs, since: EpochMs): Promise<void> {
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
