import type { Kysely } from 'kysely'
import { keyFingerprint, type WebhookKeys } from '../../events/webhooks/signing-rules.ts'
import { webhookKeyKey } from '../../events/webhooks/webhook-key-store.ts'
import { keyIdOf, type SecretKeys, sealedWith } from '../../people/factors/secret-rules.ts'
import { getMeta } from '../../platform/database/meta.ts'
import type { Schema } from '../../platform/database/tables.ts'
import type { MachineKeys } from './machine-keys-adapter.ts'
import type { MissingKeys } from './ports.ts'

/** Whether the database was restored since a process last checked that it has the matching keys. */
export const unprovenKeysKey = 'keys-unproven'
/** IDs of the lost keys, separated by spaces. */
export const lostIdsKey = 'lost-secrets-keys'

/** The settings that have held keys, separated by spaces: a key in a setting has no file that could be lost. */
export const setKeysKey = 'set-keys'

interface FoundKeys {
  webhook: WebhookKeys | undefined
  secrets: SecretKeys | undefined
}

export async function findMissingKeys(db: Kysely<Schema>, keys: FoundKeys): Promise<MissingKeys> {
  const recorded = await getMeta(db, webhookKeyKey)
  const isMissing = recorded !== undefined && !keys.webhook?.map(keyFingerprint).includes(recorded)
  const { count } = await db
    .selectFrom('webhook_endpoints')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('key_lost_at', 'is', null)
    .executeTakeFirstOrThrow()
  const known = keys.secrets?.map(keyIdOf) ?? []
  const apps = await db.selectFrom('totp_factors').select('secret').execute()
  const closed = apps.map(({ secret }) => sealedWith(secret)).filter(id => !known.includes(id))
  return {
    webhookKey: isMissing ? recorded : undefined,
    endpoints: isMissing ? Number(count) : 0,
    secretsKeys: [...new Set(closed)],
    apps: closed.length,
  }
}

/** Whether a process has to check which keys are lost. */
export async function needsKeyCheck(db: Kysely<Schema>, keys: FoundKeys): Promise<boolean> {
  if ((await getMeta(db, unprovenKeysKey)) !== undefined) return true
  const { webhookKey, apps } = await findMissingKeys(db, keys)
  return webhookKey !== undefined || apps > 0
}

export const foundKeys = ({ webhook, secrets }: MachineKeys) => ({
  webhook: webhook.find(),
  secrets: secrets.find(),
})

export async function hasFactors(db: Kysely<Schema>): Promise<boolean> {
  for (const table of ['passkeys', 'totp_factors'] as const)
    if ((await db.selectFrom(table).select('candidate_id').limit(1).executeTakeFirst()) !== undefined)
      return true
  return false
}

/** Apps added with these keys are treated as lost by their owners. */
export const lostSecretsKeys = async (db: Kysely<Schema>): Promise<string[]> =>
  (await getMeta(db, lostIdsKey))?.split(' ') ?? []

/** The recorded settings that have held keys at a start. */
export const recordedSettings = async (db: Kysely<Schema>): Promise<string[]> =>
  (await getMeta(db, setKeysKey))?.split(' ') ?? []
