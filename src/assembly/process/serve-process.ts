import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { DemoDoors } from '../../demo/world/doors.ts'
import type { WorldName } from '../../demo/world-names.ts'
import { worldSettings } from '../../demo/world-settings-adapter.ts'
import { ListFault } from '../../model/own-lists.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { asTask, withAuditContext } from '../../platform/core/async/audit-context.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import { createMetrics, type HttpMetrics } from '../../platform/http/observed/metrics.ts'
import type { Server } from '../../platform/http/server.ts'
import { assertLoopbackOnly, type Config, SettingError } from '../../settings.ts'
import { createAdminServer } from '../admin-server.ts'
import { type App, openApp } from '../app.ts'
import { doorsOf, prepareDemoHooks } from '../demo.ts'
import { createPublicServer } from '../servers.ts'
import type { PublicServerOptions } from '../web.ts'
import { warnOfClock, watchClock } from './clock-check.ts'
import {
  type Context,
  configOf,
  ensureCurrentSchema,
  serviceLog,
  signIn,
  untilStoppedOrFailed,
} from './context.ts'
import { listenToAdmin, listenToPublic } from './listening.ts'
import { checkScanner } from './scanner-check.ts'
import { replaced, type Supervisor } from './worker-process.ts'

/** Serves in this process, alone or as one of several workers. */
export async function serveHere(context: Context, demoWorld?: WorldName): Promise<void> {
  const { worker } = context
  const stopRequested = context.untilStopRequested()
  const isDemo = demoWorld !== undefined
  const config = configOf(context, demoWorld && worldSettings[demoWorld])
  if (isDemo) assertLoopbackOnly(config)
  const log = serviceLog(context, config, isDemo)
  const app = await openApp(config, log)
  const servers: Server[] = []
  try {
    await ensureCurrentSchema(app)
    await warnOfClock(app, log)
    await warnOfFolder(app, config, log)
    await prepareDemo(app, demoWorld)
    await recordLists(app)
    await signIn(app.platform)
    const reportScanner = await checkScanner(app, log)

    let baseUrl = config.BASE_URL ?? ''
    let isStopping = false
    const metrics = createMetrics()
    app.platform.watchBlobs(metrics.observeBlobCall)
    metrics.watchDisk(() =>
      app.platform.disk.look().then(
        ({ freeBytes }) => freeBytes,
        // Failures are not logged with each scrape; /health/ready warns of them.
        () => Number.NaN,
      ),
    )
    metrics.watchDeliveries(() =>
      app.mail.deliveries.counts().then(
        ({ waiting, dead, oldestAt }) => {
          // Without a mail server, another process sends the emails, or none does.
          const isSilent = oldestAt === null || app.mail.mailTransport() === undefined
          const oldestSeconds = isSilent ? 0 : Math.max(0, (app.platform.clock() - oldestAt) / 1000)
          return { waiting, dead, oldestSeconds }
        },
        // Failures are not logged with each scrape: /health/ready reports the database.
        () => ({ waiting: Number.NaN, dead: Number.NaN, oldestSeconds: Number.NaN }),
      ),
    )
    watchUpkeep(app, metrics)
    metrics.watchWebhooks(app.webhooks.watchWebhooks, app.webhooks.webhookFigures)
    const doors = isDemo ? await doorsOf(demoWorld) : undefined
    const options: PublicServerOptions = {
      log,
      metrics,
      isDemo,
      ...(isDemo && { demoWorld }),
      baseUrl: () => baseUrl,
      authUrl: () => config.AUTH_URL ?? baseUrl,
      welcome: () => welcome(config.BOARD_NAME, baseUrl, doors),
      isStopping: () => isStopping,
      onUntrustedProxy(address) {
        log.warn(
          { address },
          'forwarding headers from an address that is not in TRUSTED_PROXIES are ignored: if it is your proxy, add its address',
        )
        app.platform.proxyMark.write(address)
      },
    }
    const unwatchClock = watchClock(app, log)
    const server = await createPublicServer(config, app, options)
    servers.push(server)
    const port = await listenToPublic(config, server)
    baseUrl ||= `http://localhost:${port}`
    const database = app.platform.database.dialect
    if (isDemo) await app.demo.demo.registerCallback(demoWorld, baseUrl)
    if (isDemo && worker === undefined)
      await withAuditContext(asTask('demo', app.platform.clock), () =>
        prepareDemoHooks(app.platform, app.webhooks, app.demo, demoWorld, baseUrl),
      )
    let admin: Server | undefined
    if (worker === undefined) {
      admin = await createAdminServer(config, options)
      servers.push(admin)
      const adminUrl = await listenToAdmin(config, admin)
      if (doors !== undefined) context.print(banner(config, baseUrl, adminUrl, doors))
      log.info({ baseUrl, port, adminUrl, database }, 'listening')
    } else {
      sendFigures(worker, metrics)
      shareHints(worker, app)
      await worker.tell({ up: { baseUrl, port, database } })
    }
    reportScanner()
    await tellOfOperators(app, isDemo, context, log)
    startWork(config, app, metrics, log)

    const signal = await untilStoppedOrFailed(stopRequested, app.platform)
    unwatchClock()
    // A replaced worker leaves while its node continues to serve, so /health/ready does not change.
    const isReplaced = signal === replaced
    isStopping = !isReplaced
    const delaySeconds = isReplaced ? 0 : config.SHUTDOWN_DELAY_SECONDS
    const { shutdownGraceSeconds: graceSeconds, shutdownIdleMs } = config.limits
    log.info({ signal, delaySeconds, graceSeconds }, 'stopping')
    const worked = app.upkeep.work.stop()
    await sleep(delaySeconds * 1000)
    // The person who stops a demo waits for the prompt, and no requests are in transit.
    await server.drain({ graceMs: graceSeconds * 1000, idleMs: isDemo && !isReplaced ? 0 : shutdownIdleMs })
    await worked
    await admin?.drain()
    await worker?.tell({ figures: await metrics.registry.getMetricsAsJSON() })
    log.info('stopped')
  } catch (error) {
    // A process that listens does not end by itself, and could only reject requests.
    await Promise.all(servers.map(server => server.drain()))
    throw error
  } finally {
    await app.close()
  }
}

