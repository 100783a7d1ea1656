import type { FastifyInstance, RouteOptions } from 'fastify'
import { createPublicServer } from '../../src/assembly/servers.ts'
import type { PublicServerOptions } from '../../src/assembly/web.ts'
import { createMetrics } from '../../src/platform/http/observed/metrics.ts'
import { type Environment, readConfig } from '../../src/settings.ts'
import { silentLog } from './database.ts'
import { appOf, type Services } from './services.ts'

export function serverOptions(): PublicServerOptions {
  return {
    log: silentLog,
    metrics: createMetrics(),
    isDemo: false,
    baseUrl: () => 'http://localhost:8080',
    authUrl: () => 'http://localhost:8080',
    welcome: () => '',
  }
}

/** The public server in this process, without a port, and every route registered on it. */
export async function createTestServer(
  services: Services,
  settings: Environment,
  options: Partial<PublicServerOptions> = {},
): Promise<{ app: FastifyInstance; routes: RouteOptions[] }> {
  const routes: RouteOptions[] = []
  const { app } = await createPublicServer(readConfig(settings), appOf(services), {
    ...serverOptions(),
    ...options,
    async beforeRoutes(instance) {
      instance.addHook('onRoute', route => {
        routes.push(route)
      })
    },
  })
  return { app, routes }
}
