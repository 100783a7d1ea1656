import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { clientIdOf } from '../../companies/callers/board-callers.ts'
import { bitsOf, categories, includes } from '../../model/categories.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import type { Log } from '../../platform/core/log.ts'
import { Problem } from '../../platform/core/problems.ts'
import { hashSecret } from '../../platform/core/secrets.ts'
import { setCaller } from '../../platform/http/auth/callers.ts'
import { isFromOwnPage } from '../../platform/http/auth/held-form.ts'
import { FormExpired, type Sessions } from '../../platform/http/auth/sessions.ts'
import { addressKey, type RateLimit } from '../../platform/http/rates/rate-limit.ts'
import { type FormFields, searchOf } from '../../platform/http/requests/form.ts'
import { type Call, type FormCall, route } from '../../platform/http/routes.ts'
import { stripBidi } from '../../platform/web/bidi.ts'
import { formsOf } from '../../platform/web/forms.ts'
import { redirect, sendPage } from '../../platform/web/page-response.ts'
import { visitorPage } from '../../platform/web/page-routes.ts'
import {
  AuthorizationRefusal,
  ClientNotRecognised,
  OAuthError,
  type OAuthErrorCode,
} from '../protocol/errors.ts'
import { authorizationServerMetadata, endpoints } from '../protocol/metadata.ts'
import { asciiQuery, Parameters, withoutParameter } from '../protocol/parameters.ts'
import type { Visitor } from '../protocol/records.ts'
import { authorizeSchema, metadataSchema, revokeSchema, tokenSchema } from '../protocol/schemas.ts'
import type { ClientCall, TokenEndpoint } from '../token/service.ts'
import { releasedBy } from './consent-service.ts'
import { consentBody, refusalBody } from './pages.ts'
import type { AuthorizationRequest } from './request-service.ts'
import type { Authorization, ConsentQuestion } from './service.ts'

const name = 'login_asked'
/** Long enough for signing up or resetting a password by email and for reading the consent page. */
const lifetimeMs = 3_600_000

/**
 * When a client requires a new sign-in, the request carries the time at which we asked for it through the sign-in
 * page; only a later sign-in counts. The mark is bound to this browser and this request and expires after an hour, so
 * that a mark left in a browser history cannot be used to skip the sign-in.
 */
function createLoginMark(sessions: Sessions, clock: Clock) {
  const partsOf = (query: string, at: string) => [name, at, withoutParameter(query, name)]
  return {
    marked(reply: FastifyReply, query: string): string {
      const at = String(clock())
      const token = sessions.browserToken(reply, ...partsOf(query, at))
      return `${withoutParameter(query, name)}&${name}=${at}.${token}`
    },

    /** Returns the time in a valid mark, or undefined. */
    markedAt(request: FastifyRequest, query: string): EpochMs | undefined {
      const [at = '', token] = new Parameters(query).get(name)?.split('.', 2) ?? []
      const isOurs = sessions.isBrowserToken(request, token, ...partsOf(query, at))
      return isOurs && clock() - Number(at) <= lifetimeMs ? Number(at) : undefined
    },
  }
}

export interface OAuthRouteDeps {
  authorization: Authorization
  tokens: TokenEndpoint
  sessions: Sessions
  issuer(): string
  /** Shows the sign-in form instead of the requested page. */
  askToSignIn(
    reply: FastifyReply,
    options: {
      continueTo: string
      formTarget: string
      clientName: string
      email: string | undefined
      notice: string | undefined
    },
  ): FastifyReply
  clock: Clock
  log: Log
  /** Limits codes per session and client. */
  codes: RateLimit
  requests: RateLimit
  failuresOfClient: RateLimit
  failuresOfAddress: RateLimit
}

