import type { Clock } from '../../core/clock.ts'
import { parseNumericId } from '../../core/ids.ts'
import { hashSecret, newSecret } from '../../core/secrets.ts'
import { ClientNotRecognised, OAuthError } from '../protocol/errors.ts'
import { Parameters } from '../protocol/parameters.ts'
import { challengeOf } from '../protocol/pkce.ts'
import type {
  AuthorizationStore,
  Client,
  ClientDirectory,
  Code,
  CodeHolder,
  NewToken,
} from '../protocol/ports.ts'
import { scopes, splitScope } from '../protocol/scopes.ts'
import { type Caller, createClientAuthentication } from './client-authentication-service.ts'

export interface TokenLimits {
  tokenSeconds: number
  codeAttempts: number
}

/** A call of the token or the revocation endpoint, as it came in. */
export interface ClientCall {
  authorization: string | undefined
  /** What follows the question mark. */
  query: string
  /** The form, not yet taken apart. */
  body: string
}

export interface TokenResponse {
  access_token: string
  token_type: 'bearer'
  expires_in: number
}

export type TokenEndpoint = ReturnType<typeof createTokenEndpoint>

/** The token and revocation endpoints without HTTP. Refusals are OAuthErrors. */
export function createTokenEndpoint(deps: {
  clients: ClientDirectory
  store: AuthorizationStore
  clock: Clock
  limits: TokenLimits
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
    return (await store.redeem(codeHash, holder, token, limits.codeAttempts)) ? response(value) : undefined
  }

  /**
   * Whoever holds a code that is theirs and cannot be redeemed has redeemed it before, or somebody else has at
   * this very moment: what it has bought is no longer safe. Whoever holds a code that is not theirs is guessing.
   */
  async function punish(caller: Caller, parameters: Parameters): Promise<void> {
    const codeHash = hashSecret(required(parameters, 'code'))
    const holder = holderOf(caller, parameters)
    const code = await store.findCode(codeHash)
    if (code === undefined) return
    if (isHeldBy(code, holder)) await store.revokeTokensOfCode(codeHash, clock())
    else await store.countFailedAttempt(codeHash)
  }

  async function issueForClient(client: Client, parameters: Parameters): Promise<TokenResponse> {
    const wanted = splitScope(parameters.get('scope'))
    const { value, token } = newToken()
    assertMayAskFor(client, wanted)
    if (wanted.size === 0) refuseAdvertiserWithoutScope(parameters)
    if (!wanted.has(scopes.applications)) {
      const isIntake = wanted.has(scopes.intake)
      if (isIntake) refuseAdvertiser(parameters)
      const isIssued = await store.issueClientToken(client.id, token, isIntake ? scopes.intake : '')
      // Disabled since it was recognised a moment ago.
      if (!isIssued) throw new ClientNotRecognised(client.id)
      return response(value)
    }
    const agentId = client.agentId as number
    // What is no ID is no advertiser either: told like one that does not exist.
    const advertiserId = parseNumericId(required(parameters, 'advertiser_id')) ?? 0
    // One body for all: not authorised, unknown advertiser, advertiser on hold.
    if (!(await store.issueAgentToken(client.id, agentId, advertiserId, token))) {
      throw new OAuthError('unauthorized_client', 'The advertiser does not authorise this agent.')
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
    /** Tells `onClient` who calls, once that is known and before anything is issued. */
    async issue(call: ClientCall, onClient: (client: Client) => Promise<void>): Promise<TokenResponse> {
      const parameters = readParameters(call)
      // A code is redeemed only while its client has this secret, so nobody needs to be asked about that before.
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
          // No secret comes back, nor does a client: who has it now had it when the code was not redeemed.
          const redeemed = recalled === undefined ? await redeemCode(caller, parameters) : undefined
          if (redeemed !== undefined) return redeemed
          await punish(caller, parameters)
          throw invalidGrant()
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

    /** RFC 7009: unknown tokens, and those of others, are none of this client's: nothing happens, and nothing is told. */
    async revoke(call: ClientCall, onClient: (client: Client) => Promise<void>): Promise<void> {
      const parameters = readParameters(call)
      const { client } = await callers.authenticate(call.authorization, parameters)
      await onClient(client)
      await store.revokeToken(client.id, hashSecret(required(parameters, 'token')), clock())
    },
  }
}

/** What every call is looked at for before anybody asks who it is. */
function readParameters({ body, query }: ClientCall): Parameters {
  const parameters = new Parameters(body)
  refuseRepeatedParameters(parameters)
  refuseUnwritableText(body, parameters)
  refuseCredentialsInUrl(query)
  return parameters
}

function refuseRepeatedParameters(parameters: Parameters): void {
  if (parameters.firstRepeated !== undefined) {
    throw new OAuthError('invalid_request', 'A parameter was sent more than once.')
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

/** NUL, and what is left of bytes that were no UTF-8: no client means them, and no database takes them. */
function refuseUnwritableText(body: string, parameters: Parameters): void {
  const isUnwritable = readFields.some(name => {
    const value = parameters.get(name)
    return value !== undefined && (value.includes('\0') || value.includes('\uFFFD'))
  })
  if (isUnwritable || body.includes('\0')) {
    throw new OAuthError('invalid_request', 'A parameter holds characters that cannot be read.')
  }
}

/** URLs end up in logs (RFC 6749, section 2.3.1). */
function refuseCredentialsInUrl(query: string): void {
  if (query === '') return
  const inUrl = new Parameters(query)
  if (['client_id', 'client_secret', 'code', 'token'].some(name => inUrl.get(name) !== undefined)) {
    throw new OAuthError('invalid_request', 'Parameters belong into the body, not into the URL.')
  }
}

/** With all that it takes: what is missing is told to none but the client itself. */
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

/** Whoever gets one of these wrong is not the one that the code was made for. */
function isHeldBy(code: Code, { clientId, redirectUri, challenge }: CodeHolder): boolean {
  return (
    code.clientId === clientId && code.redirectUri === redirectUri && (code.challenge ?? '') === challenge
  )
}

/** One text for all: what exactly was wrong with a code helps nobody but a thief. */
function invalidGrant(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The code is unknown, expired or used, or was made for another client, redirect_uri or code_verifier.',
  )
}

/** One scope at a time, or none: each is for another door. */
function assertMayAskFor(client: Client, wanted: ReadonlySet<string>): void {
  const allowed = [scopes.applications, scopes.intake].filter(
    scope => client.scopes.includes(scope) && (scope !== scopes.applications || client.agentId !== null),
  )
  const [scope, ...more] = wanted
  if (scope === undefined || (more.length === 0 && allowed.some(name => name === scope))) return
  throw new OAuthError('invalid_scope', `The client may ask for ${['no scope', ...allowed].join(' or ')}.`)
}

/** A token without scope is for no advertiser: whoever names one wants the other kind. */
function refuseAdvertiserWithoutScope(parameters: Parameters): void {
  if (parameters.get('advertiser_id') !== undefined) {
    throw new OAuthError(
      'invalid_scope',
      `A token for an advertiser needs scope=${scopes.applications}. Send it along, or leave advertiser_id out.`,
    )
  }
}

/** Whoever sends one believes that the token is for that advertiser alone; it is for all that the client has. */
function refuseAdvertiser(parameters: Parameters): void {
  if (parameters.get('advertiser_id') !== undefined) {
    throw new OAuthError(
      'invalid_request',
      `advertiser_id is not for ${scopes.intake}: the token is for every advertiser that is listed on the client.`,
    )
  }
}
