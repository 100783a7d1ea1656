import type { Services } from '../../app.ts'
import { findSets } from '../../backup/sets-service.ts'
import { type Config, settings } from '../../config.ts'
import { urlHint } from '../../events/webhooks/address-rules.ts'
import { defaultLimits, limits as knownLimits, type LimitName } from '../../limits.ts'
import type { BackupState, LateWebhook, SettingInForce } from '../../operator/machine/ports.ts'
import { openBackupPlace } from '../backup.ts'

export async function lateWebhooks({ webhooks }: Services): Promise<LateWebhook[]> {
  const late: LateWebhook[] = []
  for (const endpoint of await webhooks.listAll()) {
    const { events, oldestAt, nextTryAt } = await webhooks.backlog(endpoint)
    const { id, url, state, owner } = endpoint
    if (events === 0 && state !== 'failing' && state !== 'stopped') continue
    const named = 'agentId' in owner ? `agent ${owner.agentId}` : String(owner.advertiserId)
    late.push({ id, owner: named, url: urlHint(url), state, events, oldestAt, nextTryAt })
  }
  return late
}

export async function backupState({ backups, log }: Services, config: Config): Promise<BackupState> {
  const verified = Object.entries(await backups.last())
    .map(([place, { set, at }]) => ({ place, set, at }))
    .toSorted((a, b) => b.at - a.at)
  const { BACKUP_URL: address } = config
  if (address === undefined) return { place: undefined, verified, sets: [] }
  const name = 'folder' in address ? address.folder : `s3://${address.s3.bucket}/${address.s3.prefix}`
  try {
    const found = await findSets(await openBackupPlace(config, address))
    const sets = found.toReversed().map(({ set, manifest, fault }) => ({
      ...{ set, fault, files: manifest?.files.count },
      rows: manifest && Object.values(manifest.tables).reduce((sum, rows) => sum + rows, 0),
    }))
    return { place: name, verified, sets }
  } catch (error) {
    log.warn({ err: error }, 'the place of the backups cannot be read')
    return { place: name, verified, sets: undefined }
  }
}

/** Values as they are in force, without secrets. */
export function settingsInForce(config: Config): SettingInForce[] {
  const own = Object.entries(settings).map(([name, setting]) => {
    const value: unknown = config[name as keyof typeof settings]
    const isSet = value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
    const isHidden = 'isSecret' in setting || typeof value === 'object'
    const shown = Array.isArray(value) ? value.join(', ') : isHidden ? 'set' : String(value)
    return { name, value: isSet ? shown : setting.default.replaceAll('`', ''), isDefault: !isSet }
  })
  const changed = Object.entries(knownLimits).flatMap(([name, limit]) => {
    const value = config.limits[name as LimitName]
    const isChanged = 'setting' in limit && value !== defaultLimits[name as LimitName]
    return isChanged ? [{ name: limit.setting, value: String(value), isDefault: false }] : []
  })
  return [...own, ...changed]
}
