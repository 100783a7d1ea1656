import type { ProviderProof } from '../../platform/core/session-owner.ts'
import type { ProviderPerson, ProviderSettings } from './records.ts'

/** Limit: How old a message of an OpenID provider about the end of a session may be. */
export const logoutTokenSeconds = 300

/** The provider cannot be reached, or answers with an error. */
export class ProviderAway extends Error {
  override readonly name = 'ProviderAway'
}

/** The provider's answer must not be trusted; the reason is for the log. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused'
  /** The provider's error code, such as `access_denied`. */
  readonly error: string | undefined
  constructor(reason: string, error?: string) {
    super(reason)
    this.error = error
  }
}

/** One sign-in at a provider, from the redirect there to the return. */
export interface ProviderRequest {
  redirectUri: string
  state: string
  nonce: string
  verifier: string
  /** Maximum time since the person signed in there. */
  maxAgeSeconds?: number | undefined
}

export interface ProviderAnswer {
  proof: ProviderProof
  /** Asks the provider if its token lacks the person's details. */
  person(): Promise<ProviderPerson>
}

export interface EndedProviderSession {
  subject: string | undefined
  session: string | undefined
  /** Identifies the message. */
  id: string
}

/** This service as a client of one OpenID provider. Each method throws `ProviderAway` or `ProviderRefused`. */
export interface RelyingParty {
  settings: ProviderSettings
  /** Returns the URL where the person signs in. */
  begin(request: ProviderRequest): Promise<URL>
  /** `query`: the query of the URL to which the browser returned. */
  finish(query: URLSearchParams, request: ProviderRequest): Promise<ProviderAnswer>
  /** Reads a message that a session has ended there, after checking every part of it. */
  readLogout(token: string): Promise<EndedProviderSession>
  /** Fetches metadata and keys again, for `dossier doctor`. */
  check(): Promise<{ keys: number; skewMs: number | undefined }>
}
