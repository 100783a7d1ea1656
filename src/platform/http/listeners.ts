import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { withTimeout } from '../core/async/with-timeout.ts'
import { createServer } from './node-http.ts'
import { holdBodies } from './requests/expectations.ts'

/**
 * Limit: A connection without traffic in either direction during a response is closed after this time, so that stalled
 * readers do not hold slots forever.
 */
const connectionIdleSeconds = 60
/**
 * Limit: How long idle connections stay open: longer than the 60 seconds common in proxies, so that the proxy closes
 * first.
 */
const keepAliveSeconds = 72
/** Limit: Time for the request line and headers to arrive: prevents slow-loris attacks. */
const headersArriveSeconds = 20
/** Limit: Time for a whole request to arrive: 10 MiB over a slow mobile connection. */
const requestArrivesSeconds = 300

export interface ListenerLimits {
  urlBytes: number
  headerBytes: number
  connections: number
  requestsPerConnection: number
}

export interface DrainTimes {
  /** Requests still running after this time are aborted. */
  graceMs: number
  /** How long idle connections may stay open and send another request. */
  idleMs: number
}

/** Manages connections: where they are accepted, how many, how long they may idle, and how they end. */
export function createListeners(deps: {
  limits: ListenerLimits
  headersMs?: number
  answerErrors(server: Server): void
  /** Called when a connection is refused because there are too many. */
  onRefused(): void
}) {
  const { limits, headersMs = headersArriveSeconds * 1000, answerErrors, onRefused } = deps
  const servers: Server[] = []
  const underWay = new Set<ServerResponse>()
  let isDraining = false
  let isOver = false
  let serve: RequestListener = () => {}
  let onBusy = () => {}
  let onQuiet = () => {}

  function create(handler: RequestListener): Server {
    const server = createServer(
      {
        // Node counts the URL towards its header limit; we answer 414 and 431 ourselves, with separate bounds.
        maxHeaderSize: limits.urlBytes + limits.headerBytes + 4096,
        // Node's own response to a missing Host lacks our headers.
        requireHostHeader: false,
        headersTimeout: headersMs,
        requestTimeout: requestArrivesSeconds * 1000,
        // How often Node checks for late requests: by default every 30 seconds, so 20 seconds could become 50.
        connectionsCheckingInterval: headersMs / 20,
        keepAliveTimeout: keepAliveSeconds * 1000,
      },
      handler,
    )
    server.setTimeout(connectionIdleSeconds * 1000)
    server.maxConnections = limits.connections
    // The total size of headers is limited, not their number: Node would refuse more than a thousand, however short.
    server.maxHeadersCount = 0
    // A full worker drops the connection instead of passing it on: if all were full, the connection would circulate
    // forever.
    Object.assign(server, { dropMaxConnection: true })
    server.on('drop', onRefused)
    holdBodies(server, handler)
    answerErrors(server)
    servers.push(server)
    return server
  }

  /** Listens on ::1 here, because Fastify does so only if the machine's name resolution includes it. */
  async function listenOnIpv6Loopback(port: number): Promise<void> {
    const second = create(serve)
    try {
      await once(second.listen(port, '::1'), 'listening')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // A machine without IPv6 serves 127.0.0.1 only.
      if (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT') throw error
    }
  }

  /** Resolves when the last connection has closed. Uses net's close, because HTTP's would end idle connections. */
  function stopListening(server: Server): Promise<unknown> {
    return new Promise(resolve => NetServer.prototype.close.call(server, resolve))
  }

  /** Resolves once no request has been running for this time. */
  function quietFor(ms: number): { quiet: Promise<void>; forget(): void } {
    const { promise: quiet, resolve } = Promise.withResolvers<void>()
    let timer: NodeJS.Timeout | undefined
    const forget = () => clearTimeout(timer)
    onBusy = forget
    onQuiet = () => {
      timer = setTimeout(resolve, ms)
    }
    if (underWay.size === 0) onQuiet()
    return { quiet, forget }
  }

  return {
    inFlight: () => underWay.size,
    /** True once the remaining requests are aborted; their errors are not worth logging. */
    isOver: () => isOver,

    /** Fastify's server; a second one may serve the other loopback address. */
    first(handler: RequestListener): Server {
      serve = handler
      return create(handler)
    },

    /** Counts the response as running until it closes. */
    begin(response: ServerResponse, onClosed: () => void): void {
      underWay.add(response)
      if (isDraining) onBusy()
      // Node's own limit also sends this, but leaves the connection open and answers the next request with a bare 503.
      if (isDraining || countOn(response.socket) >= limits.requestsPerConnection) {
        response.shouldKeepAlive = false
      }
      response.on('close', () => {
        underWay.delete(response)
        if (underWay.size === 0) onQuiet()
        onClosed()
      })
    },

    async listen(app: FastifyInstance, host: string, port: number): Promise<number> {
      await app.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port })
      const actual = (app.server.address() as { port: number }).port
      if (host === 'localhost') await listenOnIpv6Loopback(actual)
      return actual
    },

    /**
     * Accepts no new connections. Requests on existing ones are still served, with "Connection: close": a request that
     * meets a closing connection fails, and only its sender could repeat it.
     */
    async drain(app: FastifyInstance, { graceMs, idleMs }: DrainTimes): Promise<void> {
      isDraining = true
      for (const response of underWay) {
        if (!response.headersSent) response.shouldKeepAlive = false
      }
      const closed = Promise.all(servers.map(stopListening))
      const { quiet, forget } = quietFor(idleMs)
      await withTimeout(graceMs, Promise.race([closed, quiet]))
      forget()
      isOver = true
      // Close events of aborted responses run before the database is closed.
      const { quiet: cut } = quietFor(0)
      for (const server of servers) server.closeAllConnections()
      await Promise.all([closed, cut])
      await app.close()
    },
  }
}

const requests = Symbol('requests')

/** Number of this request on its connection, counted from 1. */
function countOn(socket: (Socket & { [requests]?: number }) | null): number {
  if (socket === null) return 1
  const count = (socket[requests] ?? 0) + 1
  socket[requests] = count
  return count
}
