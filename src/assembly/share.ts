import type { RouteOptions } from 'fastify'
import { oauthRoutes } from '../share/authorize/routes.ts'
import { createAuthorization } from '../share/authorize/service.ts'
import { createClientChanges } from '../share/clients/change-service.ts'
import { createClients } from '../share/clients/service.ts'
import { sharingRoutes } from '../share/prefill/routes.ts'
import { createSharing } from '../share/prefill/service.ts'
import { createTokenCheck } from '../share/token/check-service.ts'
import { createTokenEndpoint } from '../share/token/service.ts'
import { createAuthorizationStore } from '../storage/share/authorization-store.ts'
import { createClientChangeStore } from '../storage/share/client-change-store.ts'
import { createClientStore } from '../storage/share/client-store.ts'
import { createConsentStore } from '../storage/share/consent-store.ts'
import { createSharingHistory } from '../storage/share/sharing-history-store.ts'
import { createSharingStore } from '../storage/share/sharing-store.ts'
import type { AccountModule } from './accounts.ts'
import type { AdvertiserModule } from './advertisers.ts'
import type { Platform } from './platform.ts'
import type { Web } from './web.ts'

export type ShareModule = ReturnType<typeof openShare>

/** A candidate shares a profile with an application: consent, code, token, prefill. */
export function openShare(
  { config, database, blobs, clock, limits }: Platform,
  { advertiserStore, agentStore, logos }: AdvertiserModule,
  { accounts, candidateStore }: AccountModule,
) {
  const store = createAuthorizationStore(database)
  const clients = createClients({
    store: createClientStore(database),
    agents: agentStore,
    advertisers: advertiserStore,
    logos,
    clock,
    limits,
  })
  return {
    clients,
    clientChanges: createClientChanges({
      store: createClientChangeStore(database),
      ...{ clients, clock, isSelfService: config.AGENT_SELF_SERVICE },
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
    tokenCheck: createTokenCheck({ store, clients, clock, limits }),
    sharing: createSharing({
      store: createSharingStore(database),
      candidates: candidateStore,
      blobs,
      clock,
      limits,
      hasScanner: config.CLAMD_URL !== undefined,
    }),
    consents: createConsentStore(database),
    sharingHistory: createSharingHistory(database),
  }
}

export function shareRoutes(
  { authorization, tokens, sharing }: ShareModule,
  { clock, log, limits, sessions, sendSignInPage, rateLimit, failures, baseUrl, authUrl }: Web,
): RouteOptions[] {
  return [
    ...oauthRoutes({
      authorization,
      tokens,
      sessions,
      issuer: authUrl,
      askToSignIn: sendSignInPage,
      clock,
      log,
      codes: rateLimit('codes', limits.codesPerMinute),
      requests: rateLimit('token', limits.tokenPerMinute),
      failuresOfClient: rateLimit('auth-failures-of-client', limits.authFailuresPerClientPerMinute),
      failuresOfAddress: failures,
    }),
    ...sharingRoutes({ sharing, baseUrl, limits }),
  ]
}
