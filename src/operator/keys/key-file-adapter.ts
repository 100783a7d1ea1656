import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { readWebhookKeys, type WebhookKeys } from '../../events/webhooks/signing-rules.ts'
import { chownLikeParent } from '../../platform/core/files/chown-like-parent.ts'

/** A file that contains no key. The message names the file and says what to do. */
export class KeyFileFault extends Error {
  override readonly name = 'KeyFileFault'
}

/** A single machine's key, in base64, stored next to its database; undefined if there is no such file. */
export function readKeyFile(path: string): WebhookKeys | undefined {
  if (!existsSync(path)) return undefined
  try {
    return readWebhookKeys(readFileSync(path, 'utf8').trim())
  } catch (error) {
    throw new KeyFileFault(
      `${path} ${(error as Error).message}. Put back a copy of it; if there is none, move it out of the folder: what was made with its key needs new secrets then.`,
    )
  }
}

/** Created when it is first needed. */
export function readOrMakeKeyFile(path: string): WebhookKeys {
  if (!existsSync(path)) writeKeyFile(path, randomBytes(32).toString('base64'))
  return readKeyFile(path) as WebhookKeys
}

/** Keeps an existing file as it is. */
export function writeKeyFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.${process.pid}`
  try {
    writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true })
    chownLikeParent(draft)
    // Fails if another process was first, so no process ever reads half a key.
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
