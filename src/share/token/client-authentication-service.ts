import { hashSecret, isSameHash } from '../../platform/core/secrets.ts'
import type { Clients } from '../clients/service.ts'
import { ClientNotRecognised, OAuthError, type PrivateDetail } from '../protocol/errors.ts'
import type { Parameters } from '../protocol/parameters.ts'
import type { Client } from '../protocol/records.ts'

interface Credentials {
  id: string
  secret: string
}

/** Matches no secret; comparing with it makes an unknown client take as long as a known client. */
const noHash = '0'.repeat(64)

/** An authenticated client, and the hash of the secret it presented. */
export interface Caller {
  client: Client
  secretHash: string
}

/**
 * Authenticates callers of the token and revocation endpoints. The contract prescribes HTTP Basic; credentials in the
 * body are also accepted, because common client libraries send them there. PKCE never replaces the secret.
 */
export function createClientAuthentication(clients: Pick<Clients, 'find'>) {
  /** Clients as of their last call. Bounded by the number of registered clients; holds hashes, not secrets. */
  const remembered = new Map<string, Client>()

  return {
    /**
     * Authenticates from memory, without a database lookup. Every step based on the result must check client and secret
     * in the database itself. Undefined means only that the memory has no answer.
     */
    recall(authorization: string | undefined, body: Parameters): Caller | undefined {
      const readings = readCredentials(authorization, body)
      if (isContradicted(readings, body)) return undefined
      for (const { id, secret } of readings) {
        const caller = callerOf(remembered.get(id), secret)
        if (caller !== undefined) return caller
      }
      return undefined
    },

    async authenticate(authorization: string | undefined, body: Parameters): Promise<Caller> {
      const readings = readCredentials(authorization, body)
      let detail: PrivateDetail = { reason: 'client_id is not registered' }
      for (const { id, secret } of readings) {
        const client = await clients.find(id)
        // Refreshed even if the secret is wrong, so that a retired secret is not recalled again.
        if (client?.disabledAt === null) remembered.set(id, client)
        else remembered.delete(id)
        const caller = callerOf(client, secret)
        if (caller === undefined) {
          if (client !== undefined) detail = failureOf(client)
          continue
        }
        if (isContradicted(readings, body)) throw contradiction(client?.id)
        return caller
      }
      throw new ClientNotRecognised(readings[0]?.id, detail)
    },
  }
}

function callerOf(client: Client | undefined, secret: string): Caller | undefined {
  const secretHash = hashSecret(secret)
  let isFound = false
  // Compares with every secret, so that the time does not depend on which one matches.
  for (const known of client?.secretHashes ?? [noHash]) isFound = isSameHash(known, secretHash) || isFound
  return isFound && client?.disabledAt === null ? { client, secretHash } : undefined
}

function failureOf({ id, disabledAt }: Client): PrivateDetail {
  return { reason: disabledAt === null ? 'the secret is wrong' : 'the client is disabled', clientId: id }
}

function readCredentials(authorization: string | undefined, body: Parameters): Credentials[] {
  return authorization === undefined ? readBody(body) : readBasic(authorization, body.get('client_id'))
}

/**
 * Returns the possible readings of `id:secret`. RFC 6749 requires both to be form-encoded before they are joined, but
 * most clients send them unencoded, and some encode every character.
 */
function readBasic(authorization: string, bodyId: string | undefined): Credentials[] {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1]
  const decoded = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon === -1) throw new ClientNotRecognised(bodyId, { reason: 'Authorization is not HTTP Basic' })
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
    // The value was not encoded.
    return undefined
  }
}

function readBody(body: Parameters): Credentials[] {
  const id = body.get('client_id')
  const secret = body.get('client_secret')
  if (id === undefined || secret === undefined) {
    const missing = id === undefined ? 'client_id' : 'client_secret'
    throw new ClientNotRecognised(id, { reason: `${missing} is missing` })
  }
  return [{ id, secret }]
}

/** Whether header and body name different clients or secrets (RFC 6749, section 2.3). */
function isContradicted(readings: readonly Credentials[], body: Parameters): boolean {
  const id = body.get('client_id')
  const secret = body.get('client_secret')
  return !(
    (id === undefined || readings.some(reading => reading.id === id)) &&
    (secret === undefined || readings.some(reading => reading.secret === secret))
  )
}

function contradiction(clientId: string | undefined): OAuthError {
  const description = 'The body names a different client from the Authorization header.'
  return new OAuthError('invalid_request', description, {
    reason: 'client_id or client_secret in the body differs from the Authorization header',
    clientId,
  })
}
