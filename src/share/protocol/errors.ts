/** The error codes we use from RFC 6749 (sections 4.1.2.1 and 5.2), RFC 9101 and OpenID Connect (section 3.1.2.6). */
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

/** The exact cause, for the log only. Contains no secret, code or token, and no text that the caller chose. */
export interface PrivateDetail {
  reason: string
  /** A registered client. */
  clientId?: string | undefined
}

/** An OAuth endpoint's error. */
export class OAuthError extends Error {
  override readonly name: string = 'OAuthError'
  readonly code: OAuthErrorCode
  /** Sent to the caller. */
  readonly description: string
  readonly detail: PrivateDetail
  /** Without a detail, the description is the whole cause. */
  constructor(code: OAuthErrorCode, description: string, detail: PrivateDetail = { reason: description }) {
    super(`${code}: ${description}`)
    this.code = code
    this.description = description
    this.detail = detail
  }
}

/** Failed client authentication. The response is the same for every cause; the presented ID is only for counting. */
export class ClientNotRecognised extends OAuthError {
  readonly presentedId: string | undefined
  constructor(presentedId: string | undefined, detail: PrivateDetail) {
    super('invalid_client', 'The client is unknown, or its secret is wrong or missing.', detail)
    this.presentedId = presentedId
  }
}

/** A target to which a refusal may be redirected: a redirect URI registered for the client. */
export interface RedirectTarget {
  clientId: string
  redirectUri: string
  /** Percent-encoded, byte for byte as sent; undefined if it was not sent. */
  state: string | undefined
}

/** An error of the authorization endpoint, with the target to which it may be redirected. */
export class AuthorizationRefusal extends OAuthError {
  override readonly name = 'AuthorizationRefusal'
  /** Undefined: show the error only to the candidate. */
  readonly target: RedirectTarget | undefined
  constructor(code: OAuthErrorCode, description: string, target?: RedirectTarget, detail?: PrivateDetail) {
    super(code, description, detail ?? { reason: description, clientId: target?.clientId })
    this.target = target
  }
}
