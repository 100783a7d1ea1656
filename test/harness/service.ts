import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { createTestDatabase, type Engine, engines, type TestDatabase } from './database.ts'
import { findLogLine, runDossier, startDossier } from './process.ts'

export interface Service {
  engine: Engine | 'external'
  /** Without a trailing slash. */
  baseUrl: string
  adminUrl: string
  port: number
  /** The settings that reach the same database; undefined for a service that is not ours. */
  settings: Record<string, string> | undefined
  stop(): Promise<void>
  log(): string
}

const externalUrl = process.env['TEST_BASE_URL']

/** Whatever is logged in any test must be free of these. */
const secrets =
  /sws_demo_(harbour|southern|drydock)|sws_\w{8}_[\w-]{43}|\bd(ac|at|cs|se|li)_[\w-]{43}|demo-ats-secret|[\w.]+@example\.(com|org|net)|%PDF-|demo-password/

export async function startService(
  database: TestDatabase,
  options: { env?: Record<string, string> } = {},
): Promise<Service> {
  const settings = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', LOG_FORMAT: 'json', ...database.settings }
  const running = startDossier(['serve', '--demo'], { ...settings, ...options.env })
  const listening = await running.until(stdout => findLogLine(stdout, 'listening'))
  return {
    engine: database.engine,
    baseUrl: String(listening['baseUrl']),
    adminUrl: String(listening['adminUrl']),
    port: Number(listening['port']),
    settings: database.settings,
    log: running.stdout,
    async stop() {
      running.child.kill('SIGTERM')
      const { code, stdout, stderr } = await running.finished
      assert.equal(code, 0, `the service ended with ${code}: ${stderr}`)
      assert.equal(stderr, '')
      // The banner has the demo's credentials on purpose; what is logged is in JSON.
      const logged = stdout.split('\n').filter(line => line.startsWith('{'))
      assert.ok(logged.length > 0)
      for (const line of logged) assert.doesNotMatch(line, secrets)
    },
  }
}

/** The same suite against `dossier serve --demo` on each database, or against TEST_BASE_URL when that is set. */
export function onBothEngines(
  name: string,
  body: (service: () => Service) => void,
  options: { env?: Record<string, string> } = {},
): void {
  if (externalUrl !== undefined) {
    describe(`${name} [${externalUrl}]`, () => body(() => externalService(externalUrl)))
    return
  }
  for (const engine of engines) {
    describe(`${name} [${engine}]`, () => {
      let database: TestDatabase
      let service: Service
      before(async () => {
        database = await createTestDatabase(engine)
        service = await startService(database, options)
      })
      after(async () => {
        await service.stop()
        await database.remove()
      })
      body(() => service)
    })
  }
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

/** `dossier <args>` on the database of this service. */
export async function dossier(
  service: Service,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  if (service.settings === undefined) throw new Error('this test needs a service of its own')
  const { code, stdout, stderr } = await runDossier(args, service.settings)
  return { code: code ?? -1, stdout, stderr }
}
