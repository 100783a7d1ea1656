import { keyFingerprint, readWebhookKeys, type WebhookKeys } from '../../events/webhooks/signing-rules.ts'
import type { Database } from '../database/tables.ts'
import { readOrMakeKeyFile } from '../key-file.ts'

const metaKey = 'webhook-key'

/** The key of a single machine: created with the first endpoint, and kept next to its database. */
export const readOrMakeKey = (path: string): WebhookKeys => readWebhookKeys(readOrMakeKeyFile(path))

/**
 * Checks that every process signs with the same key: its fingerprint is in the database from the first endpoint on. A
 * process that has the recorded key as its second one records its first.
 */
export function createKeyCheck({ writer, reader }: Database) {
  const recorded = async () =>
    (await reader.selectFrom('meta').select('value').where('key', '=', metaKey).executeTakeFirst())?.value

  return {
    /** False if the database records a key that this process does not have. */
    async isKnown(keys: () => WebhookKeys): Promise<boolean> {
      const found = await recorded()
      if (found === undefined) return true
      const [first = '', ...former] = keys().map(keyFingerprint)
      if (found === first) return true
      if (!former.includes(found)) return false
      await writer
        .updateTable('meta')
        .set({ value: first })
        .where('key', '=', metaKey)
        .where('value', '=', found)
        .execute()
      return true
    },

    async record(keys: WebhookKeys): Promise<void> {
      await writer
        .insertInto('meta')
        .values({ key: metaKey, value: keyFingerprint(keys[0]) })
        .onConflict(conflict => conflict.column('key').doNothing())
        .execute()
    },
  }
}
