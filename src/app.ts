import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createAgents } from './advertisers/agents.ts'
import { createAdvertisers, createCredentials } from './advertisers/service.ts'
import { createApplying } from './applications/applying.ts'
import { createIntake } from './applications/intake.ts'
import { createIntakeAccess } from './applications/intake-access.ts'
import { createApplications } from './applications/service.ts'
import { createAccountLinks } from './candidates/account-links.ts'
import { createAccounts } from './candidates/accounts.ts'
import { createProfiles } from './candidates/profiles.ts'
import { createPasswordCheck } from './candidates/sign-in.ts'
import { type Config, SettingError } from './config.ts'
import { createBackground } from './core/background.ts'
import { type Clock, systemClock } from './core/clock.ts'
import { newUuid } from './core/ids.ts'
import { reasonOf } from './core/reason.ts'
import { within } from './core/within.ts'
import { openAsset } from './demo/assets.ts'
import { createOutbox } from './demo/outbox.ts'
import { createDemo } from './demo/service.ts'
import { type CleanUp, createCleanUp } from './files/clean-up.ts'
import { examineFiles } from './files/file-examination.ts'
import type { BlobStore, Scanner } from './files/ports.ts'
import { createFileReceiver } from './files/receiving.ts'
import { createRescan } from './files/rescan.ts'
import { createImports } from './imports/service.ts'
import { createJobs, createScreens } from './jobs/service.ts'
import type { Mailer } from './mail/ports.ts'
import { createAuthorization } from './oauth/authorization.ts'
import { createClients } from './oauth/clients.ts'
import { createTokenEndpoint } from './oauth/token.ts'
import { createTokenCheck } from './oauth/token-check.ts'
import { createSharing } from './sharing/service.ts'
import { createFolderBlobs } from './storage/blobs-fs.ts'
import { createArchiveCheck } from './storage/document-check.ts'
import { createImportFiles } from './storage/import-file.ts'
import { migrate, readSchemaState } from './storage/migrate.ts'
import type { Database } from './storage/schema.ts'
import { createAccountStore } from './storage/sql/accounts.ts'
import { createAdvertiserStore, createCredentialStore } from './storage/sql/advertisers.ts'
import { createAgentStore } from './storage/sql/agents.ts'
import { createApplicationStore } from './storage/sql/applications.ts'
import { createBlobReferences } from './storage/sql/blob-references.ts'
import { createCandidateStore } from './storage/sql/candidates.ts'
import { createConsentStore } from './storage/sql/consents.ts'
import { createDemoStore } from './storage/sql/demo.ts'
import { createExpiryStore } from './storage/sql/expiry.ts'
import { createImportStore } from './storage/sql/imports.ts'
import { createIntakeDirectory, createIntakeStore } from './storage/sql/intake.ts'
import { createJobAdStore, createJobBoard, createScreenStore } from './storage/sql/jobs.ts'
import { createLeaseStore } from './storage/sql/leases.ts'
import { createAuthorizationStore } from './storage/sql/oauth.ts'
import { createClientStore } from './storage/sql/oauth-clients.ts'
import { createOutboxStore } from './storage/sql/outbox.ts'
import { createOwnApplicationStore } from './storage/sql/own-applications.ts'
import { createScanningStore } from './storage/sql/scanning.ts'
import { createFailureStore, createSessionStore } from './storage/sql/sessions.ts'
import { createSharingHistory, createSharingStore } from './storage/sql/sharing.ts'
import { openSqlite } from './storage/sqlite.ts'
import { createExpiry } from './work/expiry.ts'
import type { Task } from './work/ports.ts'
import { createWorker, type RunReport } from './work/worker.ts'

/** The one place that knows every adapter and every module. */

export type Services = Awaited<ReturnType<typeof openServices>>

