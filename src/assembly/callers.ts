import { principalOf } from '../companies/callers/board-callers.ts'
import { createAgentAuth, createConsoleAuth } from '../companies/callers/console-auth.ts'
import { createOperatorAuth } from '../companies/callers/operator-auth.ts'
import { createSwsAuth } from '../companies/callers/sws-auth.ts'
import type { Principal } from '../model/principal.ts'
import { BoardProblem } from '../model/problems.ts'
import { askAgain } from '../people/account/sign-in-pages.ts'
import { Problem } from '../platform/core/problems.ts'
import { createBearerAuth } from '../platform/http/auth/bearer-auth.ts'
import { createSessionAuth } from '../platform/http/auth/session-auth.ts'
import type { ServerOptions } from '../platform/http/server.ts'
import type { AccountModule } from './accounts.ts'
import type { CompanyModule } from './companies.ts'
import type { ShareModule } from './share.ts'
import type { Web } from './web.ts'

/** The authentication hook of each kind of caller. */
export function callerAuth(
  { tokenCheck }: ShareModule,
  { credentials, usage, agentCalls }: CompanyModule,
  { members, agentMembers, operators, operatorFence, factors }: AccountModule,
  { limits, isDemo, sessions, sendSignInPage, rateLimit, failures }: Web,
): ServerOptions['auth'] {
  const session = createSessionAuth({ sessions, askToSignIn: askAgain(sendSignInPage) })
  const version2 = { requests: rateLimit('v2', limits.v2PerMinute), failures }
  const version1 = {
    requests: rateLimit('v1', limits.v1PerMinute),
    failures,
    onCall(principal: Principal) {
      usage.countCall(principal.advertiserId)
      agentCalls.countCall(principal)
    },
  }
  const sws = createSwsAuth({
    ...version1,
    authenticate: value => authenticateForVersion1(value, 'r_applications', tokenCheck, credentials),
  })
  const agent = createBearerAuth({
    ...version2,
    authenticate: tokenCheck.webhooks,
    rateKey: token => token.clientId,
  })
  return {
    sws,
    'progress-token': createSwsAuth({
      ...version1,
      authenticate: value => authenticateForVersion1(value, 'w_progress', tokenCheck, credentials),
    }),
    'profile-token': createBearerAuth({
      ...version2,
      authenticate: tokenCheck.profile,
      rateKey: token => token.hash,
    }),
    'client-token': createBearerAuth({
      ...version2,
      authenticate: tokenCheck.client,
      rateKey: token => token.clientId,
    }),
    'intake-token': createBearerAuth({
      authenticate: tokenCheck.intake,
      rateKey: token => token.clientId,
      requests: rateLimit('intake', limits.intakePerMinute),
      failures,
    }),
    'agent-token': agent,
    'webhook-token': webhookAuth(sws, agent),
    session,
    console: createConsoleAuth({ session, find: members.find, enrolmentOf: factors.enrolmentOf }),
    operator: createOperatorAuth({
      fence: operatorFence,
      session,
      find: operators.find,
      // The demo runs on this machine only, with published passwords.
      enrolmentOf: async owner => (isDemo ? undefined : factors.enrolmentOf(owner)),
    }),
    agent: createAgentAuth({ session, find: agentMembers.find }),
  }
}

type Authenticate = ReturnType<typeof createSwsAuth>

/** Accepts an agent's token, or a company's credential to which an admin has given the right. */
const webhookAuth =
  (sws: Authenticate, bearer: Authenticate): Authenticate =>
  async (request, reply) => {
    if (!/^sws /i.test(request.headers.authorization ?? '')) return bearer(request, reply)
    await sws(request, reply)
    if (principalOf(request)?.managesWebhooks !== true) throw new BoardProblem('webhooks-not-allowed')
  }

/**
 * An agent's token with the scope replaces an SWS credential; a value that is not a token may still be a credential,
 * which needs no scope.
 */
export function authenticateForVersion1(
  value: string,
  scope: Parameters<ShareModule['tokenCheck']['agent']>[1],
  tokenCheck: ShareModule['tokenCheck'],
  credentials: CompanyModule['credentials'],
): Promise<Principal> {
  if (!tokenCheck.isToken(value)) return credentials.authenticate(value)
  return tokenCheck.agent(value, scope).catch(error => {
    if (!(error instanceof Problem && error.code === 'invalid-credential')) throw error
    return credentials.authenticate(value)
  })
}
