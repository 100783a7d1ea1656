import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from '../core/problems.ts'
import { problems } from '../core/problems.ts'
import { notice } from './components.ts'
import { html } from './html.ts'
import { layout, type Navigation, type NavigationLink, type PageContent, type Viewer } from './layout.ts'
import { problemPageTexts as texts } from './problem-page-texts.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Whom the header of this answer names. */
    viewerOf(reply: FastifyReply): Viewer | undefined | Promise<Viewer | undefined>
  }
}

export interface PageOptions extends PageContent {
  status?: number
  /**
   * Where a form of the page may end up, beside here: browsers apply the policy to the redirects that follow
   * a form, so the page before a redirect to a client has to name the client.
   */
  formTarget?: string | undefined
  /** It shows a file: drawn by a worker, or in a frame that may do nothing. */
  hasPreview?: boolean
}

/** Every page: no script but ours, nobody's frame, nothing from elsewhere, nothing kept. */
export function sendPage(
  reply: FastifyReply,
  { status = 200, formTarget, hasPreview = false, ...content }: PageOptions,
): FastifyReply {
  // Scripts and what they ask for are ours alone; none is written into a page.
  const scripts = `script-src 'self'; connect-src 'self';${hasPreview ? " worker-src 'self'; frame-src 'self';" : ''}`
  const formAction = ["'self'", ...(formTarget === undefined ? [] : formTargets(formTarget))].join(' ')
  reply.status(status).headers({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'content-security-policy': `default-src 'none'; ${scripts} style-src 'self'; img-src 'self'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
  })
  // What has failed would most likely fail again.
  const viewer = status >= 500 ? undefined : reply.server.viewerOf(reply)
  if (!(viewer instanceof Promise)) return reply.send(layout(content, viewer))
  viewer.then(known => reply.send(layout(content, known)))
  return reply
}

/** 303: whatever the method was, the next request is a GET. */
export function redirect(reply: FastifyReply, location: string): FastifyReply {
  return reply
    .status(303)
    .headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .send()
}

/** For somebody whom we know: the header of where they are, and where to go from here, beside the start page. */
export interface ProblemPageWays {
  navigation?: Navigation
  ways?: readonly NavigationLink[]
}

/** A problem, told to a person. */
export function sendProblemPage(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  status: number,
  { navigation, ways = [] }: ProblemPageWays = {},
): FastifyReply {
  if (problem.retryAfterSeconds !== undefined) reply.header('retry-after', String(problem.retryAfterSeconds))
  const { title, text } = wordsFor(problem)
  const isMissing = status === 404
  const links = [...ways, ...(isMissing ? [{ path: '/jobs', label: texts.jobs }] : []), home]
  return sendPage(reply, {
    status,
    title,
    ...(navigation === undefined ? {} : { navigation }),
    body: html`${isMissing ? html`<p>${text}</p>` : notice('problem', text)}
${links.map(({ path, label }) => html`<p><a href="${path}">${label}</a></p>`)}
${!isMissing && html`<p class="quiet">${texts.forHelp(request.id)}</p>`}`,
  })
}

const home: NavigationLink = { path: '/', label: texts.home }

/** What programs are told about paths and identifiers says nothing to people. */
function wordsFor({ code, detail }: Problem): { title: string; text: string } {
  const { title, help } = problems[code]
  const text = detail === title ? help : detail
  if (code !== 'not-found' && code !== 'no-such-route') return { title, text }
  const common = code === 'not-found' ? texts.notYours : texts.noSuchPage
  return { title: texts.notFound, text: text === help ? common : text }
}

/**
 * The client's own origin, and where its callback may lead on to: browsers hold the policy against every
 * redirect that follows the form, and many callbacks end on the careers page of a customer.
 */
function formTargets(url: string): string[] {
  const { protocol, origin, hostname } = new URL(url)
  // The policy's grammar has no IPv6 addresses.
  const own = hostname.startsWith('[') ? [] : [origin]
  return protocol === 'https:' ? [...own, 'https:'] : [...own, 'https:', 'http:']
}
