import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { openServices, type Services } from '../../app.ts'
import { createAdminServer } from '../../assembly/admin-server.ts'
import { prepareDemoHooks } from '../../assembly/demo.ts'
import type { PublicServerOptions } from '../../assembly/web.ts'
import { assertLoopbackOnly, type Config } from '../../config.ts'
import { actAs, asTask } from '../../core/async/acting.ts'
import { reasonOf } from '../../core/reason.ts'
import { createMetrics, type HttpMetrics } from '../../http/observed/metrics.ts'
import type { Server } from '../../http/server.ts'
import { createPublicServer } from '../../servers.ts'
import {
  CommandError,
  type Context,
  configOf,
  ensureCurrentSchema,
  exitCodes,
  serviceLog,
  signIn,
} from '../terminal/context.ts'
import { replaced, type Supervisor } from '../terminal/worker-process.ts'
import { warnOfClock, watchClock } from './clock-check.ts'
import { listenToAdmin, listenToPublic } from './listening.ts'
import { checkScanner } from './scanner-check.ts'
import { banner, welcome } from './serve-texts.ts'

/** Serves in this process, alone or as one of several workers. */
export async function serveHere(context: Context, isDemo: boolean): Promise<void> {
  const { worker } = context
  const stopRequested = context.untilStopRequested()
  const config = configOf(context)
  if (isDemo) assertLoopbackOnly(config)
  const log = serviceLog(context, config, isDemo)
  const services = await openServices(config, log)
  const servers: Server[] = []
  try {
    await ensureCurrentSchema(services)
    await warnOfClock(services, config.limits, log)
    await warnOfFolder(services, config, log)
    await prepareDemo(services, isDemo)
    await signIn(services)
    const reportScanner = await checkScanner(services, log)

    let baseUrl = config.BASE_URL ?? ''
    let isStopping = false
    const metrics = createMetrics()
    services.watchBlobs(metrics.observeBlobCall)
    metrics.watchDisk(() =>
      services.disk.look().then(
        ({ freeBytes }) => freeBytes,
        // Not logged with each scrape; /health/ready warns of it.
        () => Number.NaN,
      ),
    )
    metrics.watchDeliveries(() =>
      services.deliveries.counts().then(
        ({ waiting, dead, oldestAt }) => {
          const oldestSeconds = oldestAt === null ? 0 : Math.max(0, (services.clock() - oldestAt) / 1000)
          return { waiting, dead, oldestSeconds }
        },
        // Not logged with each scrape; /health/ready tells of the database.
        () => ({ waiting: Number.NaN, dead: Number.NaN, oldestSeconds: Number.NaN }),
      ),
    )
    watchUpkeep(services, metrics)
    metrics.watchWebhooks(services.watchWebhooks, services.webhookFigures)
    const options: PublicServerOptions = {
      log,
      metrics,
      isDemo,
      baseUrl: () => baseUrl,
      authUrl: () => config.AUTH_URL ?? baseUrl,
      welcome: () => welcome(config.BOARD_NAME, baseUrl, isDemo),
      isStopping: () => isStopping,
      onUntrustedProxy(address) {
        log.warn(
          { address },
          'forwarding headers from an address that is not in TRUSTED_PROXIES are ignored: if it is your proxy, add its address',
        )
        services.proxyMark.write(address)
      },
    }
    const unwatchClock = watchClock(services, config.limits, log)
    const server = await createPublicServer(config, services, options)
    servers.push(server)
    const port = await listenToPublic(config, server)
    baseUrl ||= `http://localhost:${port}`
    const database = services.database.dialect
    if (isDemo) await services.demo.registerCallback(baseUrl)
    if (isDemo && worker === undefined)
      await actAs(asTask('demo', services.clock), () => prepareDemoHooks(services, baseUrl))
    let admin: Server | undefined
    if (worker === undefined) {
      admin = await createAdminServer(config, options)
      servers.push(admin)
      const adminUrl = await listenToAdmin(config, admin)
      if (isDemo) context.print(banner(config, baseUrl, adminUrl))
      log.info({ baseUrl, port, adminUrl, database }, 'listening')
    } else {
      sendFigures(worker, metrics)
      shareHints(worker, services)
      await worker.tell({ up: { baseUrl, port, database } })
    }
    reportScanner()
    await tellOfOperators(services, isDemo, context, log)
    startWork(config, services, metrics, log)

    const signal = await stopRequested
    unwatchClock()
    // A replaced worker leaves while its node goes on serving, so /health/ready stays as it is.
    const isReplaced = signal === replaced
    isStopping = !isReplaced
    const delaySeconds = isReplaced ? 0 : config.SHUTDOWN_DELAY_SECONDS
    const { shutdownGraceSeconds: graceSeconds, shutdownIdleMs } = config.limits
    log.info({ signal, delaySeconds, graceSeconds }, 'stopping')
    const worked = services.work.stop()
    await sleep(delaySeconds * 1000)
    // The person who stops a demo waits for the prompt, and no requests are on their way.
    await server.drain({ graceMs: graceSeconds * 1000, idleMs: isDemo && !isReplaced ? 0 : shutdownIdleMs })
    await worked
    await admin?.drain()
    await worker?.tell({ figures: await metrics.registry.getMetricsAsJSON() })
    log.info('stopped')
  } catch (error) {
    // A process that listens does not end, and could only refuse.
    await Promise.all(servers.map(server => server.drain()))
    throw error
  } finally {
    await services.close()
  }
}

