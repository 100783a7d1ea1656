import type { JWTPayload } from 'jose'
import type { Clock } from '../../platform/core/clock.ts'
import { isEmail, normaliseEmail } from '../../platform/core/email.ts'
import { lazily } from '../../platform/core/lazily.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import {
  type EndedProviderSession,
  logoutTokenSeconds,
  type ProviderAnswer,
  ProviderAway,
  ProviderRefused,
  type ProviderRequest,
  type RelyingParty,
} from './ports.ts'
import type { ProviderPerson, ProviderSettings } from './records.ts'

/** Limit: Time for one request to an OpenID provider; a person waits for two or three. */
const providerRequestSeconds = 5
/** Limit: Size of an answer of an OpenID provider: its metadata, its keys or its tokens. */
const providerAnswerBytes = 512 * 1024
/** Limit: How long metadata of an OpenID provider is used. Keys are fetched whenever a token has an unknown one. */
const providerMetadataSeconds = 3_600
/** Limit: Characters of a subject, as OpenID Connect has it. */
const subjectLength = 255
/** Limit: Seconds between two requests for keys that strangers can cause, by messages with an unknown one. */
const logoutKeysSeconds = 30
const toleranceSeconds = 30

/** Only asymmetric algorithms: a public key must never serve as the secret of an HMAC. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/**
 * This service as a client of one OpenID provider. Nothing is fetched before someone signs in, and no redirect is
 * followed.
 */
export function createRelyingParty(
  settings: ProviderSettings,
  clock: Clock,
  fetch = plainFetch(),
): RelyingParty {
  const { issuer, clientId, clientSecret } = settings
  type Known = Awaited<ReturnType<typeof discover>>
  let known: Known | undefined
  let discovering: Promise<Known> | undefined

  const requests = async (url: string, options: object): Promise<Response> => {
    const response = await fetch(url, options).catch(error => {
      throw new ProviderAway(`${new URL(url).host} cannot be reached (${reasonOf(error)})`)
    })
    if (response.status >= 500) throw new ProviderAway(`${url} answers ${response.status}`)
    return response
  }

  async function discover() {
    const client = await import('openid-client')
    const jose = await import('jose')
    const metadata = clientSecret === undefined ? {} : { client_secret: clientSecret }
    const config = await client.discovery(
      new URL(issuer),
      clientId,
      metadata,
      authenticate(client, clientSecret),
      {
        [client.customFetch]: requests,
        timeout: providerRequestSeconds,
        // Settings allow http only on this machine.
        execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
      },
    )
    const { jwks_uri, issuer: named } = config.serverMetadata()
    if (jwks_uri === undefined) throw new Error('its metadata names no jwks_uri')
    if (issuer.startsWith('https:') && !jwks_uri.startsWith('https:'))
      throw new Error('its jwks_uri is not an https URL')
    const keysWith = (cooldownDuration: number) =>
      jose.createRemoteJWKSet(new URL(jwks_uri), {
        cooldownDuration,
        timeoutDuration: providerRequestSeconds * 1000,
        [jose.customFetch]: (url, options) => requests(url, { ...options, redirect: 'manual' }),
      })
    // For tokens received from the provider itself, fetch unknown keys without a delay.
    const [keys, logoutKeys] = [keysWith(0), keysWith(logoutKeysSeconds * 1000)]
    /** Throws unless the provider has signed it for us. */
    const verify = async (token: string, options: { maxTokenAge?: number } = {}) =>
      (
        await jose.jwtVerify(token, options.maxTokenAge === undefined ? keys : logoutKeys, {
          issuer: named,
          audience: clientId,
          algorithms,
          clockTolerance: toleranceSeconds,
          requiredClaims: ['iat', 'exp'],
          ...options,
        })
      ).payload
    return { client, config, keys, jwksUri: jwks_uri, verify, at: Date.now() }
  }

  async function provider(): Promise<Known> {
    if (known !== undefined && Date.now() - known.at < providerMetadataSeconds * 1000) return known
    discovering ??= discover().finally(() => {
      discovering = undefined
    })
    try {
      known = await discovering
    } catch (error) {
      // The previous metadata is better than none.
      if (known === undefined) throw new ProviderAway(reasonIn(error))
    }
    return known
  }

  /** Throws `ProviderAway` or `ProviderRefused` for every error of the libraries. */
  async function judged<T>(work: (known: Known) => Promise<T>): Promise<T> {
    const found = await provider()
    try {
      return await work(found)
    } catch (error) {
      if (isAway(error)) throw new ProviderAway(reasonIn(error))
      const { error: said } = error as { error?: unknown }
      throw new ProviderRefused(reasonIn(error), typeof said === 'string' ? said : undefined)
    }
  }

  return {
    settings,

    /** Returns the URL where the person signs in. */
    begin: ({ redirectUri, state, nonce, verifier, maxAgeSeconds }: ProviderRequest): Promise<URL> =>
      judged(async ({ client, config }) =>
        client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: 'openid email profile',
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(maxAgeSeconds === undefined ? {} : { max_age: String(maxAgeSeconds) }),
        }),
      ),

    /** `query`: the query of the URL to which the browser returned. */
    finish: (query: URLSearchParams, request: ProviderRequest): Promise<ProviderAnswer> =>
      judged(async ({ client, config, verify }) => {
        const { state, nonce, verifier, maxAgeSeconds } = request
        const url = new URL(request.redirectUri)
        url.search = String(query)
        const tokens = await client.authorizationCodeGrant(config, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
          ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
        })
        // The library trusts the connection; the signature is checked as well.
        const claims = await verify(tokens.id_token ?? '')
        const { sub = '' } = claims
        if (textIn(sub) === null) throw new Error('the subject is empty, too long, or no text')
        return {
          proof: {
            issuer,
            subject: sub,
            session: textIn(claims['sid']),
            provedAt: provedAtOf(claims, clock),
            hasFactor: hasFactor(claims, settings.factors),
          },
          person: () =>
            judged(async () => {
              const isComplete = claims['email'] !== undefined
              const asked =
                isComplete || config.serverMetadata().userinfo_endpoint === undefined
                  ? {}
                  : await client.fetchUserInfo(config, tokens.access_token, sub)
              // The source of the address also says whether it is verified.
              return personIn(isComplete ? claims : { ...claims, email_verified: undefined, ...asked })
            }),
        }
      }),

    /** Reads a message that a session has ended there. Throws unless every part of it is right. */
    readLogout: (token: string): Promise<EndedProviderSession> =>
      judged(async ({ verify }) => {
        const { decodeProtectedHeader } = await import('jose')
        const { typ } = decodeProtectedHeader(token)
        if (typ !== undefined && !/^(application\/)?(logout\+)?jwt$/i.test(typ))
          throw new Error('it is another kind of token')
        const claims = await verify(token, { maxTokenAge: logoutTokenSeconds })
        const { sub, sid, jti, nonce, events } = claims as JWTPayload &
          Record<'sid' | 'nonce' | 'events', unknown>
        const event = (events as Record<string, unknown> | undefined)?.[
          'http://schemas.openid.net/event/backchannel-logout'
        ]
        if (typeof event !== 'object' || event === null) throw new Error('it is about no logout')
        if (nonce !== undefined) throw new Error('it has a nonce')
        if (typeof jti !== 'string' || jti === '') throw new Error('it has no ID')
        const [subject, session] = [textIn(sub) ?? undefined, textIn(sid) ?? undefined]
        if (subject === undefined && session === undefined)
          throw new Error('it names no session and no person')
        return { subject, session, id: jti }
      }),

    /** Fetches metadata and keys again, for `dossier doctor`. */
    async check(): Promise<{ keys: number; skewMs: number | undefined }> {
      const { jwksUri } = await discover().catch(error => {
        throw new ProviderAway(reasonIn(error))
      })
      const answer = await requests(jwksUri, { redirect: 'manual' })
      const { keys } = (await answer.json()) as { keys?: unknown[] }
      const date = Date.parse(answer.headers.get('date') ?? '')
      return { keys: keys?.length ?? 0, skewMs: Number.isNaN(date) ? undefined : date - Date.now() }
    },
  }
}

