import { parseNumericId } from '../../platform/core/ids.ts'
import { isClientId } from '../clients/rules.ts'
import type { AuthorizationStore } from '../grants/authorization-store.ts'
import { AuthorizationRefusal, type RedirectTarget } from '../protocol/errors.ts'
import { encodedState, Parameters } from '../protocol/parameters.ts'
import { isChallenge } from '../protocol/pkce.ts'
import type { AuthorizationContext, NamedAdvertiser } from '../protocol/records.ts'
import { scopes, splitScope } from '../protocol/scopes.ts'

/** An authorization request that has passed every check. */
export interface AuthorizationRequest {
  /** The query as sent. When a candidate returns to it, all checks are repeated. */
  query: string
  client: Pick<Client, 'id' | 'name' | 'logoHash' | 'privacyUrl'>
  target: RedirectTarget
  scope: string
  challenge: string | null
  advertiser: NamedAdvertiser | null
  /** `none`: show no page; `login`: always ask to sign in again; `consent`: always ask for consent. */
  prompts: ReadonlySet<string>
  /** The oldest sign-in that the client accepts. */
  maxAgeSeconds: number | undefined
  /** Prefills the sign-in form. */
  loginHint: string | undefined
}

/** The checks of the authorization endpoint, in order. Until the redirect URI is verified, errors are shown on a page. */
export function createRequestCheck(deps: { store: Pick<AuthorizationStore, 'findContext'> }) {
  /** Rejects a malformed ID without a database lookup, because a URL may contain anything. */
  async function readContext(
    parameters: Parameters,
    sessionHash: string | null,
  ): Promise<AuthorizationContext> {
    const clientId = readClientId(parameters)
    if (!isClientId(clientId)) throw unknownClient('client_id is malformed')
    const advertiserId = parseNumericId(parameters.get('advertiser_id') ?? '') ?? null
    return deps.store.findContext(sessionHash, clientId, advertiserId)
  }

  return async (
    query: string,
    sessionHash: string | null,
  ): Promise<{ request: AuthorizationRequest; visitor: AuthorizationContext['visitor'] }> => {
    const parameters = new Parameters(query)
    const context = await readContext(parameters, sessionHash)
    const client = enabledClient(context)
    const redirectUri = checkRedirectUri(parameters, client)
    const target = {
      clientId: client.id,
      redirectUri,
      state: parameters.isRepeated('state') ? undefined : encodedState(query),
    }

    refuseRepeatedParameters(parameters, target)
    refuseRequestObjects(parameters, target)
    checkResponseType(parameters, target)
    checkResponseMode(parameters, target)
    const scope = checkScope(parameters, client, target)
    const challenge = checkChallenge(parameters, client, target)
    const advertiser = checkAdvertiser(parameters, context, target)
    const request = {
      query,
      client,
      target,
      scope,
      challenge,
      advertiser,
      prompts: checkPrompts(parameters, target),
      maxAgeSeconds: checkMaxAge(parameters, target),
      loginHint: parameters.get('login_hint'),
    }
    return { request, visitor: context.visitor }
  }
}

type Client = NonNullable<AuthorizationContext['client']>

function readClientId(parameters: Parameters): string {
  const id = parameters.get('client_id')
  if (id === undefined || parameters.isRepeated('client_id')) {
    throw new AuthorizationRefusal('invalid_request', 'Send the parameter client_id exactly once.')
  }
  return id
}

function enabledClient({ client }: AuthorizationContext): Client {
  if (client === undefined) throw unknownClient('client_id is not registered')
  if (client.disabledAt !== null) throw unknownClient('the client is disabled', client.id)
  return client
}

function unknownClient(reason: string, clientId?: string): AuthorizationRefusal {
  const description = 'No application is registered under this client_id.'
  return new AuthorizationRefusal('invalid_client', description, undefined, { reason, clientId })
}

/** Compares exact strings, because looser comparisons have led to open redirects elsewhere. */
function checkRedirectUri(parameters: Parameters, client: Client): string {
  const uri = parameters.get('redirect_uri')
  const refuse = (description: string, reason: string) =>
    new AuthorizationRefusal('invalid_request', description, undefined, { reason, clientId: client.id })
  if (uri === undefined || parameters.isRepeated('redirect_uri')) {
    const reason = uri === undefined ? 'redirect_uri is missing' : 'redirect_uri was sent more than once'
    throw refuse('Send the parameter redirect_uri exactly once.', reason)
  }
  if (!client.redirectUris.includes(uri)) {
    const origin = URL.parse(uri)?.origin
    const isNear = client.redirectUris.some(registered => URL.parse(registered)?.origin === origin)
    throw refuse(
      'The redirect_uri does not exactly match one that the application has registered.',
      `redirect_uri is not registered; its origin ${isNear ? 'is' : 'is not registered either'}`,
    )
  }
  return uri
}

