import type { Services } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { Finding } from '../../operator/home/ports.ts'
import { isUsable } from '../../storage/migrations/applying/schema.ts'
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
  checkDataChanges,
  checkDemo,
  checkFactors,
  checkMail,
  checkOperators,
  checkRestored,
  checkScanner,
  checkWebhooks,
  describeRetention,
} from './service-checks.ts'

type Check = () => Promise<Finding | undefined>

/** What "dossier doctor" checks, one finding after the other. */
export async function* findingsOf(services: Services, config: Config, depth: Depth): AsyncGenerator<Finding> {
  for (const check of await checksOf(services, config, depth)) {
    const finding = await check()
    if (finding !== undefined) yield finding
  }
}

/** The same for a page, all at once. */
export async function findingsAtOnce(services: Services, config: Config, depth: Depth): Promise<Finding[]> {
  const checks = await checksOf(services, config, depth)
  const findings = await Promise.all(checks.map(check => check()))
  return findings.filter(finding => finding !== undefined)
}

/** No check needs the result of another. */
async function checksOf(services: Services, config: Config, depth: Depth): Promise<Check[]> {
  const { database, moving, ownership, scanner } = services
  const isDeep = depth === 'deep'
  const damage = depth === 'quick' ? undefined : await database.examine?.(isDeep)
  if (damage !== undefined) return [async () => ({ what: 'database', isFine: false, says: damage })]
  const schema = await services.schema.state()
  const isCurrent = isUsable(schema)
  if (isCurrent && (await services.copiedAt()) !== undefined) {
    const says = 'is the copy in a backup: run "dossier restore"'
    return [async () => ({ what: 'database', isFine: false, says })]
  }
  const { replica, bell } = database
  const prove = bell?.prove
  const ofMachine: (Check | false | undefined)[] = [
    () => checkDatabase(services, schema, depth),
    () => checkDisk(services, config),
    () => checkBlobStore(services, config, isCurrent),
    moving !== undefined && ownership.places.length > 1 && (() => checkMoving(moving)),
    () => checkClock(services, config, isCurrent),
    replica && (() => checkReplica(replica)),
    prove && (() => checkListening(prove)),
    async () => checkProxy(services, config),
    scanner && (() => checkScanner(scanner)),
  ]
  const ofService: typeof ofMachine = [
    () => checkRestored(services, config),
    depth !== 'quick' && (() => checkCounts(services)),
    config.SMTP_URL !== undefined && (() => checkMail(services)),
    () => checkWebhooks(services),
    depth !== 'quick' && (() => checkBlobs(services, config, isDeep)),
    () => checkBackups(services, config),
    async () => describeRetention(config, await services.retention.untold()),
    () => checkOperators(services),
    () => checkFactors(services, config),
    () => checkDataChanges(services),
    () => checkDemo(services),
  ]
  return [...ofMachine, ...(isCurrent ? ofService : [])].filter(
    check => check !== undefined && check !== false,
  )
}

export function describeSettings(config: Config): string {
  const database = config.DATABASE_URL === undefined ? `SQLite in ${config.DATA_DIR}` : 'PostgreSQL'
  const scanner =
    config.CLAMD_URL === undefined ? 'no scanner' : `scanner set, unjudged files: ${config.UNSCANNED}`
  const files = config.BLOBS_URL === undefined ? [] : [`files in the S3 bucket "${config.BLOBS_URL.bucket}"`]
  const mail = config.SMTP_URL === undefined ? ['no mail server'] : []
  return [database, ...files, scanner, ...mail].join(', ')
}