/** The provider's metadata names the way it accepts; the specification's default is the header. */
const authenticate =
  (client: typeof import('openid-client'), secret: string | undefined) =>
  (...call: Parameters<import('openid-client').ClientAuth>): void => {
    const [{ token_endpoint_auth_methods_supported: methods }] = call
    const isPost = methods !== undefined && !methods.includes('client_secret_basic')
    const way =
      secret === undefined
        ? client.None()
        : (isPost ? client.ClientSecretPost : client.ClientSecretBasic)(secret)
    way(...call)
  }

/** Follows no redirect, and cuts off an endless response. */
function plainFetch() {
  const opened = lazily(async () => {
    const { Agent, fetch } = await import('undici')
    const connectTimeout = providerRequestSeconds * 1000
    return { fetch, dispatcher: new Agent({ maxResponseSize: providerAnswerBytes, connectTimeout }) }
  })
  return async (url: string, options: object): Promise<Response> => {
    const { fetch, dispatcher } = await opened()
    return (await fetch(url, { ...options, dispatcher })) as unknown as Response
  }
}

function* causesOf(error: unknown): Generator<Error & { code?: string }> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause
}

const isAway = (error: unknown) =>
  [...causesOf(error)].some(
    ({ name, code }) => name === 'ProviderAway' || code === 'OAUTH_TIMEOUT' || code === 'ERR_JWKS_TIMEOUT',
  )

/** The most specific cause. None has a token or a secret in its message. */
const reasonIn = (error: unknown) => [...causesOf(error)].at(-1)?.message ?? String(error)

const textIn = (value: unknown) =>
  typeof value === 'string' && value !== '' && value.length <= subjectLength && isStorable(value)
    ? value
    : null

/** PostgreSQL rejects NUL, and all lone surrogates would be stored as the same character. */
const isStorable = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text)

/** When the person signed in at the provider, by our clock. */
function provedAtOf({ auth_time }: JWTPayload, clock: Clock): number | null {
  const ageMs = typeof auth_time === 'number' ? Date.now() - auth_time * 1000 : Number.NaN
  return Number.isFinite(ageMs) ? clock() - Math.max(ageMs, 0) : null
}

const hasFactor = ({ amr, acr }: JWTPayload, trusted: readonly string[]) =>
  [acr, ...(Array.isArray(amr) ? amr : [])].some(value => trusted.includes(value))

function personIn(claims: Record<string, unknown>): ProviderPerson {
  const text = (name: string) => (typeof claims[name] === 'string' ? (claims[name] as string).trim() : '')
  const [first = '', ...others] = text('name').split(' ')
  const email = text('email')
  return {
    email,
    // Otherwise the person is asked for another address.
    isEmailVerified: claims['email_verified'] === true && isEmail(normaliseEmail(email)),
    firstName: text('given_name') || first,
    lastName: text('family_name') || others.join(' '),
  }
}
