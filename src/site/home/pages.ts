import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { Type } from '../../core/input/json-schema.ts'
import type { DemoDoors } from '../../demo/ports.ts'
import { setCaller } from '../../http/auth/callers.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { contentResponse, problemResponses } from '../../http/documents.ts'
import { prefersHtml } from '../../http/requests/negotiation.ts'
import { route } from '../../http/routes.ts'
import type { JobBoard } from '../../jobs/ports.ts'
import type { Limits } from '../../limits.ts'
import { dayOf } from '../../model/job-ad.ts'
import { boardName } from '../../web/board.ts'
import { html } from '../../web/html.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { homeMarkup, type JobParts } from './markup.ts'
import { homeTexts as texts } from './texts.ts'

export interface HomeDeps {
  sessions: Sessions
  demo: DemoDoors | undefined
  jobs: JobBoard
  /** Whether there is no company yet. */
  isNew(): Promise<boolean>
  parts: JobParts
  clock: Clock
  limits: Pick<Limits, 'homeJobs' | 'homeCompanies'>
  baseUrl(): string
  authUrl(): string
  /** Plain text for clients other than browsers. */
  welcome(): string
}

/** The front page: HTML for browsers, a short text for other clients. */
export function homeRoutes(deps: HomeDeps): RouteOptions[] {
  const { sessions, demo, jobs, parts, clock, limits } = deps

  return [
    route({
      method: 'GET',
      url: '/',
      auth: 'public',
      schema: {
        summary: 'Where to look',
        operationId: 'welcome',
        tags: ['Service'],
        response: {
          200: contentResponse('A short text, or a page for browsers.', {
            'text/plain': Type.String(),
            'text/html': Type.String(),
          }),
          ...problemResponses([]),
        },
      },
      async handle({ request, reply }) {
        reply.header('vary', 'Accept')
        if (!prefersHtml(request.headers.accept)) {
          return reply.header('content-type', 'text/plain; charset=utf-8').send(deps.welcome())
        }
        return isElsewhere(request) ? redirect(reply, `${deps.authUrl()}/`) : sendHome(reply)
      },
    }),
  ]

  /** Sessions exist only on AUTH_URL, so browsers are sent there; other clients get their text on any host. */
  function isElsewhere(request: FastifyRequest): boolean {
    const base = deps.baseUrl()
    return base !== deps.authUrl() && request.host === new URL(base).host
  }

  async function sendHome(reply: FastifyReply): Promise<FastifyReply> {
    const session = await sessions.of(reply.request)
    // Saves the page header a second lookup.
    if (session !== undefined) setCaller(reply.request, session)
    const now = clock()
    const today = dayOf(now)
    const [ads, companies] = await Promise.all([
      jobs.listOpen(Number.MAX_SAFE_INTEGER, limits.homeJobs, { today }),
      jobs.companies(limits.homeCompanies, { today }),
    ])
    return sendPage(reply, {
      title: texts.title,
      isWide: true,
      heading: html``,
      body: homeMarkup({
        isNew: ads.length === 0 && (await deps.isNew()),
        ...{ ads, companies, now, demo, parts, board: boardName(reply), email: session?.email },
        signInToken: demo === undefined ? '' : sessions.browserToken(reply, '/sign-in'),
      }),
    })
  }
}
