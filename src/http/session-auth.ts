import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions } from './sessions.ts'

/** Pages of somebody who is signed in; anybody else is asked to sign in first, and comes back. */
export function createSessionAuth(sessions: Sessions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const session = await sessions.of(request)
    if (session !== undefined) {
      request.session = session
      return
    }
    // What was being sent is lost with the session; the page that it came from can at least be shown again.
    const { formPage = request.url.replace(/\?.*$/s, '') } = request.routeOptions.config
    const page = request.method === 'GET' ? request.url : formPage
    return reply
      .status(303)
      .headers({ location: `/sign-in?continue=${encodeURIComponent(page)}`, 'cache-control': 'no-store' })
      .send()
  }
}
