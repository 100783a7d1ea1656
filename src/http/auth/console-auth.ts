import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseNumericId } from '../../core/ids.ts'
import { Problem } from '../../core/problems.ts'
import type { ConsoleMember, Role } from '../../model/principal.ts'
import type { AuthHook } from '../server.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes that declare `auth: 'console'`. */
    member: ConsoleMember
  }
  interface FastifyContextConfig {
    /** With `auth: 'console'`: the minimum role. */
    role?: Role
  }
}

/** For people of the company; the text of the catalogue addresses API callers. */
const onHold =
  'This account is on hold. No data is lost: ask the people who run this service to activate it again.'

/**
 * Protects the pages of an advertiser, `/console/:advertiserId/...`: only its signed-in members have access. For everyone
 * else the advertiser does not exist.
 */
export function createConsoleAuth(deps: {
  session: AuthHook
  find(
    advertiserId: number,
    candidateId: string,
  ): Promise<(ConsoleMember & { status: 'active' | 'hold' }) | undefined>
}): AuthHook {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const answer = await deps.session(request, reply)
    if (reply.sent) return answer
    const advertiserId = parseNumericId((request.params as { advertiserId: string }).advertiserId)
    const member =
      advertiserId === undefined ? undefined : await deps.find(advertiserId, request.session.candidateId)
    if (member === undefined) throw new Problem('not-found')
    if (member.status === 'hold') throw new Problem('advertiser-on-hold', onHold)
    // Set before the check below, because its error page also has the advertiser's header.
    request.member = member
    if (request.routeOptions.config.role === 'admin' && member.role !== 'admin') {
      throw new Problem('admins-only')
    }
    return undefined
  }
}
