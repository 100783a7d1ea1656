import { DossierError } from './errors.ts'
import type { WebhookEvent } from './event-types.ts'

export interface Webhook {
  /** As received: a body that was parsed and written again has other bytes. */
  body: string | Uint8Array
  /** Those of the request, in any of the usual forms. */
  headers: Headers | Record<string, string | readonly string[] | undefined>
  /** `whsec_…` (v1) or `whpk_…` (v1a) of the endpoint; during a rotation the old one too. */
  secrets: readonly string[]
  /** How far the time of the request may be from now; 300 by default. */
  toleranceSeconds?: number
  /** In milliseconds; the clock's by default. */
  now?: number
}

/**
 * Returns the event of a webhook whose signature is right, and throws `webhook-rejected` otherwise (Standard Webhooks).
 * Deliveries repeat: store `id` in the transaction of the effect, and skip an event whose `id` is there already.
 */
export async function verifyWebhook(webhook: Webhook): Promise<WebhookEvent> {
  const { body, secrets, toleranceSeconds = 300, now = Date.now() } = webhook
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name =>
    headerIn(webhook.headers, name),
  )
  if (!id || !timestamp || !signatures) throw rejected('a webhook- header is missing')
  if (!/^\d{1,12}$/.test(timestamp)) throw rejected('webhook-timestamp is not a time')
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw rejected(`webhook-timestamp is more than ${toleranceSeconds} seconds from now`)
  if (secrets.length === 0) throw new DossierError('bad-settings', 'no secret is given')
  const bytes = typeof body === 'string' ? encoded(body) : body
  const signed = encoded(`${id}.${timestamp}.`)
  const message = new Uint8Array(signed.length + bytes.length)
  message.set(signed)
  message.set(bytes, signed.length)
  for (const secret of secrets) {
    const key = await keyOf(secret)
    for (const signature of signatures.split(' ')) {
      const [version, value = ''] = signature.split(',')
      if (version === key.version && (await key.verifies(value, message))) return eventIn(bytes)
    }
  }
  throw rejected('no signature matches')
}

type Bytes = Uint8Array<ArrayBuffer>

interface Key {
  version: string
  verifies(signature: string, message: Bytes): Promise<boolean>
}

/** WebCrypto compares in constant time. */
async function keyOf(secret: string): Promise<Key> {
  const isPublic = secret.startsWith('whpk_')
  const bytes = bytesIn(secret.replace(/^wh(sec|pk)_/, ''))
  if (secret.startsWith('whsk_') || bytes === undefined || bytes.length === 0)
    throw new DossierError('bad-settings', 'a secret is neither whsec_ nor whpk_ with Base64')
  const algorithm = isPublic ? { name: 'Ed25519' } : { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])
  return {
    version: isPublic ? 'v1a' : 'v1',
    async verifies(signature, message) {
      const given = bytesIn(signature)
      return given !== undefined && crypto.subtle.verify(algorithm.name, key, given, message)
    },
  }
}

function eventIn(body: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch (cause) {
    throw new DossierError('webhook-rejected', 'the body is not JSON', { cause })
  }
}

function headerIn(headers: Webhook['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'object' ? found[0] : found
}

const encoded = (text: string): Bytes => new TextEncoder().encode(text) as Bytes

function bytesIn(base64: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(base64), character => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const rejected = (message: string) => new DossierError('webhook-rejected', message)