export async function openServices(config: Config, log: Logger, clock: Clock = systemClock) {
  const { limits } = config
  const database = await openDatabase(config, log)
  const blobs = createFolderBlobs(join(config.DATA_DIR, 'blobs'), {
    retryAfterSeconds: limits.retryAfterSeconds,
    clock,
  })
  const advertiserStore = createAdvertiserStore(database)
  const agentStore = createAgentStore(database)
  const credentials = createCredentials({
    store: createCredentialStore(database),
    advertisers: advertiserStore,
    clock,
    limits,
    onLostUse: error => log.warn({ err: error }, 'the last-used time of a credential was not written'),
  })
  const background = createBackground()
  const accountStore = createAccountStore(database)
  const failures = createFailureStore(database)
  const passwords = createPasswordCheck({ accounts: accountStore, failures, clock, limits })
  const accounts = createAccounts({
    store: accountStore,
    sessions: createSessionStore(database),
    passwords,
    background,
    clock,
    limits,
    onLostWrite: error => log.warn({ err: error }, 'the last-used time of a sign-in was not written'),
  })
  const authorizationStore = createAuthorizationStore(database)
  const clients = createClients({
    store: createClientStore(database),
    agents: agentStore,
    advertisers: advertiserStore,
    clock,
    limits,
  })
  const candidateStore = createCandidateStore(database)
  const jobAdStore = createJobAdStore(database)
  const screenStore = createScreenStore(database)
  const jobBoard = createJobBoard(database)
  const intakeAccess = createIntakeAccess(createIntakeDirectory(database))
  const scanner = await openScanner(config, log)
  const files = createFileReceiver({ blobs, checkArchive: createArchiveCheck(limits), scanner, clock })
  const applicationsAt = (time: Clock) =>
    createApplications({
      store: createApplicationStore(database),
      blobs,
      clock: time,
      limits,
      holdUnscanned: config.CLAMD_URL !== undefined && config.UNSCANNED === 'hold',
    })

  const cleanUp = createCleanUp({ references: createBlobReferences(database), blobs, clock, limits })
  const work = createWorker({
    tasks: backgroundTasks({ config, log, clock, database, blobs, scanner, cleanUp }),
    leases: createLeaseStore(database),
    clock,
    holder: newUuid(),
    limits,
    onRun: report => logRun(log, report),
  })

  return {
    database,
    blobs,
    schema: { state: () => readSchemaState(database), migrate: () => migrate(database) },
    advertisers: createAdvertisers({ store: advertiserStore, clock, limits }),
    credentials,
    accounts,
    accountLinks: (mail: { mailer: Mailer | undefined; authUrl(): string }) =>
      createAccountLinks({
        ...mail,
        store: accountStore,
        accounts,
        passwords,
        background,
        clock,
        limits,
        onLostMail: error => log.error({ err: error }, 'a mail was not sent'),
      }),
    outbox: createOutbox({ store: createOutboxStore(database), clock }),
    profiles: createProfiles({
      store: candidateStore,
      files,
      blobs,
      clock,
      limits,
    }),
    agents: createAgents({ store: agentStore, advertisers: advertiserStore, clock, limits }),
    clients,
    applications: applicationsAt(clock),
    jobs: createJobs({ ads: jobAdStore, screens: screenStore, clock, limits }),
    screens: createScreens({ store: screenStore, clock, limits }),
    jobBoard,
    applying: createApplying({
      store: createOwnApplicationStore(database),
      jobBoard,
      candidates: candidateStore,
      files,
      clock,
      limits,
    }),
    authorization: createAuthorization({
      clients,
      store: authorizationStore,
      candidates: candidateStore,
      clock,
      limits,
      isPreticked: config.CONSENT_PRETICKED,
    }),
    tokens: createTokenEndpoint({ clients, store: authorizationStore, clock, limits }),
    tokenCheck: createTokenCheck({ store: authorizationStore, clock, limits }),
    intakeAccess,
    intake: createIntake({
      store: createIntakeStore(database),
      access: intakeAccess,
      jobAds: jobAdStore,
      screens: screenStore,
      files,
      clock,
      limits,
    }),
    consents: createConsentStore(database),
    sharing: createSharing({
      store: createSharingStore(database),
      candidates: candidateStore,
      blobs,
      clock,
      limits,
      hasScanner: config.CLAMD_URL !== undefined,
    }),
    sharingHistory: createSharingHistory(database),
    demo: createDemo({
      store: createDemoStore(database),
      blobs,
      clock,
      sleep,
      openAsset,
      applyAt: time => applicationsAt(time).apply,
    }),
    imports: createImports({
      store: createImportStore(database),
      importFiles: createImportFiles(limits),
      files,
      checkArchive: createArchiveCheck(limits),
      clock,
      limits,
    }),
    scanner,
    examineFiles: (isDeep: boolean) =>
      examineFiles({ references: createBlobReferences(database), blobs }, isDeep),
    cleanUp,
    work,
    clock,
    async close() {
      await work.stop()
      scanner?.close()
      await within(limits.databaseCloseMs, Promise.all([credentials.settle(), background.settle()]))
      await database.close()
    },
  }
}

