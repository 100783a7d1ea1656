import type { Clock } from '../../platform/core/clock.ts'
import { parseNumericId } from '../../platform/core/ids.ts'
import { hashSecret, newSecret } from '../../platform/core/secrets.ts'
import type { Clients } from '../clients/service.ts'
import type { AuthorizationStore } from '../grants/authorization-store.ts'
import { ClientNotRecognised, OAuthError } from '../protocol/errors.ts'
import { Parameters } from '../protocol/parameters.ts'
import { challengeOf } from '../protocol/pkce.ts'
import type { Client, Code, CodeHolder, NewToken } from '../protocol/records.ts'
import { advertiserScopes, scopes, splitScope } from '../protocol/scopes.ts'
import { type Caller, createClientAuthentication } from './client-authentication-service.ts'

/** Limit: Failed attempts after which a code is revoked: the code's own client does not need to guess. */
const codeAttempts = 10

/** A raw call of the token or revocation endpoint. */
export interface ClientCall {
  authorization: string | undefined
  /** The query string without the question mark. */
  query: string
  /** The form, not parsed yet. */
  body: string
}

export interface TokenResponse {
  access_token: string
  token_type: 'bearer'
  expires_in: number
}

export type TokenEndpoint = ReturnType<typeof createTokenEndpoint>

