import { hashSecret, isSameHash } from '../../core/secrets.ts'
import { ClientNotRecognised, OAuthError } from '../protocol/errors.ts'
import type { Parameters } from '../protocol/parameters.ts'
import type { Client, ClientDirectory } from '../protocol/ports.ts'

interface Credentials {
  id: string
  secret: string
}

/** What no secret hashes to: an unknown client costs the same comparison as a known one. */
const noHash = '0'.repeat(64)

/** A client that has said who it is, and the secret that it has shown. */
export interface Caller {
  client: Client
  secretHash: string
}

/**
 * Who calls the token or the revocation endpoint. Basic is the contract's way; the body is taken too, because
 * common client libraries send it there. PKCE never takes the place of the secret.
 */
export function createClientAuthentication(clients: ClientDirectory) {
  /** As they were when they last called: as many as the operator has registered, and no secrets, only hashes. */
  const remembered = new Map<string, Client>()

  return {
    /**
     * Whoever this is by what is remembered, without a look at the database. What is done for them must not be done
     * unless the database says the same in that very step; undefined says nothing.
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
      for (const { id, secret } of readings) {
        const client = await clients.find(id)
        // Whatever was shown: who comes with a former secret is not to be recalled by it again.
        if (client?.disabledAt === null) remembered.set(id, client)
        else remembered.delete(id)
        const caller = callerOf(client, secret)
        if (caller === undefined) continue
        if (isContradicted(readings, body)) throw contradiction()
        return caller
      }
      throw new ClientNotRecognised(readings[0]?.id)
    },
  }
}

function callerOf(client: Client | undefined, secret: string): Caller | undefined {
  const secretHash = hashSecret(secret)
  let isFound = false
  // Every one is looked at, whatever the one before said.
  for (const known of client?.secretHashes ?? [noHash]) isFound = isSameHash(known, secretHash) || isFound
  return isFound && client?.disabledAt === null ? { client, secretHash } : undefined
}

function readCredentials(authorization: string | undefined, body: Parameters): Credentials[] {
  return authorization === undefined ? readBody(body) : readBasic(authorization, body.get('client_id'))
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
function isContradicted(readings: readonly Credentials[], body: Parameters): boolean {
  const id = body.get('client_id')
  const secret = body.get('client_secret')
  return !(
    (id === undefined || readings.some(reading => reading.id === id)) &&
    (secret === undefined || readings.some(reading => reading.secret === secret))
  )
}

function contradiction(): OAuthError {
  return new OAuthError('invalid_request', 'The body names another client than the Authorization header.')
}
