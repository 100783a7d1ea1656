import { describeCallers } from '../companies/callers/board-callers.ts'
import { plainBoard } from '../platform/core/brand/board.ts'
import { systemClock } from '../platform/core/clock.ts'
import type { Figures } from '../platform/http/observed/metrics.ts'
import { createServer, type ProblemWriter, type Server, type ServerOptions } from '../platform/http/server.ts'
import { metricsRoute } from '../platform/http/service-routes.ts'
import type { Config } from '../settings.ts'
import { boardPages } from '../site/board-markup.ts'
import type { PublicServerOptions } from './web.ts'

const noCaller = async () => {
  throw new Error('the admin port has public routes only')
}

type AdminServerOptions = Pick<PublicServerOptions, 'log' | 'metrics' | 'baseUrl' | 'authUrl'>

/** Serves the metrics. A supervisor uses it too, and loads nothing of the public server. */
export function createAdminServer(
  config: Config,
  options: AdminServerOptions,
  figures: Figures = options.metrics.registry,
): Promise<Server> {
  const ofClients = {
    'client-token': noCaller,
    'intake-token': noCaller,
    'progress-token': noCaller,
    'webhook-token': noCaller,
    'agent-token': noCaller,
  }
  const auth = {
    ...ofClients,
    'profile-token': noCaller,
    sws: noCaller,
    session: noCaller,
    console: noCaller,
    operator: noCaller,
    agent: noCaller,
  }
  const settings = serverOptions(config, { ...options, isDemo: false }, auth)
  // A page would link to pages that this port does not serve.
  const writeText: ProblemWriter = (_request, reply, { status, title, detail }) =>
    reply
      .status(status)
      .header('cache-control', 'no-store')
      .type('text/plain; charset=utf-8')
      .send(`${title}\n${detail}\n`)
  return createServer(
    {
      ...settings,
      problemWriters: { page: writeText, oauth: writeText },
      viewerOf: () => undefined,
      board: { ...plainBoard, ...boardPages },
      clock: systemClock,
      name: 'admin',
    },
    [metricsRoute(figures)],
  )
}

/** Options that both servers share. */
export function serverOptions(
  config: Config,
  { log, metrics, baseUrl, authUrl, isDemo }: AdminServerOptions & Pick<PublicServerOptions, 'isDemo'>,
  auth: ServerOptions['auth'],
): Omit<ServerOptions, 'name' | 'viewerOf' | 'board' | 'clock' | 'problemWriters'> {
  return {
    log,
    metrics,
    baseUrl,
    authUrl,
    auth,
    callers: describeCallers,
    trustedProxies: config.TRUSTED_PROXIES,
    isLoopbackOnly: isDemo,
    limits: config.limits,
  }
}
