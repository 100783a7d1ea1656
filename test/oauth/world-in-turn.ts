import { oneEngine } from '../harness/one-engine.ts'
import { inDemoWorld, type World } from './world.ts'

/** On SQLite in `npm test`, on PostgreSQL in `npm run test:long`: see test/harness/one-engine.ts. */
export function inDemoWorldInTurn(
  name: string,
  body: (world: () => World) => void,
  env: Record<string, string> = {},
): void {
  inDemoWorld(name, body, env, oneEngine)
}
