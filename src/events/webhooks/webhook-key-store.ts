import { getMeta, putMetaIfAbsent, replaceMeta } from '../../platform/database/meta.ts'
import type { Database } from '../../platform/database/tables.ts'
import { keyFingerprint, type WebhookKeys } from './signing-rules.ts'

/** In `meta`: the fingerprint of the key that endpoints are made with. */
export const webhookKeyKey = 'webhook-key'

/**
 * Checks that every process signs with the same key: its fingerprint is in the database from the first endpoint on. A
 * process that has the recorded key as its second one records its first.
 */
export function createKeyCheck({ writer, reader }: Database) {
  return {
    /** False if the database records a key that this process does not have. */
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
