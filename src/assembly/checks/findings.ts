import type { Services } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { Finding } from '../../operator/home/ports.ts'
import { checkBackups, checkBlobStore, checkBlobs, checkMoving } from './file-checks.ts'
import {
  checkClock,
  checkDatabase,
  checkDisk,
  checkListening,
  checkProxy,
  checkReplica,
  type Depth,
} from './machine-checks.ts'
import {
  checkCounts,
  checkDemo,
  checkFactors,
  checkMail,
  checkOperators,
  checkRestored,
  checkScanner,
  checkWebhooks,
  describeRetention,
} from './service-checks.ts'

/** What "dossier doctor" and the operator's home page check, one finding after the other. */
export async function* findingsOf(services: Services, config: Config, depth: Depth): AsyncGenerator<Finding> {
  const { database, moving, ownership, scanner } = services
  const isDeep = depth === 'deep'
  const damage = depth === 'quick' ? undefined : await database.examine?.(isDeep)
  if (damage !== undefined) {
    yield { what: 'database', isFine: false, says: damage }
    return
  }
  const isCurrent = await services.schema.isUsable()
  if (isCurrent && (await services.copiedAt()) !== undefined) {
    yield { what: 'database', isFine: false, says: 'is the copy in a backup: run "dossier restore"' }
    return
  }
  yield await checkDatabase(services, depth)
  yield await checkDisk(services, config)
  yield await checkBlobStore(services, config, isCurrent)
  if (moving !== undefined && ownership.places.length > 1) yield await checkMoving(moving)
  const clock = await checkClock(services, config, isCurrent)
  if (clock !== undefined) yield clock
  if (database.replica !== undefined) yield await checkReplica(database.replica)
  if (database.bell?.prove !== undefined) yield await checkListening(database.bell.prove)
  const proxy = checkProxy(services, config)
  if (proxy !== undefined) yield proxy
  if (scanner !== undefined) yield await checkScanner(scanner)
  if (!isCurrent) return
  const restored = await checkRestored(services, config)
  if (restored !== undefined) yield restored
  if (depth !== 'quick') yield await checkCounts(services)
  if (config.SMTP_URL !== undefined) yield await checkMail(services)
  const webhooks = await checkWebhooks(services)
  if (webhooks !== undefined) yield webhooks
  if (depth !== 'quick') yield await checkBlobs(services, config, isDeep)
  yield await checkBackups(services, config)
  yield describeRetention(config, await services.retention.untold())
  yield await checkOperators(services)
  const factors = isCurrent ? await checkFactors(services, config) : undefined
  if (factors !== undefined) yield factors
  yield await checkDemo(services)
}

export function describeSettings(config: Config): string {
  const database = config.DATABASE_URL === undefined ? `SQLite in ${config.DATA_DIR}` : 'PostgreSQL'
  const scanner =
    config.CLAMD_URL === undefined ? 'no scanner' : `scanner set, unjudged files: ${config.UNSCANNED}`
  const files = config.BLOBS_URL === undefined ? [] : [`files in the S3 bucket "${config.BLOBS_URL.bucket}"`]
  const mail = config.SMTP_URL === undefined ? ['no mail server'] : []
  return [database, ...files, scanner, ...mail].join(', ')
}
