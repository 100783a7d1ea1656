import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import Fastify, {
  type FastifyContextConfig,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type preParsingHookHandler,
  type RouteOptions,
} from 'fastify'
import type { Logger } from 'pino'
import { isLoopbackHost } from '../core/addresses/loopback.ts'
import { addressMatcher } from '../core/addresses/trusted-addresses.ts'
import { Problem } from '../core/problems.ts'
import { reasonOf } from '../core/reason.ts'
import type { Sessions } from './auth/sessions.ts'
import { createListeners, type DrainTimes, type ListenerLimits } from './listeners.ts'
import type { HttpMetrics } from './observed/metrics.ts'
import { requestIdOf } from './observed/request-id.ts'
import { createRequestLog } from './observed/request-log.ts'
import { answerRawErrors } from './raw-errors.ts'
import { awaitBody, type BodyKind, readBodies } from './requests/bodies.ts'
import { compressAnswers } from './responses/compression.ts'
import { problemOfFrameworkError, sendProblem } from './responses/problem-response.ts'
import { problemStatus } from './responses/problem-status.ts'

/**
 * Every route says who may call it; the route ledger test holds the list of public ones. `profile-token` is a
 * bearer token that a candidate has granted, `client-token` one that a client has for itself, `intake-token` that
 * of a job board, `console` the session of somebody who works for the advertiser in the path.
 */
export type AuthKind =
  | 'public'
  | 'sws'
  | 'profile-token'
  | 'client-token'
  | 'intake-token'
  | 'session'
  | 'console'
export type AuthHook = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Who reads what goes wrong: a program, an OAuth client, or a person. */
export type ErrorForm = 'problem' | 'oauth' | 'page'
export type ProblemWriter = (
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  status: number,
) => FastifyReply

declare module 'fastify' {
  interface FastifyContextConfig {
    auth?: AuthKind
    body?: BodyKind
    /** `problem` when not given. */
    errors?: ErrorForm
    /** The page on which the form of this route stands, for whoever has to sign in first; itself when not given. */
    formPage?: string
    /** OAuth, and pages that need the candidate's cookie: they live on AUTH_URL. */
    isOnAuthUrl?: boolean
    /** Text without secrets: it may go out compressed. */
    isCompressed?: boolean
    /** A page that calls the API: it lives on BASE_URL, since its policy lets it ask its own origin alone. */
    isOnBaseUrl?: boolean
    /** A page that belongs to a protocol: under the other name it is not found, as everything that programs call. */
    isEndpoint?: boolean
  }
}

export interface ServerOptions {
  /** Tells the servers of one process apart in the metrics. */
  name: 'public' | 'admin'
  log: Logger
  metrics: HttpMetrics
  /** Known for certain only once the server listens, because the port may be any free one. */
  baseUrl(): string
  authUrl(): string
  trustedProxies: string[]
  /** Told once of an address that sends forwarded headers and is no trusted proxy. */
  onUntrustedProxy?: ((address: string) => void) | undefined
  /** Demo mode has published credentials: refuse whatever was not sent from this machine to this machine. */
  isLoopbackOnly: boolean
  auth: Record<Exclude<AuthKind, 'public'>, AuthHook>
  problemWriters: Record<Exclude<ErrorForm, 'problem'>, ProblemWriter>
  viewerOf: Sessions['viewerOf']
  limits: ListenerLimits & {
    jsonBytes: number
    formBytes: number
    formFields: number
    compressLeastBytes: number
  }
}

