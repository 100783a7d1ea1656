import { Problem } from '../core/problems.ts'
import { createBearerAuth } from '../http/auth/bearer-auth.ts'
import { createAgentAuth, createConsoleAuth } from '../http/auth/console-auth.ts'
import { createOperatorAuth } from '../http/auth/operator-auth.ts'
import { createSessionAuth } from '../http/auth/session-auth.ts'
import { createSwsAuth } from '../http/auth/sws-auth.ts'
import type { ServerOptions } from '../http/server.ts'
import type { Principal } from '../model/principal.ts'
import { askAgain } from '../people/account/sign-in-pages.ts'
import type { AccountModule } from './accounts.ts'
import type { AdvertiserModule } from './advertisers.ts'
import type { ShareModule } from './share.ts'
import type { Web } from './web.ts'

/** The authentication of each kind of caller. */
export function callerAuth(
  {
    tokenCheck,
    credentials,
    usage,
    agentCalls,
    members,
    agentMembers,
    operators,
    operatorFence,
    factors,
  }: ShareModule & AdvertiserModule & AccountModule,
  { limits, isDemo, sessions, sendSignInPage, rateLimit, failures }: Web,
): ServerOptions['auth'] {
  const session = createSessionAuth({ sessions, askToSignIn: askAgain(sendSignInPage), limits })
  const version2 = { requests: rateLimit('v2', limits.v2PerMinute), failures }
  return {
    sws: createSwsAuth({
      authenticate: value => authenticateForVersion1(value, tokenCheck, credentials),
      requests: rateLimit('v1', limits.v1PerMinute),
      failures,
      onCall(principal) {
        usage.countCall(principal.advertiserId)
        agentCalls.countCall(principal)
      },
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
    'webhook-token': createBearerAuth({
      ...version2,
      authenticate: tokenCheck.webhooks,
      rateKey: token => token.clientId,
    }),
    session,
    console: createConsoleAuth({ session, find: members.find, enrolmentOf: factors.enrolmentOf }),
    operator: createOperatorAuth({
      fence: operatorFence,
      session,
      find: operators.find,
      // The demo runs on this machine alone, with published passwords.
      enrolmentOf: async owner => (isDemo ? undefined : factors.enrolmentOf(owner)),
    }),
    agent: createAgentAuth({ session, find: agentMembers.find }),
  }
}

/** An agent's token takes the place of an SWS credential; a value that is not a token may still be a credential. */
export function authenticateForVersion1(
  value: string,
  tokenCheck: ShareModule['tokenCheck'],
  credentials: AdvertiserModule['credentials'],
): Promise<Principal> {
  if (!tokenCheck.isToken(value)) return credentials.authenticate(value)
  return tokenCheck.agent(value).catch(error => {
    if (!(error instanceof Problem && error.code === 'invalid-credential')) throw error
    return credentials.authenticate(value)
  })
}
