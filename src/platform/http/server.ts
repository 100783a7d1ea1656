import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import Fastify, {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onSendHookHandler,
  type preParsingHookHandler,
  type RouteOptions,
} from 'fastify'
import type { Logger } from 'pino'
import { isLoopbackHost } from '../core/addresses/loopback.ts'
import { addressMatcher } from '../core/addresses/trusted-addresses.ts'
import type { Actor } from '../core/async/audit-context.ts'
import { ResponseReads, readFor } from '../core/async/response-reads.ts'
import type { Board } from '../core/brand/board.ts'
import type { Clock } from '../core/clock.ts'
import { Problem, type ProblemCode } from '../core/problems.ts'
import { reasonOf } from '../core/reason.ts'
import { withCallerAuditContext } from './auth/caller-audit-context.ts'
import { type AuthKind, type Caller, callerOf, prepareCallers } from './auth/callers.ts'
import { askForProof } from './auth/fresh-proof.ts'
import type { Sessions } from './auth/sessions.ts'
import { createListeners, type DrainTimes, type ListenerLimits } from './listeners.ts'
import type { HttpMetrics } from './observed/metrics.ts'
import { requestIdOf, traceIdOf } from './observed/request-id.ts'
import { createRequestLog } from './observed/request-log.ts'
import { answerRawErrors } from './raw-errors.ts'
import { awaitBody, type BodyKind, readBodies } from './requests/bodies.ts'
import { compressAnswers } from './responses/compression.ts'
import { problemOfFrameworkError, sendProblem } from './responses/problem-response.ts'

/** Sends a response once the data that it shows is durable. */
export const awaitDurable: onSendHookHandler = ({ reads }, _reply, payload, done) => {
  const durable = reads?.whenDurable()
  if (durable === undefined) done(null, payload)
  // Also catches what `done` throws, such as an invalid header: otherwise it would end the process.
  else durable.then(() => done(null, payload)).catch(done)
}

/** Limit: Smaller responses are not compressed: they fit into one packet either way. */
export const minCompressedBytes = 1_400

export type AuthHook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** The reader of an error: a program, an OAuth client, or a person. */
export type ErrorForm = 'problem' | 'oauth' | 'page'
export type ProblemWriter = (request: FastifyRequest, reply: FastifyReply, problem: Problem) => FastifyReply

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The data that the response shows, which must be durable before it is sent. Undefined if the request could not be
     * parsed.
     */
    reads?: ResponseReads
  }
  interface FastifyContextConfig {
    auth?: AuthKind
    body?: BodyKind
    /** Default: `problem`. */
    errors?: ErrorForm
    /**
     * The page with the form of this route, to which a person returns after signing in; by default the route itself.
     */
    formPage?: string
    /** Served on AUTH_URL only: OAuth, and pages that need the session cookie. */
    isOnAuthUrl?: boolean
    /** The response is text without secrets, which may be compressed. */
    isCompressed?: boolean
    /** Served on BASE_URL only: a page that calls the API, because its policy allows its own origin only. */
    isOnBaseUrl?: boolean
    /** A page that is part of a protocol: not found under the other origin, like every program endpoint. */
    isEndpoint?: boolean
  }
}

export interface ServerOptions {
  /** Distinguishes the servers of one process in the metrics. */
  name: 'public' | 'admin'
  log: Logger
  metrics: HttpMetrics
  /** Available once the server listens, because the port may be any free one. */
  baseUrl(): string
  authUrl(): string
  trustedProxies: string[]
  /** Called once, for the first address that sends forwarding headers without being a trusted proxy. */
  onUntrustedProxy?: ((address: string) => void) | undefined
  /** Called for each request answered with a problem. */
  onProblem?: ((request: FastifyRequest, code: ProblemCode) => void) | undefined
  /** Called when no more connections are accepted: end requests that are waiting. */
  onDrain?: (() => void) | undefined
  /** The demo has published credentials: reject requests that are not from this machine to this machine. */
  isLoopbackOnly: boolean
  auth: Record<Exclude<AuthKind, 'public'>, AuthHook>
  callers: {
    actorOf(caller: Caller): Actor
    /** Members of a log line's JSON, each after a comma. */
    logFieldsOf(caller: Caller): string
  }
  /** Runs on routes with `proof`. */
  freshProof?: AuthHook
  problemWriters: Record<Exclude<ErrorForm, 'problem'>, ProblemWriter>
  viewerOf: Sessions['viewerOf']
  board: Board
  clock: Clock
  limits: ListenerLimits & { jsonBytes: number; formBytes: number }
}