export function oauthRoutes(deps: OAuthRouteDeps): RouteOptions[] {
  return [
    ...authorizeRoutes(deps),
    clientRoute(deps, {
      url: endpoints.token,
      schema: tokenSchema,
      answer: (call, onClient) => deps.tokens.issue(call, onClient),
    }),
    clientRoute(deps, {
      url: endpoints.revoke,
      schema: revokeSchema,
      answer: async (call, onClient) => {
        await deps.tokens.revoke(call, onClient)
        // RFC 7009 allows any body; some clients can only parse JSON.
        return {}
      },
    }),
    metadataRoute(deps),
  ]
}

function authorizeRoutes(deps: OAuthRouteDeps): RouteOptions[] {
  const { authorization, sessions, issuer } = deps
  const loginMark = createLoginMark(sessions, deps.clock)

  async function show(call: Call<'public'>): Promise<FastifyReply> {
    const { request, reply } = call
    const query = asciiQuery(searchOf(request.raw.url))
    const { request: asked, visitor, signedInAs } = await receive(request, query)
    if (visitor === undefined) return signIn(reply, asked, signedInAs)
    const onCode = () => countCode(reply, asked)
    const location = await authorization.recall(visitor, asked, issuer(), onCode)
    if (location !== undefined) return redirect(reply, location)
    return sendQuestion(reply, { asked, visitor, question: await authorization.question(visitor, asked) })
  }

  function receive(request: FastifyRequest, query: string) {
    return authorization.receive(query, sessions.valueOf(request), loginMark.markedAt(request, query))
  }

  async function countCode(reply: FastifyReply, { client, target }: AuthorizationRequest): Promise<void> {
    const usage = await deps.codes.hit(`${hashSecret(sessions.valueOf(reply.request) ?? '')} ${client.id}`)
    deps.codes.writeHeaders(reply, usage)
    if (!usage.isExceeded) return
    const description = `Too many codes for one candidate. Try again in ${usage.resetSeconds} seconds.`
    throw new AuthorizationRefusal('temporarily_unavailable', description, target)
  }

  function sendQuestion(
    reply: FastifyReply,
    page: {
      asked: AuthorizationRequest
      visitor: Visitor
      question: ConsentQuestion
      status?: number
      fault?: string
    },
  ): FastifyReply {
    const { asked, visitor, question, status = 200, fault } = page
    const hasChoice = question.resumes.length > 1
    const parts = bound(asked.query, visitor, String(question.filled), hasChoice)
    const consent = formsOf({ formToken: () => sessions.formToken(reply, ...parts) }, reply)
    return sendPage(reply, {
      isFocused: true,
      status,
      title: 'Share your profile?',
      body: consentBody(asked, question, consent, formsOf(sessions, reply), fault),
      formTarget: asked.target.redirectUri,
    })
  }

  /**
   * Shows the consent page again to the person who is now signed in, even if a consent is remembered, because people
   * must not agree to something they have not seen. Ticks that they made on our own page are kept; neither a foreign
   * page nor another person can tick for them.
   */
  async function askAgain(
    { request, reply, fields }: FormCall<'public'>,
    asked: AuthorizationRequest,
    visitor: Visitor,
  ): Promise<FastifyReply> {
    const question = await authorization.question(visitor, asked)
    if (isFromOwnPage(request)) {
      // Declining does not require having seen the page.
      if (fields.get('decision') === 'decline') return redirect(reply, authorization.decline(asked, issuer()))
      if (fields.get('shown_to') === visitor.candidateId) {
        const resume = question.resumes.find(({ id }) => id === fields.get('resume'))
        question.chosenId = resume?.id ?? question.chosenId
        question.ticked = (question.ticked & ~Number(fields.get('filled'))) | tickedIn(fields)
      }
    }
    return sendQuestion(reply, {
      asked,
      visitor,
      question,
      status: 403,
      fault:
        'Nothing was shared. This page was open for too long, you have signed in again since, or your resumes have changed. Please review it and choose.',
    })
  }

  async function decide(call: FormCall<'public'>): Promise<FastifyReply> {
    const { request, reply, fields } = call
    const query = fields.get('request') ?? ''
    const { request: asked, visitor, signedInAs } = await receive(request, query)
    if (visitor === undefined) return signIn(reply, withPromptForConsent(asked), signedInAs)
    const filled = fields.get('filled') ?? ''
    // The token is bound to this session, to this exact request, and to the content shown to the candidate.
    try {
      const parts = bound(query, visitor, filled, fields.has('resume'))
      sessions.checkShownForm(request, fields.get('form_token'), ...parts)
    } catch (error) {
      if (!(error instanceof FormExpired)) throw error
      return askAgain(call, asked, visitor)
    }
    switch (fields.get('decision')) {
      case 'allow': {
        const shown = Number(filled)
        // Without a choice the page showed the default resume, to which the form token is bound.
        const only = includes(shown, 'resume') ? visitor.candidate.resume?.id : undefined
        const resumeId = fields.get('resume') ?? only ?? null
        if (!(await authorization.isStillThere(visitor.candidateId, resumeId))) {
          return askAgain(call, asked, visitor)
        }
        await countCode(reply, asked)
        const choice = {
          released: releasedBy(visitor.grant, { ticked: tickedIn(fields), shown }),
          filled: shown,
          resumeId,
        }
        return redirect(reply, await authorization.allow(visitor.candidateId, asked, choice, issuer()))
      }
      case 'decline':
        return redirect(reply, authorization.decline(asked, issuer()))
      default:
        throw new Problem('bad-request', 'Choose Allow or Decline.')
    }
  }

  function signIn(
    reply: FastifyReply,
    { query, prompts, maxAgeSeconds, loginHint, target, client }: AuthorizationRequest,
    signedInAs: string | undefined,
  ): FastifyReply {
    const isProofWanted = prompts.has('login') || maxAgeSeconds !== undefined
    const continued = isProofWanted ? loginMark.marked(reply, query) : query
    return deps.askToSignIn(reply, {
      continueTo: `${endpoints.authorize}?${continued}`,
      formTarget: target.redirectUri,
      clientName: client.name,
      email: loginHint ?? signedInAs,
      notice:
        signedInAs &&
        stripBidi(`You’re signed in as ${signedInAs}. ${client.name} asks you to enter your password again.`),
    })
  }

  /** Without a choice, the page shows the default resume, so it belongs to the content shown to the candidate. */
  function bound(query: string, { candidateId, candidate }: Visitor, filled: string, hasChoice: boolean) {
    const isShown = !hasChoice && includes(Number(filled), 'resume')
    const resumeId = (isShown && candidate.resume?.id) || ''
    return [endpoints.authorize, query, candidateId, filled, resumeId] as const
  }

  /** Redirects refusals that may be redirected, and shows all others on a page. */
  function refusable<Handled extends Call<'public'>>(handle: (call: Handled) => Promise<FastifyReply>) {
    return async (call: Handled) => {
      const { request, reply } = call
      try {
        return await handle(call)
      } catch (error) {
        if (!(error instanceof AuthorizationRefusal)) throw error
        logRefusal(deps, request, error)
        const location = authorization.refusalLocation(error, issuer())
        if (location !== undefined) return redirect(reply, location)
        const body = refusalBody(error.description, request.id)
        return sendPage(reply, { isFocused: true, status: 400, title: 'This link doesn’t work', body })
      }
    }
  }

  return [
    route({
      method: 'GET',
      url: endpoints.authorize,
      auth: 'public',
      config: { errors: 'page', isOnAuthUrl: true, isEndpoint: true },
      schema: authorizeSchema,
      handle: refusable(show),
    }),
    visitorPage.post(endpoints.authorize, refusable(decide), { isEndpoint: true }),
  ]
}

