import type { FastifyRequest, RouteOptions } from 'fastify'
import { type Actor, actAs } from '../../core/async/acting.ts'
import type { Clock } from '../../core/clock.ts'
import { type Caller, callerOf } from './callers.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A GET whose answer is an act on record, such as an export. Other methods always are. */
    isAct?: boolean
  }
}

const reads = ['GET', 'HEAD', 'OPTIONS']

/** Lets the handler act as its caller. A handler that only reads has no actor: an act in it fails. */
export function actAsCaller(route: RouteOptions, clock: Clock): void {
  const isRead = [route.method].flat().every(method => reads.includes(method))
  const isAct = !isRead || route.config?.isAct === true
  const { handler } = route
  const asReader = { clock }
  route.handler = function (request, reply) {
    if (!isAct) return actAs(asReader, () => handler.call(this, request, reply))
    const { id: requestId, ip: address } = request
    const actor = actorOf(request)
    return actAs({ clock, actor, requestId, address }, () => handler.call(this, request, reply))
  }
}

/** Undefined on public routes, where the act itself must prove who acts. */
function actorOf(request: FastifyRequest): Actor | undefined {
  const caller = callerOf(request)
  return caller && actorOfCaller(caller)
}

export function actorOfCaller(caller: Caller): Actor {
  if ('credentialId' in caller) {
    const { agentId, credentialId } = caller
    return agentId === null
      ? { kind: 'credential', id: credentialId, proof: 'credential' }
      : { kind: 'agent', id: String(agentId), proof: 'token' }
  }
  if ('clientId' in caller) return { kind: 'client', id: caller.clientId, proof: 'token' }
  const kind = 'operatorRole' in caller ? 'operator' : 'person'
  return { kind, id: caller.candidateId, proof: caller.provedBy }
}
