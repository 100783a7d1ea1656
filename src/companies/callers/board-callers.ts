import type { FastifyRequest } from 'fastify'
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
import type { Actor } from '../../platform/core/async/audit-context.ts'
import type { SessionOwner } from '../../platform/core/session-owner.ts'
import { type Caller, callerOf } from '../../platform/http/auth/callers.ts'

/** A signed-in member of the advertiser in the path. */
export interface ConsoleCaller extends SessionOwner, ConsoleMember {}

/** A signed-in person who runs the board. */
export interface OperatorCaller extends SessionOwner {
  operatorRole: OperatorRole
}

/** A signed-in person of the agent in the path. */
export interface AgentCaller extends SessionOwner, AgentMember {}

declare module '../../platform/core/session-owner.ts' {
  interface Person {
    candidateId: string
  }
}

declare module '../../platform/http/auth/callers.ts' {
  interface Callers {
    /** An advertiser, or its agent that reads applications. */
    sws: Principal
    /** An advertiser, or its agent that reports progress. */
    'progress-token': Principal
    /** A client with the access that one candidate has granted. */
    'profile-token': ProfileToken
    /** A client on its own behalf. */
    'client-token': ClientToken
    /** A job board. */
    'intake-token': IntakeToken
    /** An agent, for matters that concern no single advertiser. */
    'agent-token': WebhookToken
    /** An agent, or a company by a credential with that right, for its webhook endpoints. */
    'webhook-token': WebhookToken | Principal
    console: ConsoleCaller
    operator: OperatorCaller
    agent: AgentCaller
  }
}

/** The caller of version 1, even if the request failed later. */
export function principalOf(request: FastifyRequest): Principal | undefined {
  const caller = callerOf(request)
  return caller !== undefined && 'isOnHold' in caller ? caller : undefined
}

/** The client whose token was sent. */
export function clientIdOf(request: FastifyRequest): string | undefined {
  const caller = callerOf(request)
  return caller !== undefined && 'clientId' in caller ? caller.clientId : undefined
}

/** The signed-in member, even if the request failed later. */
export function memberOf(request: FastifyRequest): ConsoleCaller | undefined {
  const caller = callerOf(request)
  return caller !== undefined && 'advertiserName' in caller ? caller : undefined
}

/** The person who runs the board, even if the request failed later. */
export function operatorOf(request: FastifyRequest): OperatorCaller | undefined {
  const caller = callerOf(request)
  return caller !== undefined && 'operatorRole' in caller ? caller : undefined
}

/** The signed-in person of an agent, even if the request failed later. */
export function agentPersonOf(request: FastifyRequest): AgentCaller | undefined {
  const caller = callerOf(request)
  return caller !== undefined && 'agentName' in caller ? caller : undefined
}

function actorOf(caller: Caller): Actor {
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

/** Candidates and members are not named in the log. */
function logFieldsOf(caller: Caller): string {
  if ('credentialId' in caller) {
    return `,"advertiserId":${caller.advertiserId},"credentialId":${JSON.stringify(caller.credentialId)}`
  }
  return 'clientId' in caller ? `,"clientId":${JSON.stringify(caller.clientId)}` : ''
}

/** Caller details for the server's log and audit entries. */
export const describeCallers = { actorOf, logFieldsOf }
