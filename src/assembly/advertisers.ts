import type { RouteOptions } from 'fastify'
import { createAgentCalls } from '../advertisers/agent-calls-service.ts'
import { createAgents } from '../advertisers/agents-service.ts'
import { createBoardAccess } from '../advertisers/board-access-service.ts'
import { logoRoute } from '../advertisers/logo-routes.ts'
import { createLogos } from '../advertisers/logo-service.ts'
import { createAdvertisers, createCredentials } from '../advertisers/service.ts'
import { createUsage } from '../advertisers/usage-service.ts'
import { createAdvertiserStore, createCredentialStore } from '../storage/advertisers/advertiser-store.ts'
import { createAgentCallStore } from '../storage/advertisers/agent-call-store.ts'
import { createAgentStore } from '../storage/advertisers/agent-store.ts'
import { createBoardDirectory } from '../storage/advertisers/board-directory-store.ts'
import { createLogoStore } from '../storage/advertisers/logo-store.ts'
import { createUsageStore } from '../storage/advertisers/usage-store.ts'
import type { Platform } from './platform.ts'

export type AdvertiserModule = ReturnType<typeof openAdvertisers>

export function openAdvertisers({ database, background, clock, limits }: Platform) {
  const advertiserStore = createAdvertiserStore(database)
  const agentStore = createAgentStore(database)
  return {
    advertiserStore,
    agentStore,
    advertisers: createAdvertisers({ store: advertiserStore, clock, limits }),
    agents: createAgents({ store: agentStore, advertisers: advertiserStore, clock, limits }),
    boardAccess: createBoardAccess(createBoardDirectory(database)),
    credentials: createCredentials({
      store: createCredentialStore(database),
      advertisers: advertiserStore,
      clock,
      limits,
      background,
    }),
    logos: createLogos(createLogoStore(database)),
    agentCalls: createAgentCalls({ store: createAgentCallStore(database), background, clock, limits }),
    usage: createUsage({ store: createUsageStore(database), background, clock, limits }),
  }
}

export function advertiserRoutes({ logos }: AdvertiserModule): RouteOptions[] {
  return [logoRoute(logos)]
}