export interface Server {
  app: FastifyInstance
  /** Resolves with the port. `localhost` means 127.0.0.1 and, if the machine supports it, ::1. */
  listen(host: string, port: number): Promise<number>
  /** Accepts no new connections, serves requests on existing ones, and finally aborts the remaining ones. */
  drain(times?: DrainTimes): Promise<void>
}

export async function createServer(
  options: ServerOptions,
  routes: RouteOptions[],
  beforeRoutes: (app: FastifyInstance) => Promise<void> = async () => {},
): Promise<Server> {
  const { log, metrics, baseUrl, authUrl, limits } = options
  const listeners = createListeners({
    limits,
    answerErrors: server => answerRawErrors(server, { baseUrl, urlBytes: limits.urlBytes, log }),
    onRefused: () => metrics.countRefused(options.name),
  })
  metrics.watchInFlight(options.name, listeners.inFlight)
  const logRequest = createRequestLog(log, options.callers.logFieldsOf)
  const isTrustedProxy = addressMatcher(options.trustedProxies)
  // The demo rejects forwarded requests itself, with a reason.
  let isProxyNoticed = options.isLoopbackOnly

  const app = Fastify({
    // Requests are logged below, once, when they have ended; Fastify's logger would create a logger per request.
    logger: false,
    // Our own routes answer HEAD, see `route`.
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: requestIdOf,
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    routerOptions: {
      caseSensitive: false,
      // Identifiers of any length reach the route, which answers 404 after authentication.
      maxParamLength: limits.urlBytes,
      // Each route reads its query parameters by its own rules.
      querystringParser: () => ({}),
    },
    frameworkErrors: (error, request, reply) => {
      begin(request, reply)
      sendError(request, reply, problemOfFrameworkError(error) ?? new Problem('bad-request'))
    },
    // Set below. Otherwise Fastify would load its own compilers.
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    // Set on each of the (up to two) servers below.
    clientErrorHandler: () => {},
    serverFactory: listeners.first,
  })

  prepareCallers(app)
  app.decorateRequest('sentFields')
  app.decorateRequest('reads')
  app.decorate('viewerOf', options.viewerOf)
  app.decorate('board', options.board)
  const compressText = compressAnswers(minCompressedBytes)
  const servedPaths = new Map<string, ServedPath>()
  app.addHook('onRequest', (request, _reply, done) => {
    const reads = new ResponseReads()
    request.reads = reads
    readFor(reads, done)
  })
  // Set again, because a body parser calls back in the async context of its connection.
  app.addHook('preHandler', ({ reads }, _reply, done) => {
    if (reads === undefined) done()
    else readFor(reads, done)
  })
  app.addHook('onSend', awaitDurable)
  readBodies(app, limits)
  app.addHook('onSend', awaitBody)
  app.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable) payload.once('error', error => reportCut(request, reply, error))
    done(null, payload)
  })

  // Handlers read parameters and write responses; the schemas are only for the documentation.
  app.setSerializerCompiler(() => data => JSON.stringify(data))
  app.setValidatorCompiler(() => () => true)

  app.addHook('onRoute', route => {
    const auth = route.config?.auth
    if (auth === undefined)
      throw new Error(`${route.method} ${route.url} does not declare its authentication`)
    if (auth !== 'public') route.onRequest = [...[route.onRequest ?? []].flat(), options.auth[auth]]
    askForProof(route, options.freshProof)
    // Runs after authentication and before any look-up.
    if (route.url.includes(':')) route.preParsing = [refuseUnwritable, ...[route.preParsing ?? []].flat()]
    withCallerAuditContext(route, options.clock, options.callers.actorOf)
    if (route.config?.isCompressed === true) route.onSend = [compressText, ...[route.onSend ?? []].flat()]
    const { errors = 'problem' } = route.config ?? {}
    const origin = originOf(route.config)
    const known = servedPaths.get(route.url) ?? {
      pattern: pathPattern(route.url),
      methods: [],
      errors,
      origin,
    }
    known.methods.push(...[route.method].flat())
    servedPaths.set(route.url, known)
  })

  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply)
    const refusal = refuse(request, reply)
    const origin = refusal === undefined ? otherOrigin(request) : undefined
    if (origin === undefined) done(refusal)
    else if (isForPeople(request.routeOptions.config)) {
      reply
        .status(303)
        .header('location', `${origin}${request.url}`)
        .header('cache-control', 'no-store')
        .send()
    } else done(new Problem('no-such-route', `This is served at ${origin}${pathOf(request)} only.`))
  })

  app.setErrorHandler((error, request, reply) => {
    const problem = error instanceof Problem ? error : problemOfFrameworkError(error)
    const isNews = (problem === undefined || problem.code === 'unavailable') && !listeners.isOver()
    if (isNews) {
      // During an outage every request fails in the same way: log the reason, not a stack per request.
      log.error({ requestId: request.id, err: problem ? reasonOf(problem) : error }, 'request failed')
    }
    options.onProblem?.(request, problem?.code ?? 'internal')
    return sendError(request, reply, problem ?? new Problem('internal'))
  })
  app.setNotFoundHandler(() => {
    throw new Problem('no-such-route')
  })

  await beforeRoutes(app)
  for (const route of routes) app.route(route)

  /** Sends the problem in the form of this path, even if the method was wrong and no route matched. */
  function sendError(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
    const { config } = request.routeOptions
    const form =
      config.errors ?? (servedPathOf(request) ?? meantPathOf(request))?.errors ?? formForUnknownPath(request)
    return form === 'problem'
      ? sendProblem(request, reply, problem, baseUrl())
      : options.problemWriters[form](request, reply, problem)
  }

  function servedPathOf(request: FastifyRequest, path = pathOf(request)): ServedPath | undefined {
    return [...servedPaths.values()].find(({ pattern }) => pattern.test(path))
  }

  /** The path without its trailing slash, if that path is served. */
  function meantPathOf(request: FastifyRequest): (ServedPath & { path: string }) | undefined {
    const path = pathOf(request).replace(/(?<=[^/])\/$/, '')
    const served = servedPathOf(request, path)
    return served && { ...served, path }
  }

  /** The origin that serves the route; undefined: both. */
  function originOf(config: FastifyContextConfig = {}): (() => string) | undefined {
    const { auth, isOnAuthUrl, isOnBaseUrl } = config
    if (isOnAuthUrl === true) return authUrl
    return isOnBaseUrl === true || auth === 'sws' || auth?.endsWith('-token') ? baseUrl : undefined
  }

  /** The correct origin, if the request used the wrong one: cookies and API calls each work on only one. */
  function otherOrigin(request: FastifyRequest): string | undefined {
    const origin = originOf(request.routeOptions.config)?.()
    if (origin === undefined || authUrl() === baseUrl()) return undefined
    const other = origin === authUrl() ? baseUrl() : authUrl()
    return request.host.toLowerCase() === new URL(other).host ? origin : undefined
  }

  /** Sets the headers of every response, and reports it to the log and metrics when it has ended. */
  function begin(request: FastifyRequest, reply: FastifyReply): void {
    const startedAt = performance.now()
    const response = reply.raw
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    const secureOrigin = `https://${request.host.toLowerCase()}`
    if (secureOrigin === baseUrl() || secureOrigin === authUrl()) reply.header(...strictTransport)
    noticeProxy(request)
    listeners.begin(response, () => report(request, response, performance.now() - startedAt))
  }

  /**
   * Behind an unlisted proxy all callers share its address, so limits by address would apply to all of them together.
   */
  function noticeProxy({ raw: { headers, socket } }: FastifyRequest): void {
    if (isProxyNoticed || !wasForwarded(headers) || isTrustedProxy(socket.remoteAddress)) return
    isProxyNoticed = true
    options.onUntrustedProxy?.(String(socket.remoteAddress))
  }

  function report(request: FastifyRequest, response: ServerResponse, ms: number): void {
    const route = request.routeOptions.url ?? 'none'
    const { method } = request
    const status = response.statusCode
    metrics.observeRequest(method, route, status, ms / 1000)
    if (!response.writableFinished) metrics.countCut(route)
    logRequest({
      requestId: request.id,
      traceId: traceIdOf(request.headers),
      method,
      // The pattern, not the path: values in paths and queries must not be logged.
      route,
      status,
      ms,
      caller: callerOf(request),
      isCut: !response.writableFinished,
    })
  }

  /** An error before the first byte gets a response, see above; a caller who has left need not be reported. */
  function reportCut(request: FastifyRequest, { raw }: FastifyReply, error: Error): void {
    if (!raw.headersSent || raw.destroyed || listeners.isOver()) return
    log.error({ requestId: request.id, err: error }, 'a response was cut')
  }

  function refuse(request: FastifyRequest, reply: FastifyReply): Problem | undefined {
    const { url = '', headers, rawHeaders } = request.raw
    if (url.length > limits.urlBytes) {
      return new Problem('uri-too-long', `The URL must be ${limits.urlBytes} bytes or shorter.`)
    }
    if (headerBytes(rawHeaders) > limits.headerBytes) {
      return new Problem(
        'headers-too-large',
        `The headers must be ${limits.headerBytes} bytes or shorter in total.`,
      )
    }
    const hosts = countHosts(rawHeaders)
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion === '1.1')) {
      return new Problem('bad-request', 'Send exactly one Host header.')
    }
    if (options.isLoopbackOnly && !isFromThisMachine(headers, requestTarget(url).authority)) {
      return new Problem('demo-loopback-only')
    }
    if (request.is404) {
      const known = servedPathOf(request)
      if (known === undefined) {
        const meant = meantPathOf(request)
        const address = meant && `${(meant.origin ?? baseUrl)()}${meant.path}`
        return new Problem('no-such-route', address && `Leave out the slash at the end: ${address}`)
      }
      reply.header('allow', known.methods.join(', '))
      return new Problem('method-not-allowed')
    }
    return undefined
  }

  return {
    app,
    listen: (host, port) => listeners.listen(app, host, port),
    drain: (times = { graceMs: 0, idleMs: 0 }) => {
      const drained = listeners.drain(app, times)
      options.onDrain?.()
      return drained
    },
  }
}