export interface Server {
  app: FastifyInstance
  /** Resolves with the port. `localhost` means 127.0.0.1 and, where there is one, ::1. */
  listen(host: string, port: number): Promise<number>
  /** Takes no new connections, serves what comes on those that are there, and cuts off what is left in the end. */
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
    answerErrors: server =>
      answerRawErrors(server, {
        baseUrl,
        urlBytes: limits.urlBytes,
        onError: (code, requestId) => log.info({ requestId, code }, 'unreadable request'),
      }),
    onRefused: () => metrics.countRefused(options.name),
  })
  metrics.watchInFlight(options.name, listeners.inFlight)
  const logRequest = createRequestLog(log)
  const isTrustedProxy = addressMatcher(options.trustedProxies)
  // The demo refuses what was forwarded, and says why.
  let isProxyNoticed = options.isLoopbackOnly

  const app = Fastify({
    // Requests are logged below, once, when they have ended; Fastify's own logger would make one per request.
    logger: false,
    // What can be read can be asked about: link checkers and mail scanners do.
    exposeHeadRoutes: true,
    return503OnClosing: false,
    genReqId: requestIdOf,
    trustProxy: options.trustedProxies.length > 0 ? options.trustedProxies : false,
    routerOptions: {
      caseSensitive: false,
      // An identifier of any length is looked at by the route, which answers 404 after it has asked who calls.
      maxParamLength: limits.urlBytes,
      // Read by those who have parameters, each by its own rules.
      querystringParser: () => ({}),
    },
    frameworkErrors: (error, request, reply) => {
      begin(request, reply)
      tell(request, reply, problemOfFrameworkError(error) ?? new Problem('bad-request'))
    },
    // Set on each server below, of which there may be two.
    clientErrorHandler: () => {},
    serverFactory: listeners.first,
  })

  for (const name of [
    'principal',
    'session',
    'profileToken',
    'clientToken',
    'intakeToken',
    'member',
    'sentFields',
  ]) {
    app.decorateRequest(name)
  }
  app.decorate('viewerOf', options.viewerOf)
  const compressText = compressAnswers(limits.compressLeastBytes)
  const servedPaths = new Map<string, ServedPath>()
  readBodies(app, limits)
  app.addHook('onSend', awaitBody)

  // Answers are written by the handlers, and parameters are read by them: the schemas are for the reader.
  app.setSerializerCompiler(() => data => JSON.stringify(data))
  app.setValidatorCompiler(() => () => true)

  app.addHook('onRoute', route => {
    const auth = route.config?.auth
    if (auth === undefined)
      throw new Error(`${route.method} ${route.url} does not declare its authentication`)
    if (auth !== 'public') route.onRequest = options.auth[auth]
    // After it was asked who calls, and before anybody looks for it.
    if (route.url.includes(':')) route.preParsing = [refuseUnwritable, ...[route.preParsing ?? []].flat()]
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
      // Of what is away in a moment, and for everybody, the stack of each request says nothing.
      log.error({ requestId: request.id, err: problem ? reasonOf(problem) : error }, 'request failed')
    }
    return tell(request, reply, problem ?? new Problem('internal'))
  })
  app.setNotFoundHandler(() => {
    throw new Problem('no-such-route')
  })

  await beforeRoutes(app)
  for (const route of routes) app.route(route)

  /** In the form that the reader of this path understands, also where the method was wrong and no route has it. */
  function tell(request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply {
    const { config } = request.routeOptions
    const form =
      config.errors ?? (servedPathOf(request) ?? meantPathOf(request))?.errors ?? formForNobody(request)
    return form === 'problem'
      ? sendProblem(request, reply, problem, baseUrl())
      : options.problemWriters[form](request, reply, problem, problemStatus[problem.code])
  }

  function servedPathOf(request: FastifyRequest, path = pathOf(request)): ServedPath | undefined {
    return [...servedPaths.values()].find(({ pattern }) => pattern.test(path))
  }

  /** What is served without the slash at the end. */
  function meantPathOf(request: FastifyRequest): (ServedPath & { path: string }) | undefined {
    const path = pathOf(request).replace(/(?<=[^/])\/$/, '')
    const served = servedPathOf(request, path)
    return served && { ...served, path }
  }

  /** By which of the two names it is served; undefined: by both. */
  function originOf(config: FastifyContextConfig = {}): (() => string) | undefined {
    const { auth, isOnAuthUrl, isOnBaseUrl } = config
    if (isOnAuthUrl === true) return authUrl
    return isOnBaseUrl === true || auth === 'sws' || auth?.endsWith('-token') ? baseUrl : undefined
  }

  /** Cookies belong to one name, and so do calls of the API. Undefined when it was asked for by its own name. */
  function otherOrigin(request: FastifyRequest): string | undefined {
    const origin = originOf(request.routeOptions.config)?.()
    if (origin === undefined || authUrl() === baseUrl()) return undefined
    const other = origin === authUrl() ? baseUrl() : authUrl()
    return request.host.toLowerCase() === new URL(other).host ? origin : undefined
  }

  /** What every answer carries, and the line in the log and the figures in the metrics when it has ended. */
  function begin(request: FastifyRequest, reply: FastifyReply): void {
    const startedAt = performance.now()
    const response = reply.raw
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    const secureOrigin = `https://${request.host.toLowerCase()}`
    if (secureOrigin === baseUrl() || secureOrigin === authUrl()) reply.header(...strictTransport)
    noticeProxy(request)
    listeners.begin(response, () => report(request, response, performance.now() - startedAt))
  }

  /** Behind a proxy that is not named, every caller has its address: limits by address would hold for all together. */
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
      method,
      // The pattern, not the path: what callers put into paths and queries does not belong into a log.
      route,
      status,
      ms,
      principal: request.principal,
      clientId: (request.profileToken ?? request.clientToken ?? request.intakeToken)?.clientId,
      isCut: !response.writableFinished,
    })
  }

  function refuse(request: FastifyRequest, reply: FastifyReply): Problem | undefined {
    const { url = '', headers, rawHeaders } = request.raw
    if (url.length > limits.urlBytes) {
      return new Problem('uri-too-long', `The URL may have ${limits.urlBytes} bytes.`)
    }
    if (headerBytes(rawHeaders) > limits.headerBytes) {
      return new Problem('headers-too-large', `The headers may have ${limits.headerBytes} bytes together.`)
    }
    const hosts = countHosts(rawHeaders)
    if (hosts > 1 || (hosts === 0 && request.raw.httpVersion === '1.1')) {
      return new Problem('bad-request', 'There must be exactly one Host header.')
    }
    if (options.isLoopbackOnly && !isFromThisMachine(headers, requestTarget(url).authority)) {
      return new Problem('demo-loopback-only')
    }
    if (request.is404) {
      const known = servedPathOf(request)
      if (known === undefined) {
        const meant = meantPathOf(request)
        const address = meant && `${(meant.origin ?? baseUrl)()}${meant.path}`
        return new Problem('no-such-route', address && `The address has no slash at the end: ${address}`)
      }
      reply.header('allow', known.methods.join(', '))
      return new Problem('method-not-allowed')
    }
    return undefined
  }

  return {
    app,
    listen: (host, port) => listeners.listen(app, host, port),
    drain: (times = { graceMs: 0, idleMs: 0 }) => listeners.drain(app, times),
  }
}

