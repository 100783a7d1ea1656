import type { RouteOptions } from 'fastify'
import { createAdvertiserStore, createCredentialStore } from '../companies/advertiser-store.ts'
import { createAgentCallStore } from '../companies/agent-call-store.ts'
import { createAgentCalls } from '../companies/agent-calls-service.ts'
import { agentRoute } from '../companies/agent-routes.ts'
import { createAgentStore } from '../companies/agent-store.ts'
import { createAgents } from '../companies/agents-service.ts'
import { createBoardAccess } from '../companies/board-access-service.ts'
import { createBoardDirectory } from '../companies/board-directory-store.ts'
import { logoRoute } from '../companies/logo-routes.ts'
import { createLogos } from '../companies/logo-service.ts'
import { createLogoStore } from '../companies/logo-store.ts'
import { createPrivacyNotices } from '../companies/privacy-notice-service.ts'
import { createPrivacyNoticeStore } from '../companies/privacy-notice-store.ts'
import { privacyNoticePage } from '../companies/privacy-pages.ts'
import { createAdvertisers, createCredentials } from '../companies/service.ts'
import { createUsage } from '../companies/usage-service.ts'
import { createUsageStore } from '../companies/usage-store.ts'
import type { Platform } from './platform.ts'

export type CompanyModule = ReturnType<typeof openCompanies>

export function openCompanies({ config, database, background, clock }: Platform) {
  const advertiserStore = createAdvertiserStore(database)
  const agentStore = createAgentStore(database)
  return {
    advertiserStore,
    agentStore,
    advertisers: createAdvertisers({ store: advertiserStore, clock }),
    agents: createAgents({ store: agentStore, advertisers: advertiserStore, clock }),
    boardAccess: createBoardAccess(createBoardDirectory(database), config.TIME_ZONE),
    credentials: createCredentials({
      store: createCredentialStore(database),
      advertisers: advertiserStore,
      clock,
      background,
    }),
    logos: createLogos(createLogoStore(database)),
    privacyNotices: createPrivacyNotices({ store: createPrivacyNoticeStore(database), clock }),
    agentCalls: createAgentCalls({ store: createAgentCallStore(database), background, clock }),
    usage: createUsage({ store: createUsageStore(database), background, clock }),
  }
}

export function companyRoutes(
  { logos, agents, privacyNotices }: CompanyModule,
  web: Parameters<typeof agentRoute>[1],
): RouteOptions[] {
  return [logoRoute(logos), agentRoute(agents, web), privacyNoticePage(privacyNotices)]
}
