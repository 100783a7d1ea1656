import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** SECRETS_KEY: the key that new secrets are encrypted with, then those it replaces. */
export type SecretKeys = readonly [Buffer, ...Buffer[]]

/** Identifies a key without revealing it. */
export const keyIdOf = (key: Buffer) =>
  createHash('sha256').update('dossier secrets key\n').update(key).digest('base64url').slice(0, 11)

/**
 * Encrypts a text with AES-256-GCM: the key's ID, a random nonce, the tag and the ciphertext, separated by dots.
 * `owner` is authenticated with it, so that a row copied to another account cannot be decrypted there.
 */
export function sealSecret([key]: SecretKeys, text: string, owner: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return [keyIdOf(key), ...[nonce, cipher.getAuthTag(), sealed].map(part => part.toString('base64url'))].join(
    '.',
  )
}

/** ID of the key that sealed the secret. */
export const sealedWith = (sealed: string): string => sealed.split('.')[0] ?? ''

/** Undefined if it was sealed with another key or for another owner, or was changed. */
export function openSecret(keys: SecretKeys, sealed: string, owner: string): string | undefined {
  const [keyId, ...parts] = sealed.split('.')
  const key = keys.find(each => keyIdOf(each) === keyId)
  const [nonce, tag, content] = parts.map(part => Buffer.from(part, 'base64url'))
  if (key === undefined || nonce?.length !== 12 || tag?.length !== 16 || content === undefined)
    return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner)).setAuthTag(tag)
    return Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8')
  } catch {
    // The authentication tag does not match.
    return undefined
  }
}