/** The token and revocation endpoints without HTTP. They throw OAuthErrors. */
export function createTokenEndpoint(deps: {
  clients: Pick<Clients, 'find'>
  store: AuthorizationStore
  clock: Clock
  limits: { tokenSeconds: number }
}) {
  const { store, clock, limits } = deps
  const callers = createClientAuthentication(deps.clients)

  function holderOf({ client, secretHash }: Caller, parameters: Parameters): CodeHolder {
    return {
      clientId: client.id,
      secretHash,
      redirectUri: required(parameters, 'redirect_uri'),
      challenge: challengeOf(parameters.get('code_verifier')),
    }
  }

  async function redeemCode(caller: Caller, parameters: Parameters): Promise<TokenResponse | undefined> {
    const codeHash = hashSecret(required(parameters, 'code'))
    const holder = holderOf(caller, parameters)
    const { value, token } = newToken()
    return (await store.redeem(codeHash, holder, token, codeAttempts)) ? response(value) : undefined
  }

  /**
   * Reacts to a failed redemption and returns its cause. A caller who presents its own code redeemed it before, or
   * another caller is redeeming it now, so the tokens issued for the code may be stolen: revoke them. A caller who
   * presents a code of another client, or with the wrong redirect URI or verifier, is guessing: count the attempt.
   */
  async function handleFailedRedemption(caller: Caller, parameters: Parameters): Promise<string> {
    const codeHash = hashSecret(required(parameters, 'code'))
    const holder = holderOf(caller, parameters)
    const code = await store.findCode(codeHash)
    if (code === undefined) return 'the code is unknown, or expired and removed'
    const mismatch = mismatchOf(code, holder)
    if (mismatch === undefined) await store.revokeTokensOfCode(codeHash, clock())
    else await store.countFailedAttempt(codeHash)
    return mismatch ?? whyUnusable(code)
  }

  function whyUnusable({ redeemedAt, expiresAt, failedAttempts }: Code): string {
    if (redeemedAt !== null) return 'the code was already redeemed, so its tokens have been revoked'
    if (expiresAt <= clock()) return 'the code has expired'
    if (failedAttempts >= codeAttempts) return 'too many failed attempts to redeem the code'
    return 'the candidate has withdrawn the consent'
  }

  async function issueForClient(client: Client, parameters: Parameters): Promise<TokenResponse> {
    const wanted = splitScope(parameters.get('scope'))
    const { value, token } = newToken()
    assertMayAskFor(client, wanted)
    if (wanted.size === 0) refuseAdvertiserWithoutScope(parameters)
    const ofAdvertiser = advertiserScopes.filter(scope => wanted.has(scope))
    if (ofAdvertiser.length === 0) {
      const scope = ([scopes.intake, scopes.webhooks] as const).find(each => wanted.has(each))
      if (scope !== undefined) refuseAdvertiser(parameters, scope)
      const isIssued = await store.issueClientToken(client.id, token, scope ?? '')
      // The client has been disabled since it was authenticated.
      if (!isIssued) throw new ClientNotRecognised(client.id, { reason: 'the client is disabled' })
      return response(value)
    }
    const agentId = client.agentId as number
    // Treat a malformed ID like the ID of an advertiser that does not exist.
    const advertiserId = parseNumericId(required(parameters, 'advertiser_id')) ?? 0
    // One response for all causes: agent not authorised, advertiser unknown, advertiser on hold.
    if (!(await store.issueAgentToken(client.id, agentId, advertiserId, ofAdvertiser, token))) {
      throw new OAuthError('unauthorized_client', 'The advertiser does not authorise this agent.', {
        reason: `advertiser ${advertiserId} is unknown or on hold, or does not authorise agent ${agentId}`,
      })
    }
    return response(value)
  }

  function newToken(): { value: string; token: NewToken } {
    const value = newSecret('token')
    const issuedAt = clock()
    const expiresAt = issuedAt + limits.tokenSeconds * 1000
    return { value, token: { hash: hashSecret(value), issuedAt, expiresAt } }
  }

  const response = (value: string): TokenResponse => ({
    access_token: value,
    token_type: 'bearer',
    expires_in: limits.tokenSeconds,
  })

  return {
    /** Calls `onClient` with the authenticated client before anything is issued. */
    async issue(call: ClientCall, onClient: (client: Client) => Promise<void>): Promise<TokenResponse> {
      const parameters = readParameters(call)
      // The fast path skips the lookup of the client. The redemption itself checks, in one atomic step, that the client
      // is enabled and holds this secret, so a cached client can never redeem a code that the database would refuse.
      const recalled = isExchange(parameters) ? callers.recall(call.authorization, parameters) : undefined
      if (recalled !== undefined) {
        await onClient(recalled.client)
        const redeemed = await redeemCode(recalled, parameters)
        if (redeemed !== undefined) return redeemed
      }
      const caller = await callers.authenticate(call.authorization, parameters)
      if (recalled === undefined) await onClient(caller.client)
      switch (required(parameters, 'grant_type')) {
        case 'authorization_code': {
          // After a failed fast path, do not retry: the secret was valid when it was cached, it is valid now, and
          // neither secrets nor clients are ever reinstated. So it was valid when the redemption failed in between,
          // and the cause was the code.
          const redeemed = recalled === undefined ? await redeemCode(caller, parameters) : undefined
          if (redeemed !== undefined) return redeemed
          throw invalidGrant(await handleFailedRedemption(caller, parameters))
        }
        case 'client_credentials':
          return issueForClient(caller.client, parameters)
        default:
          throw new OAuthError(
            'unsupported_grant_type',
            'grant_type must be authorization_code or client_credentials.',
          )
      }
    },

    /** RFC 7009: for unknown tokens and tokens of other clients this does nothing, and the response is the same. */
    async revoke(call: ClientCall, onClient: (client: Client) => Promise<void>): Promise<void> {
      const parameters = readParameters(call)
      const { client } = await callers.authenticate(call.authorization, parameters)
      await onClient(client)
      await store.revokeToken(client.id, hashSecret(required(parameters, 'token')), clock())
    },
  }
}

/** Parses the parameters and rejects malformed calls before the client is authenticated. */
function readParameters({ body, query }: ClientCall): Parameters {
  const parameters = new Parameters(body)
  refuseRepeatedParameters(parameters)
  refuseUnwritableText(body, parameters)
  refuseCredentialsInUrl(query)
  return parameters
}

function refuseRepeatedParameters(parameters: Parameters): void {
  if (parameters.repeated() !== undefined) {
    const name = readFields.find(field => parameters.isRepeated(field)) ?? 'an unknown parameter'
    const reason = `${name} was sent more than once`
    throw new OAuthError('invalid_request', 'A parameter was sent more than once.', { reason })
  }
}

const readFields = [
  'grant_type',
  'code',
  'redirect_uri',
  'client_id',
  'client_secret',
  'code_verifier',
  'scope',
  'advertiser_id',
  'token',
]

