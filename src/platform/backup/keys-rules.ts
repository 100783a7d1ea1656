import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { BackupRefused } from './faults.ts'
import type { SetKeys } from './ports.ts'

/** 64 MiB per guess. */
const cost = { N: 2 ** 16, r: 8, p: 2, maxmem: 128 * 2 ** 20 }

/** Authenticated with the keys, so that another set's keys are not accepted. */
type About = { databaseId: string; set: string }
const aadOf = ({ databaseId, set }: About) => Buffer.from(`dossier backup keys\n${databaseId}\n${set}`)

const keyOf = (passphrase: string, salt: Buffer) =>
  new Promise<Buffer>((resolve, reject) =>
    scrypt(passphrase.normalize('NFC'), salt, 32, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  )

/** Encrypts keys with a passphrase: scrypt, then AES-256-GCM. */
export async function sealSetKeys(passphrase: string, keys: SetKeys, about: About): Promise<string> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', await keyOf(passphrase, salt), nonce).setAAD(aadOf(about))
  const sealed = Buffer.concat([cipher.update(JSON.stringify(keys), 'utf8'), cipher.final()])
  const parts = { salt, nonce, tag: cipher.getAuthTag(), sealed }
  const texts = Object.entries(parts).map(([name, part]) => [name, part.toString('base64')])
  return `${JSON.stringify({ format: 1, ...Object.fromEntries(texts) })}\n`
}

export async function openSetKeys(passphrase: string, text: string, about: About): Promise<SetKeys> {
  try {
    const { salt, nonce, tag, sealed } = JSON.parse(text) as Record<string, string>
    const [saltBytes, nonceBytes, tagBytes, content] = [salt, nonce, tag, sealed].map(part =>
      Buffer.from(part ?? '', 'base64'),
    ) as [Buffer, Buffer, Buffer, Buffer]
    const decipher = createDecipheriv('aes-256-gcm', await keyOf(passphrase, saltBytes), nonceBytes, {
      authTagLength: 16,
    })
    decipher.setAAD(aadOf(about)).setAuthTag(tagBytes)
    return JSON.parse(Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8'))
  } catch {
    throw new BackupRefused(
      `BACKUP_PASSPHRASE does not open the keys of the set ${about.set}: it is not the passphrase that they were encrypted with, or they are damaged. Set the right one, or unset it to restore without the keys.`,
    )
  }
}