/**
 * Makes a candidate who submitted the page without a session see it again after signing in, so that an earlier consent
 * does not override their choice.
 */
function withPromptForConsent(asked: AuthorizationRequest): AuthorizationRequest {
  const prompt = encodeURIComponent([...asked.prompts, 'consent'].join(' '))
  return { ...asked, query: `${withoutParameter(asked.query, 'prompt')}&prompt=${prompt}` }
}

function tickedIn(fields: FormFields): number {
  const ticked = fields.all('release')
  return bitsOf(categories.filter(category => ticked.includes(category)))
}

/** A route of the token or revocation endpoint, which authenticates the client by header or body. */
function clientRoute(
  deps: OAuthRouteDeps,
  {
    url,
    schema,
    answer,
  }: {
    url: string
    schema: object
    answer(call: ClientCall, onClient: (client: { id: string }) => Promise<void>): Promise<unknown>
  },
): RouteOptions {
  return route({
    method: 'POST',
    url,
    auth: 'public',
    body: 'form',
    config: { errors: 'oauth', isOnAuthUrl: true },
    schema,
    handle: async ({ request, reply, fields }) => {
      const call = {
        authorization: request.headers.authorization,
        query: searchOf(request.raw.url),
        body: fields.text,
      }
      reply.headers(neverStored)
      try {
        return reply.send(
          await answer(call, async client => {
            setCaller(request, { clientId: client.id })
            await deps.requests.take(reply, client.id)
          }),
        )
      } catch (error) {
        if (error instanceof OAuthError) logRefusal(deps, request, error)
        if (error instanceof ClientNotRecognised) await countFailure(deps, request, reply, error.presentedId)
        if (error instanceof OAuthError) return sendOAuthError(reply, error)
        throw error
      }
    },
  })
}

