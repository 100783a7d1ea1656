import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SessionOwner } from '../../core/session-owner.ts'

/** Callers by the route's way of authenticating. Rooms that know more callers add them here. */
export interface Callers {
  public: undefined
  session: SessionOwner
}

/** Every route declares its callers; the route ledger test lists the public routes. */
export type AuthKind = keyof Callers

export type Caller = NonNullable<Callers[AuthKind]>

/** Not exported: handlers get the caller from their route, with its type. */
const known: unique symbol = Symbol('caller')

declare module 'fastify' {
  interface FastifyRequest {
    [known]?: Caller
  }
}

/** Declares the property, so that all requests keep the same shape. */
export function prepareCallers(app: FastifyInstance): void {
  app.decorateRequest(known)
}

/** Called by authentication; also on public routes that identify the caller for the log and the page header. */
export function setCaller(request: FastifyRequest, caller: Caller): void {
  request[known] = caller
}

/** Undefined until the caller is authenticated, and on public routes. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return request[known]
}

/** The signed-in person, even if the request failed later. */
export function sessionOf(request: FastifyRequest): SessionOwner | undefined {
  const caller = request[known]
  return caller !== undefined && 'sessionId' in caller ? caller : undefined
}
