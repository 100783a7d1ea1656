import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { within } from '../core/async/within.ts'
import { holdBodies } from './requests/expectations.ts'

export interface ListenerLimits {
  urlBytes: number
  headerBytes: number
  connections: number
  requestsPerConnection: number
  connectionIdleSeconds: number
  keepAliveSeconds: number
  headersArriveSeconds: number
  requestArrivesSeconds: number
}

export interface DrainTimes {
  /** What is under way after this time is cut off. */
  graceMs: number
  /** How long connections without a request may stay and send one more. */
  idleMs: number
}

/** The connections: on which addresses they are taken, how many, how long they may idle, and how they end. */
export function createListeners(deps: {
  limits: ListenerLimits
  answerErrors(server: Server): void
  /** There is no room for another connection. */
  onRefused(): void
}) {
  const { limits, answerErrors, onRefused } = deps
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
        // Node counts the URL into its header limit; 414 and 431 are answered by ourselves, each by its own bound.
        maxHeaderSize: limits.urlBytes + limits.headerBytes + 4096,
        // Node's own answer to a missing Host has none of our headers.
        requireHostHeader: false,
        headersTimeout: limits.headersArriveSeconds * 1000,
        requestTimeout: limits.requestArrivesSeconds * 1000,
        // Node looks for late requests this often: every 30 seconds by default, so 20 seconds could become 50.
        connectionsCheckingInterval: limits.headersArriveSeconds * 50,
        keepAliveTimeout: limits.keepAliveSeconds * 1000,
      },
      handler,
    )
    server.setTimeout(limits.connectionIdleSeconds * 1000)
    server.maxConnections = limits.connections
    // A worker that is full does not hand a connection on: with all of them full it would go round for ever.
    Object.assign(server, { dropMaxConnection: true })
    server.on('drop', onRefused)
    holdBodies(server, handler)
    answerErrors(server)
    servers.push(server)
    return server
  }

  /** Ours to do: Fastify would add it only where the machine's own name service says so. */
  async function listenOnIpv6Loopback(port: number): Promise<void> {
    const second = create(serve)
    try {
      await once(second.listen(port, '::1'), 'listening')
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EADDRNOTAVAIL' && code !== 'EAFNOSUPPORT') throw error
    }
  }

  /** Resolves when its last connection has gone. That of HTTP would close under the hands of those who idle. */
  function stopListening(server: Server): Promise<unknown> {
    return new Promise(resolve => NetServer.prototype.close.call(server, resolve))
  }

  /** Resolves when nothing has been under way for this time. */
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
    /** Whatever still goes on was cut off, and what comes of it is no news. */
    isOver: () => isOver,

    /** Fastify's own; there may be a second one for the other loopback address. */
    first(handler: RequestListener): Server {
      serve = handler
      return create(handler)
    },

    /** From here until it is closed, an answer is under way. */
    begin(response: ServerResponse, onClosed: () => void): void {
      underWay.add(response)
      if (isDraining) onBusy()
      // Node's own bound says so as well, but leaves the connection open and answers the next one with a bare 503.
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
     * No new connections. Whatever comes on those that are there is served, and told that the connection ends with
     * it: a request that meets a connection being closed is a failed request, and only its sender could repeat it.
     */
    async drain(app: FastifyInstance, { graceMs, idleMs }: DrainTimes): Promise<void> {
      isDraining = true
      for (const response of underWay) {
        if (!response.headersSent) response.shouldKeepAlive = false
      }
      const closed = Promise.all(servers.map(stopListening))
      const { quiet, forget } = quietFor(idleMs)
      await within(graceMs, Promise.race([closed, quiet]))
      forget()
      isOver = true
      // Whoever waits for the end of its answer hears of it before the database is closed.
      const { quiet: cut } = quietFor(0)
      for (const server of servers) server.closeAllConnections()
      await Promise.all([closed, cut])
      await app.close()
    },
  }
}

const requests = Symbol('requests')

/** The how-manieth request on its connection this is. */
function countOn(socket: (Socket & { [requests]?: number }) | null): number {
  if (socket === null) return 1
  const count = (socket[requests] ?? 0) + 1
  socket[requests] = count
  return count
}
