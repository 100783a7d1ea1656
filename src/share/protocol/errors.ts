/** The words of RFC 6749, sections 4.1.2.1 and 5.2, of RFC 9101 and of OpenID Connect, section 3.1.2.6, that we use. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'access_denied'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'login_required'
  | 'consent_required'
  | 'temporarily_unavailable'

/** A refusal at the token or revocation endpoint. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: OAuthErrorCode
  /** What the caller is told. */
  readonly description: string
  constructor(code: OAuthErrorCode, description: string) {
    super(`${code}: ${description}`)
    this.code = code
    this.description = description
  }
}

/** A client that could not be recognised. All of them are told the same; the id is for counting only. */
export class ClientNotRecognised extends OAuthError {
  readonly presentedId: string | undefined
  constructor(presentedId: string | undefined) {
    super('invalid_client', 'The client is unknown, or its secret is wrong or missing.')
    this.presentedId = presentedId
  }
}

/** Where a refusal may be sent: a redirect URI that is registered for the client. */
export interface RedirectTarget {
  redirectUri: string
  /** Percent-encoded, byte for byte what was sent; undefined when none was. */
  state: string | undefined
}

/** A refusal at the authorization endpoint: it knows whether it may be redirected. */
export class AuthorizationRefusal extends Error {
  override readonly name = 'AuthorizationRefusal'
  readonly code: OAuthErrorCode
  readonly description: string
  /** Undefined: only the person in front of the browser may be told. */
  readonly target: RedirectTarget | undefined
  constructor(code: OAuthErrorCode, description: string, target?: RedirectTarget) {
    super(`${code}: ${description}`)
    this.code = code
    this.description = description
    this.target = target
  }
}
