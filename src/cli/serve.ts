import type { Command } from 'commander'
import type { Logger } from 'pino'
import { openServices, type Services } from '../app.ts'
import { assertLoopbackOnly, type Config, SettingError } from '../config.ts'
import { createMetrics, type HttpMetrics } from '../http/metrics.ts'
import type { Server } from '../http/server.ts'
import { createLog } from '../logging.ts'
import { createAdminServer, createPublicServer, type PublicServerOptions } from '../servers.ts'
import { CommandError, type Context, configOf, ensureCurrentSchema, exitCodes } from './context.ts'
import { checkScanner } from './scanner-check.ts'

export function addServe(program: Command, context: Context): void {
  program
    .command('serve')
    .description('Run the service until SIGTERM or SIGINT.')
    .option('--demo', 'load the demo world and serve it on this machine only')
    .action((options: { demo?: boolean }) => serve(context, options.demo === true))
}

async function serve(context: Context, isDemo: boolean): Promise<void> {
  const stopRequested = context.untilStopRequested()
  const config = configOf(context)
  if (isDemo) assertLoopbackOnly(config)
  const log = createLog({
    level: config.LOG_LEVEL,
    format: config.LOG_FORMAT ?? (isDemo ? 'text' : 'json'),
    write: context.print,
  })
  const services = await openServices(config, log)
  try {
    await ensureCurrentSchema(services)
    await prepareDemo(services, isDemo)
    const tellOfScanner = await checkScanner(services, log)

    let baseUrl = config.BASE_URL ?? ''
    const metrics = createMetrics()
    const options: PublicServerOptions = {
      log,
      metrics,
      isDemo,
      baseUrl: () => baseUrl,
      authUrl: () => config.AUTH_URL ?? baseUrl,
      welcome: () => welcome(baseUrl, isDemo),
    }
    const server = await createPublicServer(config, services, options)
    const admin = await createAdminServer(config, options)
    const [port, adminPort] = await listen(config, server, admin)
    baseUrl ||= `http://localhost:${port}`
    if (isDemo) await orStop([server, admin], services.demo.registerCallback(baseUrl))

    const adminUrl = `http://${config.ADMIN_HOST}:${adminPort}`
    if (isDemo) context.print(banner(config, baseUrl, adminUrl))
    log.info({ baseUrl, port, adminUrl, database: services.database.dialect }, 'listening')
    tellOfScanner()
    startWork(config, services, metrics, log)

    const signal = await stopRequested
    log.info({ signal, graceSeconds: config.limits.shutdownGraceSeconds }, 'stopping')
    // Both within the same time; nothing new is begun from here on.
    await Promise.all([services.work.stop(), server.drain(config.limits.shutdownGraceSeconds)])
    await admin.drain(0)
    log.info('stopped')
  } finally {
    await services.close()
  }
}

async function prepareDemo({ demo }: Services, isDemo: boolean): Promise<void> {
  if (isDemo) {
    if (await demo.ensureLoaded()) return
    throw new CommandError(
      'The database holds data of its own, and the demo would add published credentials to it. Set DATA_DIR or DATABASE_URL to an empty one, or serve without --demo.',
      exitCodes.cannotStart,
    )
  }
  const state = await demo.state()
  if (state === 'loaded' || state === 'outdated' || state === 'unfinished') {
    throw new CommandError(
      'The database holds the demo world with its published credentials. Run "dossier demo remove" to empty it, or set DATA_DIR or DATABASE_URL to another one.',
      exitCodes.cannotStart,
    )
  }
}

function startWork(config: Config, { work }: Services, metrics: HttpMetrics, log: Logger): void {
  if (config.WORK === 'elsewhere') {
    log.info('background work is left to "dossier work" (WORK=elsewhere)')
    return
  }
  work.start(metrics.countRun)
  log.info({ tasks: work.tasks.join(', ') }, 'background work runs in this process')
}

async function orStop(servers: Server[], step: Promise<void>): Promise<void> {
  try {
    await step
  } catch (error) {
    for (const server of servers) await server.drain(0)
    throw error
  }
}

/** Both or none: a half-started service must not stay behind. */
async function listen(config: Config, server: Server, admin: Server): Promise<[number, number]> {
  try {
    return [
      await listenOn(server, 'HOST', config.HOST, 'PORT', config.PORT),
      await listenOn(admin, 'ADMIN_HOST', config.ADMIN_HOST, 'ADMIN_PORT', config.ADMIN_PORT),
    ]
  } catch (error) {
    await server.drain(0)
    throw error
  }
}

async function listenOn(
  server: Server,
  hostSetting: string,
  host: string,
  portSetting: string,
  port: number,
): Promise<number> {
  try {
    return await server.listen(host, port)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw code === 'EADDRINUSE'
      ? new SettingError(portSetting, `port ${port} of ${host} is in use; choose another`)
      : new SettingError(hostSetting, `cannot listen on port ${port} of ${host} (${code})`)
  }
}

function examples(baseUrl: string): string {
  const call = "curl -H 'Authorization: SWS sws_demo_harbour'"
  return [
    `${call} '${baseUrl}/v1/advertiser/applications?limit=2'`,
    `${call} -H 'Accept: application/xml' ${baseUrl}/v1/advertiser/applications/screen/1`,
    `${call} -o resume.pdf ${baseUrl}/v1/advertiser/applications/resume/1`,
  ]
    .map(line => `  ${line}\n`)
    .join('')
}

function banner(config: Config, baseUrl: string, adminUrl: string): string {
  const where = config.DATABASE_URL === undefined ? `SQLite in ${config.DATA_DIR}` : 'PostgreSQL'
  return `
Dossier serves the demo world on ${baseUrl} (${where})

  home             ${baseUrl}/ (everything, with a button to sign in as each person of the demo)
  job ads          ${baseUrl}/jobs (apply for one as mary@example.com, password demo-password)
  console          ${baseUrl}/console (as rae@example.com, an admin, or rex@example.com, a recruiter)
  careers page     ${baseUrl}/demo (the whole share journey, to click through)
  for developers   ${baseUrl}/docs
  API description  ${baseUrl}/openapi.json
  health           ${baseUrl}/health/ready
  metrics          ${adminUrl}/metrics

Try:

${examples(baseUrl)}
Stop with Ctrl-C.

`
}

function welcome(baseUrl: string, isDemo: boolean): string {
  return `Dossier: the apply layer of a job board.

Home:            ${baseUrl}/ (in a browser)
Job ads:         ${baseUrl}/jobs
Candidates:      ${baseUrl}/account
Advertisers:     ${baseUrl}/console
${isDemo ? `Careers page:    ${baseUrl}/demo (the whole share journey, to click through)\n` : ''}Developers:      ${baseUrl}/docs
API description: ${baseUrl}/openapi.json
Health:          ${baseUrl}/health/live and ${baseUrl}/health/ready
${isDemo ? `\nTry:\n\n${examples(baseUrl)}` : ''}`
}