/** Logs the exact cause, which is not revealed to the caller. */
function logRefusal({ log }: OAuthRouteDeps, request: FastifyRequest, { code, detail }: OAuthError): void {
  const { reason, clientId = clientIdOf(request) } = detail
  log.info({ requestId: request.id, clientId, error: code, reason }, 'OAuth request refused')
}

const neverStored = { 'cache-control': 'no-store', pragma: 'no-cache', 'referrer-policy': 'no-referrer' }

/** Counts and limits only failures, so that the right secret works even while others guess. */
async function countFailure(
  { failuresOfClient, failuresOfAddress }: OAuthRouteDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  clientId: string | undefined,
): Promise<void> {
  await failuresOfAddress.take(reply, addressKey(request.ip))
  if (clientId !== undefined) await failuresOfClient.take(reply, clientId.slice(0, 200))
}

function sendOAuthError(reply: FastifyReply, error: OAuthError): FastifyReply {
  if (error.code === 'invalid_client') reply.header('www-authenticate', 'Basic realm="dossier"')
  return writeOAuthError(reply, error.code === 'invalid_client' ? 401 : 400, error.code, error.description)
}

/** Sends errors from outside the protocol in OAuth's JSON format, whatever the Accept header says. */
export function sendOAuthProblem(
  _request: FastifyRequest,
  reply: FastifyReply,
  { status, detail, retryAfterSeconds }: Problem,
): FastifyReply {
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  const code = status >= 500 ? 'server_error' : 'invalid_request'
  return writeOAuthError(
    reply,
    status,
    status === 429 || status === 503 ? 'temporarily_unavailable' : code,
    detail,
  )
}

function writeOAuthError(
  reply: FastifyReply,
  status: number,
  error: OAuthErrorCode | 'server_error',
  description: string,
): FastifyReply {
  return reply
    .status(status)
    .headers({ ...neverStored, 'content-type': 'application/json; charset=utf-8' })
    .send(JSON.stringify({ error, error_description: description }))
}

function metadataRoute({ issuer }: OAuthRouteDeps): RouteOptions {
  return route({
    method: 'GET',
    url: endpoints.metadata,
    auth: 'public',
    config: { isOnAuthUrl: true },
    schema: metadataSchema,
    handle: ({ reply }) =>
      reply.header('cache-control', 'public, max-age=300').send(authorizationServerMetadata(issuer())),
  })
}
