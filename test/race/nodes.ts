import type { TestDatabase } from '../harness/database.ts'
import { isLongRun } from '../harness/effort.ts'
import { type Service, startService, startServiceHere } from '../harness/service.ts'

/** So many nodes on one database. In `npm test` the first of them runs in the process of the test. */
export function startNodes(
  database: TestDatabase,
  count: number,
  options: { env?: Record<string, string> } = {},
): Promise<Service[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      index === 0 && !isLongRun ? startServiceHere(database, options) : startService(database, options),
    ),
  )
}
