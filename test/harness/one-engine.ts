import type { Engine, StoreEngine } from './database.ts'
import { isLongRun } from './effort.ts'
import { onEngines, type Suite } from './service.ts'

/**
 * SQLite in `npm test`, PostgreSQL in `npm run test:long`. For behaviour that does not depend on SQL, such as parsing,
 * headers, error codes and the texts of pages.
 */
export const oneEngine: readonly Engine[] = isLongRun ? ['postgres'] : ['sqlite']

/** The same for behaviour that depends on where files are stored. */
const oneEngineAndS3: readonly StoreEngine[] = isLongRun ? ['postgres'] : ['sqlite', 's3']

export const onOneEngineInTurn = (...suite: Suite): void => onEngines(oneEngine, ...suite)
export const onFileStoresInTurn = (...suite: Suite): void => onEngines(oneEngineAndS3, ...suite)
