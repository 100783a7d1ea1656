import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OperatorRole } from '../../model/principal.ts'
import { BoardProblem } from '../../model/problems.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import { setCaller } from '../../platform/http/auth/callers.ts'
import { sendToEnrolment } from '../../platform/http/auth/enrolment.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** With `auth: 'operator'`: the minimum role. */
    operatorRole?: OperatorRole
  }
}

const viewersOnly = 'You can see this page, but only an operator can change anything here.'

/** Throws the same error as for a path that does not exist, unless the request comes from OPERATOR_NETWORKS. */
export function createOperatorFence(isAllowed: (address: string) => boolean) {
  return ({ ip }: FastifyRequest): void => {
    if (!isAllowed(ip)) throw new Problem('no-such-route')
  }
}

/** Protects the pages of the people who run the board. For everyone else, they do not exist. */
export function createOperatorAuth(deps: {
  fence(request: FastifyRequest): void
  /** Undefined if this has already answered the request. */
  session(request: FastifyRequest, reply: FastifyReply): Promise<SessionOwner | undefined>
  find(candidateId: string): Promise<OperatorRole | undefined>
  /** Where this person must add a second factor or sign in with it first; undefined if the session has one. */
  enrolmentOf(owner: SessionOwner): Promise<string | undefined>
}) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    deps.fence(request)
    const owner = await deps.session(request, reply)
    if (owner === undefined) return
    const operatorRole = await deps.find(owner.candidateId)
    if (operatorRole === undefined) throw new Problem('not-found')
    const enrolment = await deps.enrolmentOf(owner)
    if (enrolment !== undefined) return sendToEnrolment(request, reply, enrolment)
    setCaller(request, { ...owner, operatorRole })
    if (request.routeOptions.config.operatorRole === 'operator' && operatorRole !== 'operator')
      throw new BoardProblem('admins-only', viewersOnly)
  }
}
