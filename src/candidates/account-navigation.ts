import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Sessions } from '../http/sessions.ts'
import type { Navigation } from '../web/layout.ts'

/** The header of every page of somebody who is signed in. */
export function accountNavigation(
  sessions: Sessions,
  request: FastifyRequest,
  reply: FastifyReply,
  current: string,
): Navigation {
  const { firstName, email } = request.session
  return {
    account: firstName === '' ? email : firstName,
    current,
    signOutToken: sessions.formToken(request, reply, '/sign-out'),
  }
}
