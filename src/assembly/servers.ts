import { principalOf } from '../companies/callers/board-callers.ts'
import { consoleWays } from '../console/navigation-markup.ts'
import { webhookRoutes } from '../events/webhooks/routes.ts'
import { problems } from '../model/problems.ts'
import { readinessChecks, readinessWarnings } from '../operator/checks/readiness-checks.ts'
import { operatorWays } from '../operator/navigation-markup.ts'
import { freshProof } from '../people/account/proof-pages.ts'
import { retryAfterSeconds } from '../platform/core/problems.ts'
import { heldFormOf } from '../platform/http/auth/held-form.ts'
import { FormExpired, type Sessions } from '../platform/http/auth/sessions.ts'
import { createServer, type ProblemWriter, type Server } from '../platform/http/server.ts'
import { serviceRoutes } from '../platform/http/service-routes.ts'
import { sendHeldForm } from '../platform/web/held-form.ts'
import { sendProblemPage } from '../platform/web/page-response.ts'
import type { Config } from '../settings.ts'
import { sendOAuthProblem } from '../share/authorize/routes.ts'
import { serverOptions } from './admin-server.ts'
import type { App } from './app.ts'
import { applyRoutes } from './apply.ts'
import { callerAuth } from './callers.ts'
import { collectRoutes } from './collect.ts'
import { companyRoutes } from './companies.ts'
import { consoleRoutes } from './console-pages.ts'
import { demoRoutes } from './demo.ts'
import { eventRoutes } from './events.ts'
import { jobModuleRoutes } from './jobs.ts'
import { operatorRoutes } from './operator-pages.ts'
import { peopleRoutes } from './people.ts'
import { shareRoutes } from './share.ts'
import { siteRoutes } from './site.ts'
import { openWeb, type PublicServerOptions } from './web.ts'

/** The public HTTP server, with the routes of all modules. `assembly/admin-server.ts` has the other server. */

export async function createPublicServer(
  config: Config,
  app: App,
  options: PublicServerOptions,
): Promise<Server> {
  const { platform, companies, jobs, accounts, people, mail, share, apply, collect, events, webhooks } = app
  const { replica } = platform.database
  if (replica !== undefined) options.metrics.watchReplica(replica.counts)
  options.metrics.watchEvents({
    waiters: events.waiting.count,
    hints: () => ({ ...platform.hints.counts(), look: events.waiting.foundByLooks() }),
    written: platform.hints.written,
  })
  mail.openOutlet(options)
  webhooks.openWebhookOutlet(options)
  const web = openWeb(platform, accounts, options, mail.mailer())
  const settings = serverOptions(config, options, callerAuth(share, companies, accounts, web))
  const problemWriters = { page: problemPages(web.sessions), oauth: sendOAuthProblem }
  const checks = serviceRoutes({
    problems,
    checks: readinessChecks(app),
    warnings: () => readinessWarnings(app, config),
    isStopping: options.isStopping ?? (() => false),
    log: options.log,
    retryAfterSeconds,
  })
  return createServer(
    {
      ...settings,
      problemWriters,
      freshProof: freshProof({ ...accounts, ...web }),
      viewerOf: web.sessions.viewerOf,
      board: web.board,
      clock: platform.clock,
      name: 'public',
      onUntrustedProxy: options.onUntrustedProxy,
      onProblem(request, code) {
        const principal = principalOf(request)
        if (principal !== undefined) companies.agentCalls.countRefusal(principal, code)
      },
      onDrain: events.waiting.close,
    },
    [
      ...(await siteRoutes(app, web)),
      ...checks,
      ...shareRoutes(share, web),
      ...applyRoutes(apply, web),
      ...collectRoutes(collect, web),
      ...eventRoutes(events, collect, share, companies, web, options.metrics.observeWake),
      ...webhookRoutes(webhooks.webhooks, options.baseUrl),
      ...companyRoutes(companies, web),
      ...jobModuleRoutes(jobs, companies, apply, web),
      ...peopleRoutes(accounts, people, share, apply, mail, web),
      ...consoleRoutes(app, web),
      ...operatorRoutes(app, web),
      ...(options.isDemo ? await demoRoutes(app.demo, web) : []),
    ],
    options.beforeRoutes,
  )
}

/** Shows a form whose token was rejected again, with its contents; shows any other problem as a page. */
function problemPages(sessions: Sessions): ProblemWriter {
  return (request, reply, problem) => {
    const held = problem instanceof FormExpired ? heldFormOf(request) : undefined
    if (held === undefined) {
      return sendProblemPage(request, reply, problem, operatorWays(request) ?? consoleWays(request))
    }
    const token = sessions.heldToken(reply, held.action)
    return sendHeldForm(reply, { held, token, status: problem.status })
  }
}