function refuseRepeatedParameters(parameters: Parameters, target: RedirectTarget): void {
  // Does not name the parameter: the name is the sender's text, and RFC 6749 restricts the characters of an error
  // description.
  if (parameters.repeated() !== undefined) {
    throw new AuthorizationRefusal('invalid_request', 'A parameter was sent more than once.', target)
  }
}

function refuseRequestObjects(parameters: Parameters, target: RedirectTarget): void {
  if (parameters.get('request') !== undefined) {
    throw new AuthorizationRefusal('request_not_supported', 'Request objects are not supported.', target)
  }
  if (parameters.get('request_uri') !== undefined) {
    throw new AuthorizationRefusal('request_uri_not_supported', 'request_uri is not supported.', target)
  }
}

function checkResponseType(parameters: Parameters, target: RedirectTarget): void {
  const type = parameters.get('response_type')
  if (type === undefined) {
    throw new AuthorizationRefusal('invalid_request', 'response_type is missing.', target)
  }
  if (type !== 'code') {
    throw new AuthorizationRefusal('unsupported_response_type', 'response_type must be code.', target)
  }
}

function checkResponseMode(parameters: Parameters, target: RedirectTarget): void {
  const mode = parameters.get('response_mode')
  if (mode !== undefined && mode !== 'query') {
    throw new AuthorizationRefusal('invalid_request', 'response_mode must be query.', target)
  }
}

function checkScope(parameters: Parameters, client: Client, target: RedirectTarget): string {
  const wanted = splitScope(parameters.get('scope'))
  if (wanted.size !== 1 || !wanted.has(scopes.profile)) {
    throw new AuthorizationRefusal('invalid_scope', `scope must be ${scopes.profile}.`, target)
  }
  if (!client.scopes.includes(scopes.profile)) {
    throw new AuthorizationRefusal(
      'invalid_scope',
      'The application is not registered for this scope.',
      target,
    )
  }
  return scopes.profile
}

function checkChallenge(parameters: Parameters, client: Client, target: RedirectTarget): string | null {
  const challenge = parameters.get('code_challenge')
  const method = parameters.get('code_challenge_method')
  const refuse = (description: string) => new AuthorizationRefusal('invalid_request', description, target)
  if (challenge === undefined) {
    if (method !== undefined) throw refuse('code_challenge is missing.')
    if (client.requirePkce) throw refuse('This application must use PKCE. code_challenge is missing.')
    return null
  }
  if (method !== 'S256') throw refuse('code_challenge_method must be S256.')
  if (!isChallenge(challenge)) throw refuse('code_challenge must be 43 characters of base64url.')
  return challenge
}

function checkAdvertiser(
  parameters: Parameters,
  { advertiser, client }: AuthorizationContext,
  target: RedirectTarget,
): NamedAdvertiser | null {
  if (parameters.get('advertiser_id') === undefined) return null
  if (advertiser === undefined) {
    throw new AuthorizationRefusal('invalid_request', 'advertiser_id names no active advertiser.', target)
  }
  if (client?.agentId != null && !advertiser.isActedFor) throw notAuthorised(target)
  return advertiser
}

export function notAuthorised(target: RedirectTarget): AuthorizationRefusal {
  const description = 'The advertiser does not authorise the agent that the application belongs to.'
  return new AuthorizationRefusal('invalid_request', description, target)
}

/** Unknown values are ignored, like unknown parameters. */
function checkPrompts(parameters: Parameters, target: RedirectTarget): Set<string> {
  const prompts = splitScope(parameters.get('prompt'))
  if (prompts.has('none') && prompts.size > 1) {
    throw new AuthorizationRefusal('invalid_request', 'prompt=none excludes every other prompt.', target)
  }
  return prompts
}

function checkMaxAge(parameters: Parameters, target: RedirectTarget): number | undefined {
  const seconds = parameters.get('max_age')
  if (seconds !== undefined && !/^\d{1,15}$/.test(seconds)) {
    throw new AuthorizationRefusal('invalid_request', 'max_age must be a number of seconds.', target)
  }
  return seconds === undefined ? undefined : Number(seconds)
}
