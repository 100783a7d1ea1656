import type { ProviderProof } from '../../platform/core/session-owner.ts'
import type { ProviderPerson, ProviderSettings } from './records.ts'

/** Limit: How old a message of an OpenID provider about the end of a session may be. */
export const logoutTokenSeconds = 300

/** The provider cannot be reached, or answers with an error. */
export class ProviderAway extends Error {
  override readonly name = 'ProviderAway'
}

/** The provider's answer must not be believed; the reason is for the log. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused'
  /** What the provider said in place of an answer, such as `access_denied`. */
  readonly error: string | undefined
  constructor(reason: string, error?: string) {
    super(reason)
    this.error = error
  }
}

/** One sign-in, from the way there to the way back. */
export interface ProviderRequest {
  redirectUri: string
  state: string
  nonce: string
  verifier: string
  /** How long ago the person may have signed in there. */
  maxAgeSeconds?: number | undefined
}

export interface ProviderAnswer {
  proof: ProviderProof
  /** Asks the provider if its token does not say. */
  person(): Promise<ProviderPerson>
}

export interface EndedProviderSession {
  subject: string | undefined
  session: string | undefined
  /** Identifies the message. */
  id: string
}

/** Ours, towards one OpenID provider. Each throws `ProviderAway` or `ProviderRefused`. */
export interface RelyingParty {
  settings: ProviderSettings
  /** Where the person signs in. */
  begin(request: ProviderRequest): Promise<URL>
  /** `query`: what the browser came back with. */
  finish(query: URLSearchParams, request: ProviderRequest): Promise<ProviderAnswer>
  /** A message that a session has ended there; every part of it was right. */
  readLogout(token: string): Promise<EndedProviderSession>
  /** Fetches metadata and keys again, for `dossier doctor`. */
  check(): Promise<{ keys: number; skewMs: number | undefined }>
}
