import { parseNumericId } from '../../core/ids.ts'
import { isClientId } from '../clients/rules.ts'
import { AuthorizationRefusal, type RedirectTarget } from '../protocol/errors.ts'
import { encodedState, Parameters } from '../protocol/parameters.ts'
import { isChallenge } from '../protocol/pkce.ts'
import type { AuthorizationStore, Standing } from '../protocol/ports.ts'
import { scopes, splitScope } from '../protocol/scopes.ts'

/** An authorization request that has passed every check, whoever it is that will answer it. */
export interface AuthorizationRequest {
  /** As it was sent: whoever comes back to it is checked again from the beginning. */
  query: string
  client: { id: string; name: string }
  target: RedirectTarget
  scope: string
  challenge: string | null
  advertiser: { id: number; name: string } | null
  /** `none`: no page may be shown; `login`, `consent`: ask for the password, for the consent, in any case. */
  prompts: ReadonlySet<string>
  /** How long ago the candidate may have proved the password. */
  maxAgeSeconds: number | undefined
  /** For the form of the sign-in. */
  loginHint: string | undefined
}

/** The authorization endpoint's checks, in order. Until the redirect URI is known to be the client's, only a page may tell. */
export function createRequestCheck(deps: {
  store: Pick<AuthorizationStore, 'findStanding'>
  limits: { clientIdLength: number }
}) {
  /** What can be no ID is not asked for: it may be anything that somebody put into a URL. */
  async function look(parameters: Parameters, sessionHash: string | null): Promise<Standing> {
    const clientId = readClientId(parameters)
    if (!isClientId(clientId, deps.limits.clientIdLength)) throw unknownClient()
    const advertiserId = parseNumericId(parameters.get('advertiser_id') ?? '') ?? null
    return deps.store.findStanding(sessionHash, clientId, advertiserId)
  }

  return async (
    query: string,
    sessionHash: string | null,
  ): Promise<{ request: AuthorizationRequest; visitor: Standing['visitor'] }> => {
    const parameters = new Parameters(query)
    const standing = await look(parameters, sessionHash)
    const client = standingClient(standing)
    const redirectUri = checkRedirectUri(parameters, client)
    const target = { redirectUri, state: parameters.isRepeated('state') ? undefined : encodedState(query) }

    refuseRepeatedParameters(parameters, target)
    refuseRequestObjects(parameters, target)
    checkResponseType(parameters, target)
    checkResponseMode(parameters, target)
    const scope = checkScope(parameters, client, target)
    const challenge = checkChallenge(parameters, client, target)
    const advertiser = checkAdvertiser(parameters, standing, target)
    const request = {
      query,
      client: { id: client.id, name: client.name },
      target,
      scope,
      challenge,
      advertiser,
      prompts: checkPrompts(parameters, target),
      maxAgeSeconds: checkMaxAge(parameters, target),
      loginHint: parameters.get('login_hint'),
    }
    return { request, visitor: standing.visitor }
  }
}

type Client = NonNullable<Standing['client']>

function readClientId(parameters: Parameters): string {
  const id = parameters.get('client_id')
  if (id === undefined || parameters.isRepeated('client_id')) {
    throw new AuthorizationRefusal('invalid_request', 'The parameter client_id must be sent once.')
  }
  return id
}

function standingClient({ client }: Standing): Client {
  if (client === undefined || client.disabledAt !== null) throw unknownClient()
  return client
}

function unknownClient(): AuthorizationRefusal {
  return new AuthorizationRefusal('invalid_client', 'No application is registered under this client_id.')
}

/** By exact string: every cleverness here has been somebody's open redirect. */
function checkRedirectUri(parameters: Parameters, client: Client): string {
  const uri = parameters.get('redirect_uri')
  if (uri === undefined || parameters.isRepeated('redirect_uri')) {
    throw new AuthorizationRefusal('invalid_request', 'The parameter redirect_uri must be sent once.')
  }
  if (!client.redirectUris.includes(uri)) {
    throw new AuthorizationRefusal(
      'invalid_request',
      'The redirect_uri is not one that the application has registered, character by character.',
    )
  }
  return uri
}

function refuseRepeatedParameters(parameters: Parameters, target: RedirectTarget): void {
  // Not by name: that is the sender's text, and the description must stay within the characters of RFC 6749.
  if (parameters.firstRepeated !== undefined) {
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
    if (client.requirePkce) throw refuse('This application must use PKCE: code_challenge is missing.')
    return null
  }
  if (method !== 'S256') throw refuse('code_challenge_method must be S256.')
  if (!isChallenge(challenge)) throw refuse('code_challenge must be 43 characters of base64url.')
  return challenge
}

function checkAdvertiser(
  parameters: Parameters,
  { advertiser }: Standing,
  target: RedirectTarget,
): { id: number; name: string } | null {
  if (parameters.get('advertiser_id') === undefined) return null
  if (advertiser === undefined) {
    throw new AuthorizationRefusal('invalid_request', 'advertiser_id names no active advertiser.', target)
  }
  return advertiser
}

/** A word that we do not know is ignored, like a parameter that we do not know. */
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