/** A year, and for this host alone: what else is under its name is not ours to decide. */
const strictTransport = ['strict-transport-security', 'max-age=31536000'] as const

interface ServedPath {
  pattern: RegExp
  methods: string[]
  errors: ErrorForm
  origin: (() => string) | undefined
}

/** Somebody who opens a page under the other name is sent on. */
const isForPeople = ({ errors, isEndpoint }: FastifyContextConfig) => errors === 'page' && isEndpoint !== true

/** A path that is nobody's: whoever followed a link with a browser would be offered a download of our problem. */
function formForNobody({ headers }: FastifyRequest): ErrorForm {
  return headers.accept?.startsWith('text/html') ? 'page' : 'problem'
}

function pathPattern(url: string): RegExp {
  const literal = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${literal}$`, 'i')
}

function headerBytes(rawHeaders: readonly string[]): number {
  let bytes = 0
  // Each of name and value is followed by two bytes: ": " or the line end.
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

/** No column of text holds NUL, so nothing has a name with it. PostgreSQL would not even look. */
const refuseUnwritable: preParsingHookHandler = ({ params }, _reply, _payload, done) => {
  const isWritable = Object.values(params as Record<string, string>).every(value => !value.includes('\0'))
  done(isWritable ? null : new Problem('not-found'))
}

const pathOf = ({ raw }: FastifyRequest) => requestTarget(raw.url ?? '').path

/** A target may be a whole address, as it is sent to proxies. */
function requestTarget(url: string): { authority: string | undefined; path: string } {
  const [, authority, rest = ''] = /^(?:https?:\/\/([^/?#]*))?([^?#]*)/i.exec(url) ?? []
  let path = rest
  try {
    path = decodeURI(rest)
  } catch {
    // What cannot be decoded is none of our paths.
  }
  return { authority, path }
}

function wasForwarded(headers: IncomingHttpHeaders): boolean {
  return (
    headers['x-forwarded-for'] !== undefined ||
    Object.keys(headers).some(name => name === 'forwarded' || name.startsWith('x-forwarded-'))
  )
}

/** Both say where the caller thinks it is: neither may be anything but this machine. */
function isFromThisMachine(headers: IncomingHttpHeaders, authority: string | undefined): boolean {
  const isLoopback = (host = '') => isLoopbackHost(host.replace(/:\d+$/, ''))
  return isLoopback(headers.host) && isLoopback(authority ?? 'localhost') && !wasForwarded(headers)
}
