import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Problem, platformProblems } from '../core/problems.ts'
import { themeOf } from '../http/responses/theme-cookie.ts'
import { notice } from './components.ts'
import './board.ts'
import { html } from './html.ts'
import { layout, type Navigation, type NavigationLink, type PageContent, type Viewer } from './layout.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The person named in the header of this response. */
    viewerOf(reply: FastifyReply): Viewer | undefined | Promise<Viewer | undefined>
  }
}

export interface PageOptions extends PageContent {
  status?: number
  /**
   * An additional target for forms on the page. Browsers apply the policy to redirects that follow a form, so a page
   * whose form redirects to a client must name the client.
   */
  formTarget?: string | undefined
  /** Whether the page previews files, which needs a worker or a sandboxed frame. */
  hasPreview?: boolean
}

/** Sends a page that allows only our own scripts and resources, cannot be framed, and is not stored. */
export function sendPage(
  reply: FastifyReply,
  { status = 200, formTarget, hasPreview = false, ...content }: PageOptions,
): FastifyReply {
  // Only our own scripts and requests to our own origin; no inline scripts.
  const scripts = `script-src 'self'; connect-src 'self';${hasPreview ? " worker-src 'self'; frame-src 'self';" : ''}`
  const formAction = ["'self'", ...(formTarget === undefined ? [] : formTargets(formTarget))].join(' ')
  reply.status(status).headers({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'content-security-policy': `default-src 'none'; ${scripts} style-src 'self'; img-src 'self'; font-src 'self'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
  })
  // The look-up would probably fail again.
  const viewer = status >= 500 ? undefined : reply.server.viewerOf(reply)
  const { request } = reply
  // Some addresses that show an error cannot be opened again.
  const path = status < 400 ? request.url : '/'
  const frame = { board: reply.server.board, theme: themeOf(request), path }
  if (!(viewer instanceof Promise)) return reply.send(layout(content, { ...frame, viewer }))
  viewer.then(known => reply.send(layout(content, { ...frame, viewer: known })))
  return reply
}

/** 303, so that the next request is a GET whatever the method was. */
export function redirect(reply: FastifyReply, location: string): FastifyReply {
  return reply
    .status(303)
    .headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .send()
}

/** For signed-in people: the navigation of their current area, and links besides the home page. */
export interface ProblemPageWays {
  navigation?: Navigation
  ways?: readonly NavigationLink[]
}

/** Shows a problem as a page. */
export function sendProblemPage(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  { navigation, ways = [] }: ProblemPageWays = {},
): FastifyReply {
  const { status, retryAfterSeconds } = problem
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  const { title, text } = wordsFor(problem)
  const isMissing = status === 404
  const links = [...ways, ...(isMissing ? [reply.server.board.suggestedPage] : []), home]
  return sendPage(reply, {
    status,
    title,
    ...(navigation === undefined ? {} : { navigation }),
    body: html`${isMissing ? html`<p>${text}</p>` : notice('problem', text)}
${links.map(({ path, label }) => html`<p><a href="${path}">${label}</a></p>`)}
${!isMissing && html`<p class="quiet">Reference for support: <code>${request.id}</code></p>`}`,
  })
}

const home: NavigationLink = { path: '/', label: 'Go to the home page' }

/** Replaces texts about paths and identifiers, which are meant for API callers. */
function wordsFor({ code, title, detail }: Problem): { title: string; text: string } {
  if (code === 'bad-request') return { title: 'We couldn’t do that', text: detail }
  // Happens when a person reloads a form's response, or opens it from the browser's history.
  if (code === 'method-not-allowed')
    return {
      title: 'We couldn’t do that',
      text: 'This step can’t be opened by its address. Go back to the form before it, or start over.',
    }
  if (code !== 'not-found' && code !== 'no-such-route') return { title, text: detail }
  const common =
    code === 'not-found'
      ? 'This page doesn’t exist, or you don’t have access to it.'
      : 'We couldn’t find that page. The link may be out of date, or there may be a typo in it.'
  return { title: 'Page not found', text: detail === platformProblems[code].help ? common : detail }
}

/**
 * The client's own origin, and any origin to which its callback may redirect: browsers check every redirect that
 * follows the form, and many callbacks end on a customer's careers page.
 */
function formTargets(url: string): string[] {
  const { protocol, origin, hostname } = new URL(url)
  // The policy's grammar has no IPv6 addresses.
  const own = hostname.startsWith('[') ? [] : [origin]
  return protocol === 'https:' ? [...own, 'https:'] : [...own, 'https:', 'http:']
}