function watchUpkeep(
  { upkeep: { upkeepFigures }, platform: { database, release } }: App,
  metrics: HttpMetrics,
): void {
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

async function prepareDemo(
  { demo: { demo }, platform: { clock, reconcileKeys } }: App,
  demoWorld: WorldName | undefined,
): Promise<void> {
  if (demoWorld !== undefined) {
    // The demo adds endpoints, for which it needs a key.
    await reconcileKeys()
    if (await withAuditContext(asTask('demo', clock), () => demo.ensureLoaded(demoWorld))) return
    const stored = await demo.world()
    if (stored !== undefined)
      throw new CommandError(
        `The database contains the demo world "${stored}". Run "dossier demo remove" to empty it, or set DATA_DIR or DATABASE_URL to an empty database.`,
        exitCodes.cannotStart,
      )
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

/** Call after the demo was prepared, which empties the database. */
async function recordLists({ people: { listMeanings } }: App): Promise<void> {
  await listMeanings.record().catch(error => {
    if (error instanceof ListFault) throw new SettingError('LISTS_DIR', error.message)
    throw error
  })
}

/** Without the folder the node is not ready, but still serves requests that do not need files. */
async function warnOfFolder(
  { platform: { blobs } }: App,
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

function startWork(config: Config, { upkeep: { work } }: App, metrics: HttpMetrics, log: Logger): void {
  if (config.WORK === 'elsewhere') {
    log.info('background work is left to "dossier work" (WORK=elsewhere)')
    return
  }
  work.start(metrics.countRun)
  log.info({ tasks: work.tasks.join(', ') }, 'background work runs in this process')
}

/** Logged once per node: without operators, the operator's pages cannot be used. */
async function tellOfOperators(
  { accounts: { operators } }: App,
  isDemo: boolean,
  { worker }: Context,
  log: Logger,
): Promise<void> {
  const isFirst = worker === undefined || worker.number === 1
  if (isDemo || !isFirst) return
  // The node already serves, and a short outage of the database must not end it.
  if (await operators.isAny().catch(() => true)) return
  log.info('no operator yet: run "dossier operator invite <your email address>" and open the link it prints')
}

function sendFigures(worker: Supervisor, { registry }: HttpMetrics): void {
  worker.onFiguresWanted(async () => worker.tell({ figures: await registry.getMetricsAsJSON() }))
}

/** Requests that wait in one worker are notified of writes by another. */
function shareHints(worker: Supervisor, { platform: { hints } }: App): void {
  hints.forward(changed => worker.tell({ changed }))
  worker.onChanged(streams => hints.heard(streams, 'worker'))
}

/** Texts that `dossier serve` prints for people. */

function examples(baseUrl: string, { credential }: DemoDoors): string {
  const call = `curl -H 'Authorization: SWS ${credential.value}'`
  return [
    `${call} '${baseUrl}/v1/advertiser/applications?limit=2'`,
    `${call} -H 'Accept: application/xml' ${baseUrl}/v1/advertiser/applications/screen/1`,
    `${call} -o resume.pdf ${baseUrl}/v1/advertiser/applications/resume/1`,
  ]
    .map(line => `  ${line}\n`)
    .join('')
}

function banner(config: Config, baseUrl: string, adminUrl: string, doors: DemoDoors): string {
  const { candidates, members, operators, agent } = doors
  const [candidate, admin, recruiter, operator] = [candidates[0], ...members.slice(0, 2), operators[0]]
  const where = config.DATABASE_URL === undefined ? `SQLite in ${config.DATA_DIR}` : 'PostgreSQL'
  return `
Dossier serves the demo world on ${baseUrl} (${where})

  home             ${baseUrl}/ (start here; sign in as any person of the demo with one click)
  job ads          ${baseUrl}/jobs (apply as ${candidate?.email}, password ${candidate?.password})
  console          ${baseUrl}/console (as ${admin?.email}, an admin, or ${recruiter?.email}, a recruiter)
  agent's pages    ${baseUrl}/agent/${agent.id} (as ${agent.email}, of the agent ${agent.name})
  operator         ${baseUrl}/operator (as ${operator?.email})
  careers page     ${baseUrl}/demo (try sharing a profile, step by step)
  for developers   ${baseUrl}/docs
  API description  ${baseUrl}/openapi.json
  health           ${baseUrl}/health/ready
  metrics          ${adminUrl}/metrics

Try:

${examples(baseUrl, doors)}
Stop with Ctrl-C.

`
}

function welcome(board: string, baseUrl: string, doors: DemoDoors | undefined): string {
  return `${board}: the apply layer of a job board.

Home:            ${baseUrl}/ (in a browser)
Job ads:         ${baseUrl}/jobs
Candidates:      ${baseUrl}/account
Advertisers:     ${baseUrl}/console
${doors ? `Careers page:    ${baseUrl}/demo (try sharing a profile, step by step)\n` : ''}Developers:      ${baseUrl}/docs
API description: ${baseUrl}/openapi.json
Health:          ${baseUrl}/health/live and ${baseUrl}/health/ready
${doors ? `\nTry:\n\n${examples(baseUrl, doors)}` : ''}`
}