function unused(): never {
  throw new Error('no schema is compiled')
}

/** One year, for this host only: its subdomains are not ours. */
const strictTransport = ['strict-transport-security', 'max-age=31536000'] as const

interface ServedPath {
  pattern: RegExp
  methods: string[]
  errors: ErrorForm
  origin: (() => string) | undefined
}

/** Whether people who open a page under the other origin are redirected. */
const isForPeople = ({ errors, isEndpoint }: FastifyContextConfig) => errors === 'page' && isEndpoint !== true

/** For unknown paths, browsers get HTML, because they would download problem+json. */
function formForUnknownPath({ headers }: FastifyRequest): ErrorForm {
  return headers.accept?.startsWith('text/html') ? 'page' : 'problem'
}

function pathPattern(url: string): RegExp {
  const literal = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${literal}$`, 'i')
}

/** No text column contains NUL, so no such name exists; PostgreSQL would reject the query. */
const refuseUnwritable: preParsingHookHandler = ({ params }, _reply, _payload, done) => {
  const isWritable = Object.values(params as Record<string, string>).every(value => !value.includes('\0'))
  done(isWritable ? null : new Problem('not-found'))
}

const pathOf = ({ raw }: FastifyRequest) => requestTarget(raw.url ?? '').path

/** The request target may be an absolute URL, as sent to proxies. */
function requestTarget(url: string): { authority: string | undefined; path: string } {
  const [, authority, rest = ''] = /^(?:https?:\/\/([^/?#]*))?([^?#]*)/i.exec(url) ?? []
  let path = rest
  try {
    path = decodeURI(rest)
  } catch {
    // A path that cannot be decoded is not one of ours.
  }
  return { authority, path }
}

function wasForwarded(headers: IncomingHttpHeaders): boolean {
  return (
    headers['x-forwarded-for'] !== undefined ||
    Object.keys(headers).some(name => name === 'forwarded' || name.startsWith('x-forwarded-'))
  )
}

/** Host header and request target must both name this machine. */
function isFromThisMachine(headers: IncomingHttpHeaders, authority: string | undefined): boolean {
  const isLoopback = (host = '') => isLoopbackHost(host.replace(/:\d+$/, ''))
  return isLoopback(headers.host) && isLoopback(authority ?? 'localhost') && !wasForwarded(headers)
}

function headerBytes(rawHeaders: readonly string[]): number {
  let bytes = 0
  // Name and value are each followed by two bytes: ": " or the line end.
  for (const part of rawHeaders) bytes += part.length + 2
  return bytes
}

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}
