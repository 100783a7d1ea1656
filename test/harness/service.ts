import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import type { WorldName } from '../../src/demo/world-names.ts'
import { type Outcome, startHere } from './command.ts'
import { createTestDatabase, engines, type StoreEngine, skipOn, type TestDatabase } from './database.ts'
import { doorOf } from './oauth.ts'
import { findLogLine, type Running, startDossier } from './process.ts'
import { createScenario, type Scenario } from './scenario.ts'
import { partsOfSuite, type Suite } from './suite.ts'

export interface Service {
  engine: StoreEngine | 'external'
  /** Without a trailing slash. */
  baseUrl: string
  adminUrl: string
  port: number
  /** The settings that reach the same database; undefined for an external service. */
  settings: Record<string, string> | undefined
  stop(): Promise<void>
  log(): string
}

const externalUrl = process.env['TEST_BASE_URL']

/** The log of every test must be free of these. */
const secrets =
  /sws_demo_(harbour|southern|drydock)|sws_\w{8}_[\w-]{43}|\bd(ac|at|cs|se|li)_[\w-]{43}|demo-(ats|board)-secret|[\w.]+@example\.(com|org|net)|%PDF-|demo-password/

/** Its own process: for tests of several at once, and of how they end. */
export async function startService(
  database: TestDatabase,
  options: { env?: Record<string, string> } = {},
): Promise<Service> {
  const running = startDossier(serveDemo, settingsOf(database, options))
  return serviceOn(database, running, () => running.child.kill('SIGTERM'))
}

/** In the process of the test, where it starts in a moment: the bytes on the wire are the same. */
export async function startServiceHere(
  database: TestDatabase,
  options: { env?: Record<string, string>; demoWorld?: WorldName } = {},
): Promise<Service> {
  const { demoWorld } = options
  const args = demoWorld === undefined ? serveDemo : ['serve', `--demo=${demoWorld}`]
  const running = startHere(args, settingsOf(database, options))
  return serviceOn(database, running, running.stop)
}

const serveDemo = ['serve', '--demo']

const settingsOf = ({ settings }: TestDatabase, { env }: { env?: Record<string, string> }) => ({
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_PORT: '0',
  LOG_FORMAT: 'json',
  // The events of the demo's history are old: their removal would fall into the middle of a test.
  EVENT_DAYS: '400',
  ...settings,
  ...env,
})

async function serviceOn(
  { engine, settings }: TestDatabase,
  running: Pick<Running, 'stdout' | 'until'> & { finished: Promise<Outcome> },
  requestStop: () => void,
): Promise<Service> {
  const listening = await running.until(stdout => findLogLine(stdout, 'listening'))
  return {
    engine,
    baseUrl: String(listening['baseUrl']),
    adminUrl: String(listening['adminUrl']),
    port: Number(listening['port']),
    settings,
    log: running.stdout,
    async stop() {
      requestStop()
      const { code, stdout, stderr } = await running.finished
      assert.equal(code, 0, `the service ended with ${code}: ${stderr}`)
      assert.equal(stderr, '')
      // The banner has the demo's credentials on purpose; log lines are JSON.
      const logged = stdout.split('\n').filter(line => line.startsWith('{'))
      assert.ok(logged.length > 0)
      for (const line of logged) assert.doesNotMatch(line, secrets)
    },
  }
}

/** The same suite against `dossier serve --demo` on each of these, or against TEST_BASE_URL when that is set. */
export function onEngines(engines: readonly StoreEngine[], ...suite: ServiceSuite): void {
  for (const engine of engines) onEngine(engine, suite)
}

type ServiceBody = (service: () => Service, scenario: Scenario) => void
export type ServiceSuite = Suite<{ env?: Record<string, string> }, ServiceBody>

export const onBothEngines = (...suite: ServiceSuite): void => onEngines(engines, ...suite)

/**
 * The same on SQLite alone: for what is decided before the database is queried, and for pages, whose stores have suites
 * of their own on both engines.
 */
export const onOneEngine = (...suite: ServiceSuite): void => onEngines(['sqlite'], ...suite)

function onEngine(engine: StoreEngine, suite: ServiceSuite): void {
  const { name, options, body } = partsOfSuite(suite, {})
  if (externalUrl !== undefined) {
    // An external service has one database, whichever that is.
    if (engine !== engines[0]) return
    const service = externalService(externalUrl)
    describe(`${name} [${externalUrl}]`, () =>
      body(
        () => service,
        createScenario(() => doorOf(service)),
      ))
    return
  }
  describe(`${name} [${engine}]`, { skip: skipOn(engine) }, () => {
    let database: TestDatabase
    let service: Service
    before(async () => {
      database = await createTestDatabase(engine, 'demo')
      service = await startServiceHere(database, options)
    })
    after(async () => {
      await service.stop()
      await database.remove()
    })
    body(
      () => service,
      createScenario(() => doorOf(service)),
    )
  })
}

function externalService(url: string): Service {
  const { origin, port } = new URL(url)
  return {
    engine: 'external',
    baseUrl: origin,
    adminUrl: '',
    port: Number(port) || (origin.startsWith('https') ? 443 : 80),
    settings: undefined,
    stop: async () => {},
    log: () => '',
  }
}
