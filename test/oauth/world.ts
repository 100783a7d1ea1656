import { after, before, describe } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { type MovableClock, movableClock } from '../harness/clock.ts'
import { createTestDatabase, type Engine, engines, open, type TestDatabase } from '../harness/database.ts'
import { type Door, doorInto } from '../harness/oauth.ts'
import { createScenario, type Scenario } from '../harness/scenario.ts'
import { createTestServer } from '../harness/server.ts'
import type { Services } from '../harness/services.ts'
import { partsOfSuite, type Suite } from '../harness/suite.ts'

/** The demo's people and clients behind a server in this process, and a clock that the test moves. */
export interface World {
  database: TestDatabase
  settings: Record<string, string>
  services: Services
  app: FastifyInstance
  door: Door
  clock: MovableClock
}

export const secondMs = 1_000
export const dayMs = 86_400_000

type WorldOptions = { env?: Record<string, string>; on?: readonly Engine[] }
export type WorldSuite = Suite<WorldOptions, (world: () => World, scenario: Scenario) => void>

/** The same suite on each database. */
export function inDemoWorld(...suite: WorldSuite): void {
  const { name, options, body } = partsOfSuite(suite, {})
  const { env, on = engines } = options
  for (const engine of on) {
    describe(`${name} [${engine}]`, () => {
      let world: World
      before(async () => {
        const database = await createTestDatabase(engine, 'demo')
        const clock = movableClock()
        const settings = { ...database.settings, ...env }
        const services = await open(settings, clock)
        await services.schema.migrate()
        await services.demo.ensureLoaded()
        const { app } = await createTestServer(services, settings)
        world = { database, settings, services, app, door: doorInto(app), clock }
      })
      after(async () => {
        await world.app.close()
        await world.services.close()
        await world.database.remove()
      })
      body(
        () => world,
        createScenario(() => world.door),
      )
    })
  }
}
