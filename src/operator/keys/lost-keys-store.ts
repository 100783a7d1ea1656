import { sql, type Transaction } from 'kysely'
import { keyFingerprint } from '../../events/webhooks/signing-rules.ts'
import { endpointEventsOfAgent, queueEndpointNotices } from '../../events/webhooks/tell-owner-store.ts'
import { webhookKeyKey } from '../../events/webhooks/webhook-key-store.ts'
import { recordAudit } from '../../platform/audit/record-audit-store.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { putMeta } from '../../platform/database/meta.ts'
import type { Database, Schema } from '../../platform/database/tables.ts'
import { addClientEvents, type EndpointEvent } from '../../schema/writing/record-event.ts'
import type { MachineKeys } from './machine-keys-adapter.ts'
import {
  findMissingKeys,
  foundKeys,
  lostIdsKey,
  lostSecretsKeys,
  needsKeyCheck,
  recordedSettings,
  setKeysKey,
  unprovenKeysKey,
} from './missing-keys-store.ts'
import type { MissingKeys } from './ports.ts'

/**
 * For the start of a process: treats missing keys as lost if the database was restored since, or if a single machine's
 * key file is gone. Otherwise a node with wrong settings would pause everyone's webhooks. Returns the lost keys.
 */
export async function reconcileKeys(
  { writer, reader, dialect }: Database,
  { webhook, secrets }: MachineKeys,
  { now, isLost }: { now: EpochMs; isLost: boolean },
): Promise<MissingKeys | undefined> {
  const keys = foundKeys({ webhook, secrets })
  // A start with nothing to decide does not wait for another writer.
  if (!isLost && !(await needsKeyCheck(reader, keys))) return undefined
  return writer.transaction().execute(async trx => {
    const taken = await trx.deleteFrom('meta').where('key', '=', unprovenKeysKey).executeTakeFirst()
    const isRestored = isLost || taken.numDeletedRows > 0n
    const missing = await findMissingKeys(trx, keys)
    const former = await recordedSettings(trx)
    // With several machines, another may have the key; and a setting may be missing only in this process.
    const isGone = (key: 'webhook' | 'secrets') =>
      dialect === 'sqlite' && keys[key] === undefined && !former.includes({ webhook, secrets }[key].setting)
    const lost: MissingKeys = { webhookKey: undefined, endpoints: 0, secretsKeys: [], apps: 0 }
    if (missing.webhookKey !== undefined && (isRestored || isGone('webhook'))) {
      lost.webhookKey = missing.webhookKey
      lost.endpoints = await pauseEndpoints(trx, now)
      await putMeta(trx, webhookKeyKey, keyFingerprint(webhook.make()[0]))
    }
    if (missing.apps > 0 && (isRestored || isGone('secrets'))) {
      const { apps, secretsKeys } = missing
      Object.assign(lost, { apps, secretsKeys })
      const value = [...new Set([...(await lostSecretsKeys(trx)), ...secretsKeys])].join(' ')
      await putMeta(trx, lostIdsKey, value)
    }
    return lost.webhookKey === undefined && lost.apps === 0 ? undefined : lost
  })
}

/** Records which settings have supplied a key, so that a start without such a setting does not treat the key as lost. */
export async function recordSettings({ writer, reader }: Database, keys: MachineKeys): Promise<void> {
  const former = await recordedSettings(reader)
  const found = [keys.webhook, keys.secrets].filter(key => !key.isFile && key.find() !== undefined)
  const value = [...new Set([...former, ...found.map(({ setting }) => setting)])].sort().join(' ')
  if (value !== former.join(' ')) await putMeta(writer, setKeysKey, value)
}

/** Every endpoint, whatever its state: a receiver rejects events signed with another key. */
async function pauseEndpoints(trx: Transaction<Schema>, now: EpochMs): Promise<number> {
  const endpoints = await trx
    .updateTable('webhook_endpoints')
    .set({
      key_lost_at: now,
      overlap_until: null,
      failing_since: null,
      failed_at: null,
      told: 0,
      stopped_at: null,
      stop_reason: null,
      // A new endpoint has no lanes yet: its first test makes them.
      state: sql<'new' | 'paused'>`case state when 'new' then 'new' else 'paused' end`,
    })
    .where('key_lost_at', 'is', null)
    .returning(['id', 'advertiser_id', 'agent_id', 'state'])
    .execute()
  const events: EndpointEvent[] = []
  for (const { id, advertiser_id: advertiserId, agent_id: agentId, state } of endpoints) {
    await recordAudit(trx, {
      action: 'webhook.change',
      scope: advertiserId === null ? 'board' : { ownerId: advertiserId },
      target: `webhook:${id}`,
      after: { state },
    })
    const owner = agentId === null ? { advertiserId: advertiserId ?? 0 } : { agentId }
    await queueEndpointNotices(trx, owner, { endpointId: id, isStopped: true }, now)
    if (agentId === null) continue
    const about = { endpointId: id, since: now }
    events.push(...(await endpointEventsOfAgent(trx, agentId, 'webhook.stopped', about)))
  }
  await addClientEvents(trx, events, now)
  return endpoints.length
}
