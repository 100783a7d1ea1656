import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Logger } from 'pino'
import { createAdvertisers, createCredentials } from './advertisers/service.ts'
import { examineFiles } from './applications/file-examination.ts'
import { applicationRoutes } from './applications/routes.ts'
import { createApplications } from './applications/service.ts'
import { type Config, SettingError } from './config.ts'
import { type Clock, systemClock } from './core/clock.ts'
import { reasonOf } from './core/reason.ts'
import { within } from './core/within.ts'
import { openAsset } from './demo/assets.ts'
import { createDemo } from './demo/service.ts'
import type { HttpMetrics } from './http/metrics.ts'
import { RateLimit } from './http/rate-limit.ts'
import { createServer, type Server, type ServerOptions } from './http/server.ts'
import { metricsRoute, serviceRoutes } from './http/service-routes.ts'
import { createSwsAuth } from './http/sws-auth.ts'
import { createFolderBlobs } from './storage/blobs-fs.ts'
import { migrate, readSchemaState } from './storage/migrate.ts'
import type { Database } from './storage/schema.ts'
import { createAdvertiserStore, createCredentialStore } from './storage/sql/advertisers.ts'
import { createApplicationStore } from './storage/sql/applications.ts'
import { createBlobReferences } from './storage/sql/blob-references.ts'
import { createDemoStore } from './storage/sql/demo.ts'
import { openSqlite } from './storage/sqlite.ts'

/** The one place that knows everything: adapters, then modules, then the HTTP servers. */

export type Services = Awaited<ReturnType<typeof openServices>>

export async function openServices(config: Config, log: Logger, clock: Clock = systemClock) {
  const { limits } = config
  const database = await openDatabase(config, log)
  const blobs = createFolderBlobs(join(config.DATA_DIR, 'blobs'), limits.retryAfterSeconds)
  const advertiserStore = createAdvertiserStore(database)
  const credentials = createCredentials({
    store: createCredentialStore(database),
    advertisers: advertiserStore,
    clock,
    limits,
    onLostUse: error => log.warn({ err: error }, 'the last-used time of a credential was not written'),
  })
  const applicationsAt = (time: Clock) =>
    createApplications({
      store: createApplicationStore(database),
      blobs,
      clock: time,
      limits,
      holdUnscanned: config.CLAMD_URL !== undefined && config.UNSCANNED === 'hold',
    })

  return {
    database,
    blobs,
    schema: { state: () => readSchemaState(database), migrate: () => migrate(database) },
    advertisers: createAdvertisers({ store: advertiserStore, clock, limits }),
    credentials,
    applications: applicationsAt(clock),
    demo: createDemo({
      store: createDemoStore(database),
      blobs,
      clock,
      sleep,
      openAsset,
      applyAt: time => applicationsAt(time).apply,
    }),
    examineFiles: (isDeep: boolean) =>
      examineFiles({ references: createBlobReferences(database), blobs }, isDeep),
    clock,
    async close() {
      await within(limits.databaseCloseMs, credentials.settle())
      await database.close()
    },
  }
}

async function openDatabase(config: Config, log: Logger): Promise<Database> {
  const { limits } = config
  if (config.DATABASE_URL === undefined) {
    try {
      return await openSqlite(join(config.DATA_DIR, 'dossier.db'), limits.busyWaitMs)
    } catch (error) {
      throw new SettingError('DATA_DIR', `the database in it cannot be opened (${reasonOf(error)})`)
    }
  }
  // Loaded only when it is wanted: the embedded default starts faster without it.
  const { openPostgres } = await import('./storage/postgres.ts')
  return openPostgres({
    url: config.DATABASE_URL,
    poolSize: limits.databasePoolSize,
    connectMs: limits.connectMs,
    retryAfterSeconds: limits.retryAfterSeconds,
    closeMs: limits.databaseCloseMs,
    onBrokenConnection: error => log.warn({ err: error }, 'a database connection broke'),
  })
}

export interface PublicServerOptions {
  log: Logger
  metrics: HttpMetrics
  isDemo: boolean
  baseUrl(): string
  welcome(): string
  beforeRoutes?(app: FastifyInstance): Promise<void>
}

export function createPublicServer(
  config: Config,
  services: Services,
  options: PublicServerOptions,
): Promise<Server> {
  const { limits } = config
  const { log, baseUrl } = options
  const rateLimit = (name: string, perMinute: number) =>
    new RateLimit(name, perMinute, services.clock, limits.rateLimitKeys)
  const sws = createSwsAuth({
    authenticate: services.credentials.authenticate,
    requests: rateLimit('v1', limits.v1PerMinute),
    failures: rateLimit('auth-failures', limits.authFailuresPerAddressPerMinute),
  })
  const routes: RouteOptions[] = [
    ...serviceRoutes({
      checks: readinessChecks(services),
      onFailedCheck: (name, error) => log.error({ check: name, err: error }, 'not ready'),
      retryAfterSeconds: limits.retryAfterSeconds,
      welcome: options.welcome,
    }),
    ...applicationRoutes({ applications: services.applications, baseUrl, limits }),
  ]
  return createServer(
    { ...serverOptions(config, options, { sws }), name: 'public' },
    routes,
    options.beforeRoutes,
  )
}

export function createAdminServer(config: Config, options: PublicServerOptions): Promise<Server> {
  const nobody = async () => {
    throw new Error('the admin port has public routes only')
  }
  const settings = serverOptions(config, { ...options, isDemo: false }, { sws: nobody })
  return createServer({ ...settings, name: 'admin' }, [metricsRoute(options.metrics)])
}

function serverOptions(
  config: Config,
  { log, metrics, baseUrl, isDemo }: PublicServerOptions,
  auth: ServerOptions['auth'],
): Omit<ServerOptions, 'name'> {
  return {
    log,
    metrics,
    baseUrl,
    auth,
    trustedProxies: config.TRUSTED_PROXIES,
    isLoopbackOnly: isDemo,
    limits: config.limits,
  }
}

/** What must hold for this node to take requests. */
export function readinessChecks({ schema, blobs }: Services): Record<string, () => Promise<void>> {
  return {
    // Reading which migrations ran asks the database, too.
    database: async () => {
      const { state } = await schema.state()
      if (state !== 'current') throw new Error(`the schema is ${state} than the code`)
    },
    files: () => blobs.check(),
  }
}
