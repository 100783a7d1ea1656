import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AgentMember, AgentRole, ConsoleMember, Role } from '../../model/principal.ts'
import { BoardProblem } from '../../model/problems.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import { setCaller } from '../../platform/http/auth/callers.ts'
import { sendToEnrolment } from '../../platform/http/auth/enrolment.ts'
import { pathId } from '../../platform/http/routes.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** With `auth: 'console'`: the minimum role. */
    role?: Role
    /** With `auth: 'console'`: open also to people whom the company asks for a second factor first. */
    isForLeaving?: boolean
    /** With `auth: 'agent'`: the minimum role. */
    agentRole?: AgentRole
  }
}

/** The text for a company's people; the catalogue's text addresses API callers. */
const onHold =
  'This account is on hold. No data is lost: ask the people who run this service to activate it again.'

/**
 * Protects the pages of an advertiser, `/console/:advertiserId/...`: only its signed-in members have access. For everyone
 * else the advertiser does not exist.
 */
export function createConsoleAuth(deps: {
  /** Undefined if this has already answered the request. */
  session(request: FastifyRequest, reply: FastifyReply): Promise<SessionOwner | undefined>
  find(
    advertiserId: number,
    candidateId: string,
  ): Promise<(ConsoleMember & { status: 'active' | 'hold' }) | undefined>
  /** Where this person must add a second factor first; undefined if the session has one. */
  enrolmentOf(owner: SessionOwner): string | undefined
}) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const owner = await deps.session(request, reply)
    if (owner === undefined) return
    const { advertiserId } = request.params as { advertiserId: string }
    const member = await deps.find(pathId(advertiserId), owner.candidateId)
    if (member === undefined) throw new Problem('not-found')
    if (member.status === 'hold') throw new BoardProblem('advertiser-on-hold', onHold)
    const { isForLeaving = false } = request.routeOptions.config
    const enrolment = member.requiresFactor && !isForLeaving ? deps.enrolmentOf(owner) : undefined
    if (enrolment !== undefined) return sendToEnrolment(request, reply, enrolment)
    // Set before the check below, because its error page also has the advertiser's header.
    setCaller(request, { ...owner, ...member })
    if (request.routeOptions.config.role === 'admin' && member.role !== 'admin') {
      throw new BoardProblem('admins-only')
    }
  }
}

/** Protects the pages of an agent, `/agent/:agentId/...`, in the same way. */
export function createAgentAuth(deps: {
  session(request: FastifyRequest, reply: FastifyReply): Promise<SessionOwner | undefined>
  find(agentId: number, candidateId: string): Promise<AgentMember | undefined>
}) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const owner = await deps.session(request, reply)
    if (owner === undefined) return
    const { agentId } = request.params as { agentId: string }
    const member = await deps.find(pathId(agentId), owner.candidateId)
    if (member === undefined) throw new Problem('not-found')
    setCaller(request, { ...owner, ...member })
    if (request.routeOptions.config.agentRole === 'admin' && member.role !== 'admin')
      throw new BoardProblem('admins-only')
  }
}
