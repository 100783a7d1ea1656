import type { Prefill, PrefillRequest } from './api-types.ts'
import { type DossierFile, download } from './download.ts'
import { DossierError } from './errors.ts'
import type { Tokens } from './tokens.ts'
import type { Transport } from './transport.ts'

export interface BeginOptions {
  /** Exactly as registered. */
  redirectUri: string
  /** The company you act for: the candidate sees its name, and the token works only for it. */
  advertiserId?: number | string
  prompt?: 'login' | 'consent' | 'login consent' | 'none'
  maxAgeSeconds?: number
  loginHint?: string
}

/** Keep it in the candidate's session until they come back. It is secret. */
export interface PendingShare {
  state: string
  codeVerifier: string
  redirectUri: string
}

interface CallOptions {
  signal?: AbortSignal | undefined
}

/** "Apply with" on a careers page: a candidate shares their profile (version 2). */
export class Sharing {
  readonly #transport: Transport
  readonly #tokens: Tokens
  readonly #authUrl: string

  constructor(transport: Transport, tokens: Tokens, authUrl: string) {
    this.#transport = transport
    this.#tokens = tokens
    this.#authUrl = authUrl.replace(/\/+$/, '')
  }

  /** Where to send the candidate, with a new state and PKCE, and what `finish` needs when they come back. */
  async begin(options: BeginOptions): Promise<{ url: string; pending: PendingShare }> {
    const { redirectUri, advertiserId, prompt, maxAgeSeconds, loginHint } = options
    const [state, codeVerifier] = [randomText(), randomText()]
    const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
    const parameters = {
      response_type: 'code',
      client_id: this.#tokens.clientId,
      redirect_uri: redirectUri,
      scope: 'r_profile_apply',
      state,
      code_challenge: base64Url(new Uint8Array(challenge)),
      code_challenge_method: 'S256',
      advertiser_id: advertiserId,
      prompt,
      max_age: maxAgeSeconds,
      login_hint: loginHint,
    }
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) query.set(name, String(value))
    }
    const url = `${this.#authUrl}/api/iam/oauth2/authorize?${query}`
    return { url, pending: { state, codeVerifier, redirectUri } }
  }

  /**
   * Exchanges the code with which the candidate came back. A code buys one token, so this is never repeated: after an
   * error begin again, which is a single redirect while the consent is remembered. If the candidate declined, the error's
   * code is `access_denied`.
   */
  async finish(
    callbackUrl: string | URL,
    pending: PendingShare,
    { signal }: CallOptions = {},
  ): Promise<SharedProfile> {
    const { searchParams } = new URL(callbackUrl, pending.redirectUri)
    if (searchParams.get('state') !== pending.state)
      throw new DossierError('callback-rejected', 'the state is not the one of this candidate')
    if (searchParams.get('iss') !== this.#authUrl)
      throw new DossierError('callback-rejected', 'the candidate was not sent back by this service')
    const error = searchParams.get('error')
    if (error !== null) {
      const detail = searchParams.get('error_description') ?? undefined
      throw new DossierError(error, `nothing was shared: ${detail ?? error}`, { detail })
    }
    const fields = {
      grant_type: 'authorization_code',
      code: searchParams.get('code') ?? '',
      redirect_uri: pending.redirectUri,
      code_verifier: pending.codeVerifier,
    }
    const token = await this.#tokens.request(fields, { isRepeatable: false, signal })
    return this.profile(token.access_token)
  }

  /** A profile whose token you kept. */
  profile(token: string): SharedProfile {
    return new SharedProfile(this.#transport, token)
  }

  /** Reports that the candidate has submitted your form. Works days later too, and repeating it is harmless. */
  complete(prefill: string | Pick<Prefill, 'complete'>, date = new Date(), { signal }: CallOptions = {}) {
    const id = typeof prefill === 'string' ? prefill : (prefill.complete.split('/').at(-2) ?? '')
    return this.#transport.send(
      {
        path: `/v2/applications/${encodeURIComponent(id)}/complete`,
        method: 'POST',
        headers: () => ({ 'content-type': 'application/json' }),
        body: JSON.stringify({ completionDate: date.toISOString() }),
        authorization: this.#tokens.authorization('Bearer'),
        signal,
      },
      async () => {},
    )
  }
}

/** What one candidate released, for 20 minutes. */
export class SharedProfile {
  readonly token: string
  readonly #transport: Transport

  constructor(transport: Transport, token: string) {
    this.#transport = transport
    this.token = token
  }

  /** The same advertiser and form again return the same application, with fresh data. */
  prefill(request: PrefillRequest, { signal }: CallOptions = {}): Promise<Prefill> {
    return this.#transport.json({
      path: '/v2/applications/prefilled',
      method: 'POST',
      headers: () => ({ 'content-type': 'application/json' }),
      body: JSON.stringify(request),
      authorization: this.#authorization,
      signal,
    })
  }

  /** Undefined if there is no resume, or none was released. */
  async resume({ resume }: Pick<Prefill, 'resume'>, { signal }: CallOptions = {}) {
    if (resume === null) return undefined
    // The token goes to this service alone, whatever the link says.
    const id = new URL(resume.link).pathname.split('/').at(-1) ?? ''
    const call = { path: `/v2/resumes/${id}`, authorization: this.#authorization, signal }
    return download(this.#transport, call) as Promise<DossierFile>
  }

  get #authorization() {
    return { get: async () => `Bearer ${this.token}` }
  }
}

const randomText = () => base64Url(crypto.getRandomValues(new Uint8Array(32)))

const base64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes)).replace(
    /[+/=]/g,
    character => ({ '+': '-', '/': '_' })[character] ?? '',
  )
