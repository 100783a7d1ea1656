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
    /** With `auth: 'console'`: who may see it at least. */
    role?: Role
  }
}

/** The catalogue speaks to whoever has a credential. */
const onHold =
  'This advertiser is on hold at present. Nothing is lost: its pages open again when whoever runs this service takes it off hold.'

/**
 * Pages of an advertiser, `/console/:advertiserId/...`: for whoever is signed in and works for it. An advertiser of
 * somebody else does not exist.
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
    // Before the refusal, whose page has the advertiser's header, too.
    request.member = member
    if (request.routeOptions.config.role === 'admin' && member.role !== 'admin') {
      throw new Problem('admins-only')
    }
    return undefined
  }
}
