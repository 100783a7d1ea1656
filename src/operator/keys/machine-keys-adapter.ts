import { join } from 'node:path'
import type { WebhookKeys } from '../../events/webhooks/signing-rules.ts'
import { readKeyFile, readOrMakeKeyFile } from './key-file-adapter.ts'

/** WEBHOOK_KEY and SECRETS_KEY have the same form. */
type Keys = WebhookKeys

/** A key that is not in the database: from a setting, or from a file of this machine. */
export interface MachineKey {
  setting: 'WEBHOOK_KEY' | 'SECRETS_KEY'
  /** Path of its file, existing or not, unless a setting has the key. */
  path: string
  /** Whether the file is read: with PostgreSQL, SECRETS_KEY has to be set. */
  isFile: boolean
  /** Undefined if the key is neither set nor made. */
  find(): Keys | undefined
}

export type MachineKeys = ReturnType<typeof openMachineKeys>

export function openMachineKeys(config: {
  WEBHOOK_KEY: Keys | undefined
  SECRETS_KEY: Keys | undefined
  DATABASE_URL: string | undefined
  DATA_DIR: string
}) {
  const { WEBHOOK_KEY, SECRETS_KEY, DATABASE_URL, DATA_DIR } = config
  const keyIn = (setting: MachineKey['setting'], name: string, set: Keys | undefined, isRead = true) => {
    let keys = set
    const path = join(DATA_DIR, name)
    const isFile = set === undefined && isRead
    const find = () => {
      if (isFile) keys ??= readKeyFile(path)
      return keys
    }
    const make = () => {
      if (isFile) keys ??= readOrMakeKeyFile(path)
      return keys
    }
    return { setting, path, isFile, find, make }
  }
  const webhook = keyIn('WEBHOOK_KEY', 'webhook.key', WEBHOOK_KEY)
  return {
    /** Made with the first endpoint. */
    webhook: { ...webhook, make: webhook.make as () => Keys },
    /** On one machine a file, made when it is first needed; on several machines it must be set. */
    secrets: keyIn('SECRETS_KEY', 'secrets.key', SECRETS_KEY, DATABASE_URL === undefined),
  }
}
