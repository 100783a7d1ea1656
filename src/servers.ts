import type { Services } from './app.ts'
import { serverOptions } from './assembly/admin-server.ts'
import { advertiserRoutes } from './assembly/advertisers.ts'
import { applyRoutes } from './assembly/apply.ts'
import { callerAuth } from './assembly/callers.ts'
import { readinessChecks, readinessWarnings } from './assembly/checks/readiness.ts'
import { collectRoutes } from './assembly/collect.ts'
import { consoleRoutes } from './assembly/console-pages.ts'
import { demoRoutes } from './assembly/demo.ts'
import { eventRoutes } from './assembly/events.ts'
import { jobModuleRoutes } from './assembly/jobs.ts'
import { operatorRoutes } from './assembly/operator/pages.ts'
import { peopleRoutes } from './assembly/people.ts'
import { shareRoutes } from './assembly/share.ts'
import { siteRoutes } from './assembly/site.ts'
import { openWeb, type PublicServerOptions } from './assembly/web.ts'
import type { Config } from './config.ts'
import { consoleWays } from './console/navigation-markup.ts'
import { webhookRoutes } from './events/webhooks/routes.ts'
import { principalOf } from './http/auth/callers.ts'
import { type HeldFormLimits, heldFormOf } from './http/auth/held-form.ts'
import { FormExpired, type Sessions } from './http/auth/sessions.ts'
import { createServer, type ProblemWriter, type Server } from './http/server.ts'
import { serviceRoutes } from './http/service-routes.ts'
import { operatorWays } from './operator/navigation-markup.ts'
import { freshProof } from './people/account/proof-pages.ts'
import { sendOAuthProblem } from './share/authorize/routes.ts'
import { sendHeldForm } from './web/held-form.ts'
import { sendProblemPage } from './web/page-response.ts'

/** The public HTTP server, with the routes of every module. `assembly/admin-server.ts` has the other one. */

export async function createPublicServer(
  config: Config,
  services: Services,
  options: PublicServerOptions,
): Promise<Server> {
  const { limits } = config
  const { replica } = services.database
  if (replica !== undefined) options.metrics.watchReplica(replica.counts)
  options.metrics.watchEvents({
    waiters: services.waiting.count,
    hints: () => ({ ...services.hints.counts(), look: services.waiting.foundByLooks() }),
    written: services.hints.written,
  })
  services.openOutlet(options)
  services.openWebhookOutlet(options)
  const web = openWeb(services, services, options, services.mailer())
  const settings = serverOptions(config, options, callerAuth(services, web))
  const problemWriters = { page: problemPages(web.sessions, limits), oauth: sendOAuthProblem }
  const checks = serviceRoutes({
    checks: readinessChecks(services),
    warnings: () => readinessWarnings(services, config),
    isStopping: options.isStopping ?? (() => false),
    log: options.log,
    retryAfterSeconds: limits.retryAfterSeconds,
  })
  return createServer(
    {
      ...settings,
      problemWriters,
      freshProof: freshProof({ ...services, ...web }),
      viewerOf: web.sessions.viewerOf,
      board: web.board,
      clock: services.clock,
      name: 'public',
      onUntrustedProxy: options.onUntrustedProxy,
      onProblem(request, code) {
        const principal = principalOf(request)
        if (principal !== undefined) services.agentCalls.countRefusal(principal, code)
      },
      onDrain: services.waiting.close,
    },
    [
      ...(await siteRoutes(services, web)),
      ...checks,
      ...shareRoutes(services, web),
      ...applyRoutes(services, web),
      ...collectRoutes(services, web),
      ...eventRoutes(services, web, options.metrics.observeWake),
      ...webhookRoutes(services.webhooks, options.baseUrl),
      ...advertiserRoutes(services),
      ...jobModuleRoutes(services, web),
      ...peopleRoutes(services, web),
      ...consoleRoutes(services, web),
      ...operatorRoutes(services, web),
      ...(options.isDemo ? await demoRoutes(services, web) : []),
    ],
    options.beforeRoutes,
  )
}

/** Offers a form whose token was rejected again, with its contents; shows any other problem as a page. */
function problemPages(sessions: Sessions, limits: HeldFormLimits): ProblemWriter {
  return (request, reply, problem, status) => {
    const held = problem instanceof FormExpired ? heldFormOf(request, limits) : undefined
    if (held === undefined) {
      return sendProblemPage(request, reply, problem, status, operatorWays(request) ?? consoleWays(request))
    }
    const token = sessions.heldToken(reply, held.action)
    return sendHeldForm(reply, { held, token, status })
  }
}
