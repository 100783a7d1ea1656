import type { RouteOptions } from 'fastify'
import { type Actor, withAuditContext } from '../../core/async/audit-context.ts'
import type { Clock } from '../../core/clock.ts'
import { type Caller, callerOf } from './callers.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A GET that is audited, such as an export. Other methods are always audited. */
    isAct?: boolean
  }
}

const reads = ['GET', 'HEAD', 'OPTIONS']

/** Lets the handler act as its caller. A handler that only reads has no actor: an audited act in it fails. */
export function withCallerAuditContext(
  route: RouteOptions,
  clock: Clock,
  actorOf: (caller: Caller) => Actor,
): void {
  const isRead = [route.method].flat().every(method => reads.includes(method))
  const isAct = !isRead || route.config?.isAct === true
  const { handler } = route
  const asReader = { clock }
  route.handler = function (request, reply) {
    if (!isAct) return withAuditContext(asReader, () => handler.call(this, request, reply))
    const { id: requestId, ip: address } = request
    // Undefined on public routes, where the act itself must prove who acts.
    const caller = callerOf(request)
    const actor = caller && actorOf(caller)
    return withAuditContext({ clock, actor, requestId, address }, () => handler.call(this, request, reply))
  }
}
