import {
  type Engine,
  engines,
  fileEngines,
  type ServicesSuite,
  type StoreEngine,
  storeEngines,
  withServicesOn,
} from './database.ts'
import { isLongRun } from './effort.ts'
import { onEngines, type ServiceSuite } from './service.ts'

/**
 * SQLite in `npm test`, PostgreSQL in `npm run test:long`. For behaviour that does not depend on SQL, such as parsing,
 * headers, error codes and the texts of pages.
 */
export const oneEngine: readonly Engine[] = isLongRun ? ['postgres'] : ['sqlite']

/** The same for behaviour that depends on where files are stored. */
const oneEngineAndS3: readonly StoreEngine[] = isLongRun ? ['postgres'] : ['sqlite', 's3']

export const onOneEngineInTurn = (...suite: ServiceSuite): void => onEngines(oneEngine, ...suite)
export const onFileStoresInTurn = (...suite: ServiceSuite): void => onEngines(oneEngineAndS3, ...suite)

/**
 * On each database in `npm test`; in `npm run test:long` also with S3, through a pooler and on tables in parts, where the
 * statements are the same.
 */
export function withStoresInTurn(...suite: ServicesSuite): void {
  for (const engine of isLongRun ? storeEngines : engines) withServicesOn(engine, ...suite)
}

/** The same for a service; the long run does not repeat the engines of the short one. */
export const onEveryEngineInTurn = (...suite: ServiceSuite): void =>
  onEngines(isLongRun ? ['pgbouncer', 'partitioned'] : fileEngines, ...suite)
