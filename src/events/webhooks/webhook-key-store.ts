import { getMeta, putMetaIfAbsent, replaceMeta } from '../../platform/database/meta.ts'
import type { Database } from '../../platform/database/tables.ts'
import { keyFingerprint, type WebhookKeys } from './signing-rules.ts'

/** Key in `meta` for the fingerprint of the key with which endpoints are created. */
export const webhookKeyKey = 'webhook-key'

/**
 * Checks that all processes sign with the same key: its fingerprint is stored in the database with the first endpoint.
 * A process whose second key is the stored one stores its first.
 */
export function createKeyCheck({ writer, reader }: Database) {
  return {
    /** Returns false if the database records a key that this process does not have. */
    async isKnown(keys: () => WebhookKeys | undefined): Promise<boolean> {
      const found = await getMeta(reader, webhookKeyKey)
      if (found === undefined) return true
      const [first = '', ...former] = keys()?.map(keyFingerprint) ?? []
      if (found === first) return true
      if (!former.includes(found)) return false
      await replaceMeta(writer, webhookKeyKey, found, first)
      return true
    },

    async record(keys: WebhookKeys): Promise<void> {
      await putMetaIfAbsent(writer, webhookKeyKey, keyFingerprint(keys[0]))
    },
  }
}
