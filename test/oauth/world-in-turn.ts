import { oneEngine } from '../harness/one-engine.ts'
import { partsOfSuite } from '../harness/suite.ts'
import { inDemoWorld, type WorldSuite } from './world.ts'

/** On SQLite in `npm test`, on PostgreSQL in `npm run test:long`: see test/harness/one-engine.ts. */
export function inDemoWorldInTurn(...suite: WorldSuite): void {
  const { name, options, body } = partsOfSuite(suite, {})
  inDemoWorld(name, { ...options, on: oneEngine }, body)
}