function watchUpkeep({ upkeepFigures, database, release }: Services, metrics: HttpMetrics): void {
  metrics.watchUpkeep({
    build: { version: release, node: process.versions.node, database: database.dialect },
    read: upkeepFigures,
    walBytes: () =>
      database.path === undefined
        ? undefined
        : (statSync(`${database.path}-wal`, { throwIfNoEntry: false })?.size ?? 0),
    pools: () => database.pools?.() ?? {},
  })
}

async function prepareDemo({ demo, clock }: Services, isDemo: boolean): Promise<void> {
  if (isDemo) {
    if (await actAs(asTask('demo', clock), demo.ensureLoaded)) return
    throw new CommandError(
      'The database already contains data, and the demo would add published credentials to it. Set DATA_DIR or DATABASE_URL to an empty database, or serve without --demo.',
      exitCodes.cannotStart,
    )
  }
  const state = await demo.state()
  if (state === 'loaded' || state === 'outdated' || state === 'unfinished') {
    throw new CommandError(
      'The database contains the demo world with its published credentials. Run "dossier demo remove" to empty it, or set DATA_DIR or DATABASE_URL to another database.',
      exitCodes.cannotStart,
    )
  }
}

/** Without the folder the node is not ready, but still serves requests that need no files. */
async function warnOfFolder(
  { blobs }: Services,
  { BLOBS_URL, DATA_DIR }: Config,
  log: Logger,
): Promise<void> {
  if (BLOBS_URL !== undefined) return
  await blobs
    .check()
    .catch(error =>
      log.error(
        { reason: reasonOf(error) },
        `files cannot be written: let this user write to ${DATA_DIR}/blobs`,
      ),
    )
}

function startWork(config: Config, { work }: Services, metrics: HttpMetrics, log: Logger): void {
  if (config.WORK === 'elsewhere') {
    log.info('background work is left to "dossier work" (WORK=elsewhere)')
    return
  }
  work.start(metrics.countRun)
  log.info({ tasks: work.tasks.join(', ') }, 'background work runs in this process')
}

/** Once per node: the pages of the operator are of no use before. */
async function tellOfOperators(
  { operators }: Services,
  isDemo: boolean,
  { worker }: Context,
  log: Logger,
): Promise<void> {
  const isFirst = worker === undefined || worker.number === 1
  if (isDemo || !isFirst) return
  // The node serves already, and a database that is away for a moment must not end it for this.
  if (await operators.isAny().catch(() => true)) return
  log.info('no operator yet: run "dossier operator invite <your email address>" and open the link it prints')
}

function sendFigures(worker: Supervisor, { registry }: HttpMetrics): void {
  worker.onFiguresWanted(async () => worker.tell({ figures: await registry.getMetricsAsJSON() }))
}

/** Requests that wait in one worker hear of what another one writes. */
function shareHints(worker: Supervisor, { hints }: Services): void {
  hints.forward(changed => worker.tell({ changed }))
  worker.onChanged(streams => hints.heard(streams, 'worker'))
}
