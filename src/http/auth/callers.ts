import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SessionOwner } from '../../model/candidate.ts'
import type {
  AgentMember,
  ClientToken,
  ConsoleMember,
  IntakeToken,
  OperatorRole,
  Principal,
  ProfileToken,
  WebhookToken,
} from '../../model/principal.ts'

/** A signed-in member of the advertiser in the path. */
export interface ConsoleCaller extends SessionOwner, ConsoleMember {}

/** A signed-in person who runs the board. */
export interface OperatorCaller extends SessionOwner {
  operatorRole: OperatorRole
}

/** A signed-in person of the agent in the path. */
export interface AgentCaller extends SessionOwner, AgentMember {}

/** Who calls, by the way a route authenticates. */
export interface Callers {
  public: undefined
  /** An advertiser or its agent. */
  sws: Principal
  /** A client with the access that one candidate has granted. */
  'profile-token': ProfileToken
  /** A client on its own behalf. */
  'client-token': ClientToken
  /** A job board. */
  'intake-token': IntakeToken
  /** An agent, for its webhook endpoints. */
  'webhook-token': WebhookToken
  session: SessionOwner
  console: ConsoleCaller
  operator: OperatorCaller
  agent: AgentCaller
}

/** Every route declares who may call it; the route ledger test lists the public ones. */
export type AuthKind = keyof Callers

export type Caller = NonNullable<Callers[AuthKind]>

/** Not exported: handlers get the caller from their route, with its type. */
const known: unique symbol = Symbol('caller')

declare module 'fastify' {
  interface FastifyRequest {
    [known]?: Caller
  }
}

/** Declares the property, which keeps the shape of all requests the same. */
export function prepareCallers(app: FastifyInstance): void {
  app.decorateRequest(known)
}

/** Called by authentication; also on public routes that learn who calls, for the log and the page header. */
export function setCaller(request: FastifyRequest, caller: Caller): void {
  request[known] = caller
}

/** Undefined until the caller is authenticated, and on public routes. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return request[known]
}

/** The caller of version 1, also if the request failed later. */
export function principalOf(request: FastifyRequest): Principal | undefined {
  const caller = request[known]
  return caller !== undefined && 'isOnHold' in caller ? caller : undefined
}

/** The client whose token was sent. */
export function clientIdOf(request: FastifyRequest): string | undefined {
  const caller = request[known]
  return caller !== undefined && 'clientId' in caller ? caller.clientId : undefined
}

/** The signed-in person, also if the request failed later. */
export function sessionOf(request: FastifyRequest): SessionOwner | undefined {
  const caller = request[known]
  return caller !== undefined && 'sessionId' in caller ? caller : undefined
}

/** The signed-in member, also if the request failed later. */
export function memberOf(request: FastifyRequest): ConsoleCaller | undefined {
  const caller = request[known]
  return caller !== undefined && 'advertiserName' in caller ? caller : undefined
}

/** The person who runs the board, also if the request failed later. */
export function operatorOf(request: FastifyRequest): OperatorCaller | undefined {
  const caller = request[known]
  return caller !== undefined && 'operatorRole' in caller ? caller : undefined
}

/** The signed-in person of an agent, also if the request failed later. */
export function agentPersonOf(request: FastifyRequest): AgentCaller | undefined {
  const caller = request[known]
  return caller !== undefined && 'agentName' in caller ? caller : undefined
}
