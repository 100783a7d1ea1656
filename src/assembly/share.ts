import type { RouteOptions } from 'fastify'
import { createSharingHistory } from '../people/activity/sharing-history-store.ts'
import { oauthRoutes } from '../share/authorize/routes.ts'
import { createAuthorization } from '../share/authorize/service.ts'
import { createClientChanges } from '../share/clients/change-service.ts'
import { createClientChangeStore } from '../share/clients/client-change-store.ts'
import { createClientStore } from '../share/clients/client-store.ts'
import { createClients } from '../share/clients/service.ts'
import { createAuthorizationStore } from '../share/grants/authorization-store.ts'
import { createConsentStore } from '../share/grants/consent-store.ts'
import { sharingRoutes } from '../share/prefill/routes.ts'
import { createSharing } from '../share/prefill/service.ts'
import { createSharingStore } from '../share/prefill/sharing-store.ts'
import { createTokenCheck } from '../share/token/check-service.ts'
import { createTokenEndpoint } from '../share/token/service.ts'
import type { AccountModule } from './accounts.ts'
import type { CompanyModule } from './companies.ts'
import type { Platform } from './platform.ts'
import type { Web } from './web.ts'

export type ShareModule = ReturnType<typeof openShare>

/** Lets candidates share a profile with an application: consent, code, token, prefill. */
export function openShare(
  { config, database, blobs, clock, limits }: Platform,
  { advertiserStore, agentStore, logos }: CompanyModule,
  { accounts, candidateStore }: AccountModule,
) {
  const store = createAuthorizationStore(database)
  const clients = createClients({
    store: createClientStore(database),
    agents: agentStore,
    advertisers: advertiserStore,
    logos,
    clock,
  })
  return {
    clients,
    clientChanges: createClientChanges({
      store: createClientChangeStore(database),
      clients,
      clock,
      isSelfService: config.AGENT_SELF_SERVICE,
    }),
    authorization: createAuthorization({
      store,
      sessions: accounts,
      resumes: candidateStore,
      clock,
      limits,
      isPreticked: config.CONSENT_PRETICKED,
    }),
    tokens: createTokenEndpoint({ clients, store, clock, limits }),
    tokenCheck: createTokenCheck({ store, clients, clock }),
    sharing: createSharing({
      store: createSharingStore(database),
      candidates: candidateStore,
      blobs,
      clock,
      hasScanner: config.CLAMD_URL !== undefined,
    }),
    consents: createConsentStore(database),
    sharingHistory: createSharingHistory(database),
  }
}

export function shareRoutes(share: ShareModule, web: Web): RouteOptions[] {
  const { limits, rateLimit } = web
  return [
    ...oauthRoutes({
      ...share,
      ...web,
      issuer: web.authUrl,
      askToSignIn: web.sendSignInPage,
      codes: rateLimit('codes', limits.codesPerMinute),
      requests: rateLimit('token', limits.tokenPerMinute),
      failuresOfClient: rateLimit('auth-failures-of-client', limits.authFailuresPerClientPerMinute),
      failuresOfAddress: web.failures,
    }),
    ...sharingRoutes({ ...share, ...web }),
  ]
}
