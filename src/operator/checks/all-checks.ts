import type { Modules } from '../../platform/core/modules.ts'
import { isUsable } from '../../platform/database/migrating/schema.ts'
import type { CheckResult } from '../home/ports.ts'
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
  checkLists,
  checkMail,
  checkOperators,
  checkProvider,
  checkRestored,
  checkRetention,
  checkScanner,
  checkWebhooks,
  describeNoMail,
  describeNoScanner,
  describeTransport,
} from './service-checks.ts'

type Config = Modules['platform']['config']

type Check = () => Promise<CheckResult | undefined>

/** The checks of "dossier doctor", run one after the other. */
export async function* resultsOf(app: Modules, config: Config, depth: Depth): AsyncGenerator<CheckResult> {
  for (const check of await checksOf(app, config, depth)) {
    const result = await check()
    if (result !== undefined) yield result
  }
}

/** Runs the checks in parallel, for a page. */
export async function allResults(app: Modules, config: Config, depth: Depth): Promise<CheckResult[]> {
  const checks = await checksOf(app, config, depth)
  const results = await Promise.all(checks.map(check => check()))
  return results.filter(result => result !== undefined)
}

/** No check depends on the result of another. */
async function checksOf(app: Modules, config: Config, depth: Depth): Promise<Check[]> {
  const {
    platform: { database, scanner },
    upkeep: { moving, ownership },
  } = app
  const isDeep = depth === 'deep'
  const damage = depth === 'quick' ? undefined : await database.examine?.(isDeep)
  if (damage !== undefined) return [async () => ({ what: 'database', isFine: false, says: damage })]
  const schema = await app.platform.schema.state()
  const isCurrent = isUsable(schema)
  if (isCurrent && (await app.platform.copiedAt()) !== undefined) {
    const says = 'is the copy in a backup: run "dossier restore"'
    return [async () => ({ what: 'database', isFine: false, says })]
  }
  const { replica, notifier } = database
  const prove = notifier?.prove
  const ofMachine: (Check | false | undefined)[] = [
    () => checkDatabase(app, schema, depth),
    () => checkDisk(app, config),
    () => checkBlobStore(app, config, isCurrent),
    moving !== undefined && ownership.places.length > 1 && (() => checkMoving(moving)),
    () => checkClock(app, isCurrent),
    replica && (() => checkReplica(replica)),
    prove && (() => checkListening(prove)),
    async () => checkProxy(app, config),
    async () => (scanner === undefined ? describeNoScanner : checkScanner(scanner)),
    async () => describeTransport(config),
  ]
  const ofService: typeof ofMachine = [
    () => checkRestored(app),
    depth !== 'quick' && (() => checkCounts(app)),
    () => (config.SMTP_URL === undefined ? describeNoMail(app) : checkMail(app)),
    () => checkWebhooks(app),
    depth !== 'quick' && (() => checkBlobs(app, config, isDeep)),
    () => checkBackups(app, config),
    async () => checkRetention(config, await app.collect.retention.untold()),
    () => checkOperators(app),
    () => checkFactors(app, config),
    ...(depth === 'quick' ? [] : app.accounts.providers.parties().map(party => () => checkProvider(party))),
    () => checkDataChanges(app.upkeep),
    () => checkLists(app),
    () => checkDemo(app),
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
