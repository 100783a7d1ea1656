import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Type } from 'typebox'
import type { DemoDoors } from '../../demo/ports.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { contentResponse, problemResponses } from '../../http/documents.ts'
import { prefersHtml } from '../../http/requests/negotiation.ts'
import { redirect, sendPage } from '../../web/page-response.ts'
import { homeMarkup } from './markup.ts'
import { homeTexts as texts } from './texts.ts'

export interface HomeDeps {
  sessions: Sessions
  demo: DemoDoors | undefined
  canSignUp: boolean
  baseUrl(): string
  authUrl(): string
  /** What programs get, and people who ask with one. */
  welcome(): string
}

/** The front door: a page for browsers, a short text for everything else. */
export function homeRoutes(deps: HomeDeps): RouteOptions[] {
  const { sessions, demo, canSignUp } = deps

  return [
    {
      method: 'GET',
      url: '/',
      config: { auth: 'public' },
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
      async handler(request, reply) {
        reply.header('vary', 'Accept')
        if (!prefersHtml(request.headers.accept)) {
          return reply.header('content-type', 'text/plain; charset=utf-8').send(deps.welcome())
        }
        return isElsewhere(request) ? redirect(reply, `${deps.authUrl()}/`) : sendHome(request, reply)
      },
    },
  ]

  /** Who is signed in is known under AUTH_URL alone; programs get their text under any name. */
  function isElsewhere(request: FastifyRequest): boolean {
    const base = deps.baseUrl()
    return base !== deps.authUrl() && request.host === new URL(base).host
  }

  async function sendHome(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const session = await sessions.of(request)
    // The header need not ask again.
    if (session !== undefined) request.session = session
    return sendPage(reply, {
      title: texts.title,
      isWide: true,
      body: homeMarkup({
        isSignedIn: session !== undefined,
        canSignUp,
        demo,
        signInToken: demo === undefined ? '' : sessions.formToken(request, reply, '/sign-in'),
      }),
    })
  }
}