/** Everything that goes on behind the requests. */
function backgroundTasks(deps: {
  config: Config
  log: Logger
  clock: Clock
  database: Database
  blobs: BlobStore
  scanner: Scanner | undefined
  cleanUp: CleanUp
}): Task[] {
  const { config, log, clock, database, blobs, scanner, cleanUp } = deps
  const { limits } = config
  const expiry = createExpiry({ store: createExpiryStore(database), clock, limits })
  const tasks: Task[] = [
    { name: 'expiry', everySeconds: limits.expiryEverySeconds, ...expiry },
    { name: 'clean-up', everySeconds: limits.cleanUpEverySeconds, ...cleanUp },
  ]
  if (scanner === undefined) return tasks
  const rescan = createRescan({
    store: createScanningStore(database),
    applications: createApplicationStore(database),
    blobs,
    scanner,
    clock,
    limits,
    onUnreadable: (found, error) =>
      log.warn({ files: found.length, first: found[0], err: error }, 'files cannot be read to be scanned'),
  })
  return [{ name: 'rescan', everySeconds: limits.rescanEverySeconds, ...rescan }, ...tasks]
}

/** One line for each run that has done something, and one for each that could not. */
function logRun(log: Logger, report: RunReport): void {
  const { task, outcome } = report
  if (outcome === 'failed') log.error({ task, err: report.error }, 'background work failed')
  if (outcome === 'done' && Object.values(report.did).some(count => count > 0))
    log.info({ task, ...report.did, ...report.left }, 'background work done')
}

/** None without CLAMD_URL. Loaded only when it is wanted. */
async function openScanner({ CLAMD_URL: url, limits }: Config, log: Logger) {
  if (url === undefined) return undefined
  const { createClamdScanner } = await import('./storage/scanner-clamd.ts')
  return createClamdScanner({
    url,
    limits,
    onFault: error => log.error({ reason: error.message }, 'files are not scanned at present'),
    onWarning: reason => log.warn({ reason }, 'not every file can be scanned'),
  })
}

async function openDatabase(config: Config, log: Logger): Promise<Database> {
  const { limits } = config
  if (config.DATABASE_URL === undefined) {
    try {
      return await openSqlite(join(config.DATA_DIR, 'dossier.db'), limits.busyWaitMs)
    } catch (error) {
      throw new SettingError('DATA_DIR', `the database in it cannot be opened (${reasonOf(error)})`)
    }
  }
  // Loaded only when it is wanted: the embedded default starts faster without it.
  const { openPostgres } = await import('./storage/postgres.ts')
  return openPostgres({
    url: config.DATABASE_URL,
    poolSize: limits.databasePoolSize,
    connectMs: limits.connectMs,
    retryAfterSeconds: limits.retryAfterSeconds,
    closeMs: limits.databaseCloseMs,
    onBrokenConnection: error => log.warn({ err: error }, 'a database connection broke'),
  })
}

/** What must hold for this node to take requests. */
export function readinessChecks({ schema, blobs }: Services): Record<string, () => Promise<void>> {
  return {
    // Reading which migrations ran asks the database, too.
    database: async () => {
      const { state } = await schema.state()
      if (state !== 'current') throw new Error(`the schema is ${state} than the code`)
    },
    files: () => blobs.check(),
  }
}
