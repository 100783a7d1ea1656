import { hashSecret, isSameHash } from '../core/secrets.ts'
import { ClientNotRecognised, OAuthError } from './errors.ts'
import type { Parameters } from './parameters.ts'
import type { Client, ClientDirectory } from './ports.ts'

interface Credentials {
  id: string
  secret: string
}

/** What no secret hashes to: an unknown client costs the same comparison as a known one. */
const noHash = '0'.repeat(64)

/**
 * Who calls the token or the revocation endpoint. Basic is the contract's way; the body is taken too, because
 * common client libraries send it there. PKCE never takes the place of the secret.
 */
export function createClientAuthentication(clients: ClientDirectory) {
  return async (authorization: string | undefined, body: Parameters): Promise<Client> => {
    const readings =
      authorization === undefined ? readBody(body) : readBasic(authorization, body.get('client_id'))
    for (const { id, secret } of readings) {
      const client = await clients.find(id)
      if (isSecretOf(client, secret) && client?.disabledAt === null) {
        refuseContradictions(readings, body)
        return client
      }
    }
    throw new ClientNotRecognised(readings[0]?.id)
  }
}

function isSecretOf(client: Client | undefined, secret: string): boolean {
  const hash = hashSecret(secret)
  let isFound = false
  // Every one is looked at, whatever the one before said.
  for (const known of client?.secretHashes ?? [noHash]) isFound = isSameHash(known, hash) || isFound
  return isFound
}

/**
 * The ways in which `id:secret` may be meant. RFC 6749 wants both form-encoded before they are joined, most
 * clients send them as they are, and some encode every character.
 */
function readBasic(authorization: string, bodyId: string | undefined): Credentials[] {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1]
  const decoded = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon === -1) throw new ClientNotRecognised(bodyId)
  const raw = { id: decoded.slice(0, colon), secret: decoded.slice(colon + 1) }
  const meant = { id: formDecoded(raw.id), secret: formDecoded(raw.secret) }
  if (meant.id === undefined || meant.secret === undefined) return [raw]
  const isSame = meant.id === raw.id && meant.secret === raw.secret
  return isSame ? [raw] : [raw, { id: meant.id, secret: meant.secret }]
}

function formDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    // It was not encoded, then.
    return undefined
  }
}

function readBody(body: Parameters): Credentials[] {
  const id = body.get('client_id')
  const secret = body.get('client_secret')
  if (id === undefined || secret === undefined) throw new ClientNotRecognised(id)
  return [{ id, secret }]
}

/** A client may say who it is twice, but not two things (RFC 6749, section 2.3). */
function refuseContradictions(readings: readonly Credentials[], body: Parameters): void {
  const id = body.get('client_id')
  const secret = body.get('client_secret')
  const isSame =
    (id === undefined || readings.some(reading => reading.id === id)) &&
    (secret === undefined || readings.some(reading => reading.secret === secret))
  if (!isSame) {
    throw new OAuthError('invalid_request', 'The body names another client than the Authorization header.')
  }
}
