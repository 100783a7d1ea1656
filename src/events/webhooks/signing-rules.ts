import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'

/**
 * Signatures defined by the Standard Webhooks specification 1.0.0. No secret of an endpoint is stored: each is derived
 * from WEBHOOK_KEY, the endpoint's ID and its generation, so a stolen database cannot forge a signature.
 */
export const signatureSchemes = ['v1', 'v1a'] as const
/** `v1`: HMAC-SHA256. `v1a`: Ed25519, for receivers that must not be able to sign. */
export type SignatureScheme = (typeof signatureSchemes)[number]

/** WEBHOOK_KEY: the key from which new secrets are derived, then the keys it replaces. */
export type WebhookKeys = readonly [Buffer, ...Buffer[]]

export interface SigningEndpoint {
  id: string
  scheme: SignatureScheme
  generation: number
  /** The previous key also signs until this time. */
  overlapUntil: number | null
}

const keyBytes = 32

/**
 * Parses one or two keys of 32 bytes in base64, separated by a comma; throws an Error that states the expected form.
 */
export function readWebhookKeys(text: string): WebhookKeys {
  const [first, ...more] = text.split(',').map(part => {
    const key = Buffer.from(part.trim(), 'base64')
    if (key.length !== keyBytes || key.toString('base64') !== part.trim())
      throw new Error(
        'must be 32 bytes in base64, such as "openssl rand -base64 32" prints, or two of them: new, old',
      )
    return key
  })
  if (first === undefined || more.length > 1) throw new Error('must be one key, or two: new, old')
  return [first, ...more]
}

/** Identifies a key without revealing it. */
export const keyFingerprint = (key: Buffer) =>
  createHash('sha256').update('dossier webhook key\n').update(key).digest('base64url').slice(0, 16)

const derive = (key: Buffer, { id, scheme }: SigningEndpoint, generation: number) =>
  createHmac('sha256', key).update(`${scheme}\n${id}\n${generation}`).digest()

/** Header of an Ed25519 key in PKCS #8, before its 32 bytes. */
const privateKeyPrefix = Buffer.from('302e020100300506032b657004220420', 'hex')

const ed25519Of = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([privateKeyPrefix, seed]), format: 'der', type: 'pkcs8' })

/** The receiver's verification key: shown once with v1, where it could sign; public with v1a. */
export function receiverKey(keys: WebhookKeys, endpoint: SigningEndpoint): string {
  const derived = derive(keys[0], endpoint, endpoint.generation)
  if (endpoint.scheme === 'v1') return `whsec_${derived.toString('base64')}`
  const { x } = createPublicKey(ed25519Of(derived)).export({ format: 'jwk' })
  return `whpk_${Buffer.from(x ?? '', 'base64url').toString('base64')}`
}

export type Signer = (content: string) => string

/**
 * Signs with every key that a receiver may hold: this generation and, during an overlap, the previous one, each under
 * every key of the operator. The newest comes first.
 */
export function createSigner(keys: WebhookKeys, endpoint: SigningEndpoint, now: number): Signer {
  const { scheme, generation, overlapUntil } = endpoint
  const generations =
    overlapUntil !== null && now < overlapUntil ? [generation, generation - 1] : [generation]
  const signers = generations.flatMap(each =>
    keys.map((key): Signer => {
      const derived = derive(key, endpoint, each)
      if (scheme === 'v1') return content => createHmac('sha256', derived).update(content).digest('base64')
      const privateKey = ed25519Of(derived)
      return content => sign(null, Buffer.from(content), privateKey).toString('base64')
    }),
  )
  return content => signers.map(signer => `${scheme},${signer(content)}`).join(' ')
}

/** The headers of one attempt, with the time of the attempt, so that receivers can reject old copies. */
export function signedHeaders(signer: Signer, id: string, body: string, now: number): Record<string, string> {
  const seconds = Math.floor(now / 1000)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signer(`${id}.${seconds}.${body}`),
  }
}