/** Rejects NUL and the replacement character of invalid UTF-8: no client means them, and no database stores NUL. */
function refuseUnwritableText(body: string, parameters: Parameters): void {
  const unwritable = readFields.find(name => {
    const value = parameters.get(name)
    return value !== undefined && (value.includes('\0') || value.includes('\uFFFD'))
  })
  if (unwritable !== undefined || body.includes('\0')) {
    const reason = `${unwritable ?? 'the body'} contains NUL or invalid UTF-8`
    throw new OAuthError('invalid_request', 'A parameter contains invalid characters.', { reason })
  }
}

/** Rejects credentials in the URL, because URLs end up in logs (RFC 6749, section 2.3.1). */
function refuseCredentialsInUrl(query: string): void {
  if (query === '') return
  const inUrl = new Parameters(query)
  const found = ['client_id', 'client_secret', 'code', 'token'].find(name => inUrl.get(name) !== undefined)
  if (found !== undefined) {
    const reason = `${found} is in the URL`
    throw new OAuthError('invalid_request', 'Send parameters in the body, not in the URL.', { reason })
  }
}

/** A complete code exchange. Missing parameters are reported only to an authenticated client. */
function isExchange(parameters: Parameters): boolean {
  return (
    parameters.get('grant_type') === 'authorization_code' &&
    parameters.get('code') !== undefined &&
    parameters.get('redirect_uri') !== undefined
  )
}

function required(parameters: Parameters, name: string): string {
  const value = parameters.get(name)
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing.`)
  return value
}

/** How the caller differs from the client, redirect URI and challenge for which the code was issued. */
function mismatchOf(code: Code, { clientId, redirectUri, challenge }: CodeHolder): string | undefined {
  if (code.clientId !== clientId) return `the code was issued for client ${code.clientId}`
  if (code.redirectUri !== redirectUri) return 'redirect_uri differs from that of the authorization request'
  if ((code.challenge ?? '') === challenge) return undefined
  if (code.challenge === null) return 'code_verifier was sent, but code_challenge was not'
  return challenge === '' ? 'code_verifier is missing' : 'code_verifier does not match code_challenge'
}

/** One text for all causes: the exact cause would only help a thief. */
function invalidGrant(reason: string): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The code is unknown, expired or used, or was issued for another client, redirect_uri or code_verifier.',
    { reason },
  )
}

/**
 * Allows one scope at a time, or none, because each scope is for a different API; the scopes for version 1 may be in
 * one token.
 */
function assertMayAskFor(client: Client, wanted: ReadonlySet<string>): void {
  const allowed = [...advertiserScopes, scopes.intake, scopes.webhooks].filter(
    scope => client.scopes.includes(scope) && (scope === scopes.intake || client.agentId !== null),
  )
  const isAllowed = [...wanted].every(scope => allowed.some(name => name === scope))
  const isOfAdvertiser = [...wanted].every(scope => advertiserScopes.some(name => name === scope))
  if (isAllowed && (wanted.size <= 1 || isOfAdvertiser)) return
  throw new OAuthError('invalid_scope', `This client may request ${['no scope', ...allowed].join(' or ')}.`)
}

/** A token without scope is not bound to an advertiser, so a caller who names an advertiser wants the other kind. */
function refuseAdvertiserWithoutScope(parameters: Parameters): void {
  if (parameters.get('advertiser_id') !== undefined) {
    throw new OAuthError(
      'invalid_scope',
      `A token for an advertiser needs scope=${scopes.applications}, ${scopes.progress} or both. Add the scope, or omit advertiser_id.`,
    )
  }
}

/**
 * Rejected because the caller would think that the token is limited to one advertiser, while it covers all of the
 * client's.
 */
function refuseAdvertiser(parameters: Parameters, scope: string): void {
  if (parameters.get('advertiser_id') !== undefined) {
    const all = scope === scopes.intake ? 'listed on the client' : 'that authorises the agent'
    throw new OAuthError(
      'invalid_request',
      `Omit advertiser_id with ${scope}: the token covers every advertiser ${all}.`,
    )
  }
}
