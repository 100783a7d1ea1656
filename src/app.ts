import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { openBlobs, openDatabase, openScanner, sqliteFile } from './adapters.ts'
import { createAgents } from './advertisers/agents.ts'
import { createBoardAccess } from './advertisers/board-access.ts'
import { createAdvertisers, createCredentials } from './advertisers/service.ts'
import { createApplying } from './applications/applying.ts'
import { createErasure } from './applications/erasure.ts'
import { createIntake } from './applications/intake.ts'
import { createFinding } from './applications/search-service.ts'
import { createApplications } from './applications/service.ts'
import { createSubmissions } from './applications/submitting.ts'
import { createTimeline } from './applications/timeline.ts'
import { backgroundTasks, logRun } from './background-tasks.ts'
import { createAccountLinks } from './candidates/account-links.ts'
import { createAccountRemoval } from './candidates/account-removal.ts'
import { createAccounts } from './candidates/accounts.ts'
import { createOwnData } from './candidates/own-data.ts'
import { createProfiles } from './candidates/profiles.ts'
import { createPasswordCheck } from './candidates/sign-in.ts'
import type { Config } from './config.ts'
import { createInvitations } from './console/invitations.ts'
import { createMembers } from './console/members.ts'
import { createUsage } from './console/usage.ts'
import { createBackground } from './core/background.ts'
import { type Clock, systemClock } from './core/clock.ts'
import { newUuid } from './core/ids.ts'
import { within } from './core/within.ts'
import { openAsset } from './demo/assets.ts'
import { createOutbox } from './demo/outbox.ts'
import { createDemo } from './demo/service.ts'
import { createCleanUp } from './files/clean-up.ts'
import { examineFiles } from './files/file-examination.ts'
import { createMoving } from './files/moving.ts'
import { createOwnership } from './files/ownership.ts'
import { createFileReceiver } from './files/receiving.ts'
import { createSentForms } from './http/sent-forms.ts'
import { SharedCounts } from './http/shared-counts.ts'
import { Slots } from './http/slots.ts'
import { createImports } from './imports/service.ts'
import { createJobs, createScreens } from './jobs/service.ts'
import type { Mailer } from './mail/ports.ts'
import { createAuthorization } from './oauth/authorization.ts'
import { createClients } from './oauth/clients.ts'
import { createTokenEndpoint } from './oauth/token.ts'
import { createTokenCheck } from './oauth/token-check.ts'
import { createSharing } from './sharing/service.ts'
import { clockDifference } from './storage/database-clock.ts'
import { createDiskWatch } from './storage/disk-watch.ts'
import { createArchiveCheck } from './storage/document-check.ts'
import { findFutureDates, settleDates } from './storage/future-dates.ts'
import { createImportFiles } from './storage/import-file.ts'
import { openToOthers } from './storage/keep-to-owner.ts'
import { migrate, readSchemaState } from './storage/migrate.ts'
import { createProxyMark } from './storage/proxy-mark.ts'
import { raiseIds } from './storage/server-history.ts'
import { createAccountRemovalStore } from './storage/sql/account-removal.ts'
import { createAccountStore } from './storage/sql/accounts.ts'
import { createAdvertiserStore, createCredentialStore } from './storage/sql/advertisers.ts'
import { createAgentStore } from './storage/sql/agents.ts'
import { createApplicationSearch } from './storage/sql/application-search.ts'
import { createApplicationStore } from './storage/sql/applications.ts'
import { createBlobReferences } from './storage/sql/blob-references.ts'
import { createBoardDirectory } from './storage/sql/board-directory.ts'
import { createCandidateStore } from './storage/sql/candidates.ts'
import { createConsentStore } from './storage/sql/consents.ts'
import { createDemoStore } from './storage/sql/demo.ts'
import { createErasureStore } from './storage/sql/erasures.ts'
import { createImportStore } from './storage/sql/imports.ts'
import { createIntakeStore } from './storage/sql/intake.ts'
import { createJobAdStore, createJobBoard, createScreenStore } from './storage/sql/jobs.ts'
import { createLeaseStore } from './storage/sql/leases.ts'
import { createMemberStore } from './storage/sql/members.ts'
import { createAuthorizationStore } from './storage/sql/oauth.ts'
import { createClientStore } from './storage/sql/oauth-clients.ts'
import { createOutboxStore } from './storage/sql/outbox.ts'
import { createOwnApplicationStore } from './storage/sql/own-applications.ts'
import { createOwnDataStore } from './storage/sql/own-data.ts'
import { createPostingLists } from './storage/sql/posting-lists.ts'
import { createRateCountStore } from './storage/sql/rate-counts.ts'
import { createSentFormStore } from './storage/sql/sent-forms.ts'
import { createFailureStore, createSessionStore } from './storage/sql/sessions.ts'
import { createSharingHistory, createSharingStore } from './storage/sql/sharing.ts'
import { createSubmissionStore } from './storage/sql/submissions.ts'
import { createUsageStore } from './storage/sql/usage.ts'
import { createWorker } from './work/worker.ts'

/** The one place that knows every adapter and every module. */
export type Services = Awaited<ReturnType<typeof openServices>>

export async function openServices(config: Config, log: Logger, clock: Clock = systemClock) {
  const { limits } = config
  const database = await openDatabase(config, log)
  const openedBlobs = await openBlobs(config, log, clock)
  const blobs = openedBlobs.store
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
  const usage = createUsage({
    store: createUsageStore(database),
    background,
    clock,
    limits,
    onLateCalls: error => log.warn({ err: error }, 'counts of API calls were not written yet'),
    onLostDays: error => log.warn({ err: error }, 'counts of applications were not kept'),
  })
  const leases = createLeaseStore(database)
  const rateCounts = new SharedCounts({
    store: createRateCountStore(database),
    clock,
    limits,
    onAway: error => log.warn({ err: error }, 'rates are counted on this node alone at present'),
    onBack: () => log.info('rates are counted together with the other nodes again'),
  })
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
  const memberStore = createMemberStore(database)
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
  const ownApplicationStore = createOwnApplicationStore(database)
  const sharingHistory = createSharingHistory(database)
  const intakeStore = createIntakeStore(database)
  const boardAccess = createBoardAccess(createBoardDirectory(database))
  const scanner = await openScanner(config, log)
  const files = createFileReceiver({ blobs, checkArchive: createArchiveCheck(limits), scanner, clock })
  const submissionsAt = (time: Clock) =>
    createSubmissions({ store: createSubmissionStore(database), clock: time, limits })

  const erasure = createErasure({
    store: createErasureStore(database),
    forget: database.forget,
    clock,
    limits,
  })
  const ownDataStore = createOwnDataStore(database)
  const references = createBlobReferences(database)
  const ownership = createOwnership({ references, places: blobs.places, newId: newUuid })
  const cleanUp = createCleanUp({ references, blobs, ownership, clock, limits })
  const work = createWorker({
    tasks: backgroundTasks({ config, log, clock, database, blobs, scanner, cleanUp, erasure }),
    leases,
    clock,
    holder: newUuid(),
    limits,
    onRun: report => logRun(log, report),
  })

  return {
    database,
    blobs,
    watchBlobs: openedBlobs.watch,
    proxyMark: createProxyMark(config.DATA_DIR),
    schema: { state: () => readSchemaState(database), migrate: () => migrate(database, clock()) },
    clockDifference: () => clockDifference(database, clock),
    futureDates: (marginMs: number) => findFutureDates(database, clock() + marginMs),
    settleDates: () => settleDates(database, clock(), limits.settleBatch),
    raiseIds: (by: number) => raiseIds(database, by),
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
    submissions: submissionsAt(clock),
    applications: createApplications({
      store: createApplicationStore(database),
      blobs,
      clock,
      limits,
      holdUnscanned: config.CLAMD_URL !== undefined && config.UNSCANNED === 'hold',
    }),
    finding: createFinding({
      search: createApplicationSearch(database),
      store: createApplicationStore(database),
      screens: screenStore,
      limits,
    }),
    jobs: createJobs({ ads: jobAdStore, screens: screenStore, keys: intakeStore, clock, limits }),
    screens: createScreens({ store: screenStore, clock, limits }),
    postingLists: createPostingLists(database),
    jobBoard,
    applying: createApplying({
      store: ownApplicationStore,
      jobBoard,
      candidates: candidateStore,
      files,
      blobs,
      clock,
      limits,
    }),
    authorization: createAuthorization({
      store: authorizationStore,
      sessions: accounts,
      clock,
      limits,
      isPreticked: config.CONSENT_PRETICKED,
    }),
    tokens: createTokenEndpoint({ clients, store: authorizationStore, clock, limits }),
    tokenCheck: createTokenCheck({ store: authorizationStore, clock, limits }),
    boardAccess,
    intake: createIntake({
      store: intakeStore,
      access: boardAccess,
      jobAds: jobAdStore,
      screens: screenStore,
      files,
      background,
      clock,
      pause: sleep,
      limits,
      onHeldKey: error => log.warn({ err: error }, 'an Idempotency-Key stays in use until its time is over'),
    }),
    consents: createConsentStore(database),
    usage,
    members: createMembers({
      store: memberStore,
      advertisers: advertiserStore,
      clock,
      timeZone: config.TIME_ZONE,
    }),
    invitations: (mail: { mailer: Pick<Mailer, 'send'> | undefined; authUrl(): string }) =>
      createInvitations({
        ...mail,
        store: memberStore,
        countMail: accountStore.countMail,
        startSession: async (candidateId, browser) => {
          const account = await accountStore.find(candidateId)
          return account && accounts.startSession(account, browser)
        },
        clock,
        limits,
        onLostMail: error => log.error({ err: error }, 'a mail was not sent'),
      }),
    sentForms: createSentForms({
      store: createSentFormStore(database),
      clock,
      limits,
      pause: () => sleep(100),
    }),
    rateCounts,
    slots: (name: string, perKey: number) =>
      new Slots({
        name,
        perKey,
        leases,
        background,
        clock,
        pause: sleep,
        leaseSeconds: limits.slotLeaseSeconds,
        onLost: error => log.warn({ err: error, slot: name }, 'a slot was not renewed or given back'),
      }),
    sharing: createSharing({
      store: createSharingStore(database),
      candidates: candidateStore,
      blobs,
      clock,
      limits,
      hasScanner: config.CLAMD_URL !== undefined,
    }),
    sharingHistory,
    timeline: createTimeline({ sent: ownApplicationStore, begun: sharingHistory, limits }),
    ownApplications: ownApplicationStore,
    demo: createDemo({
      store: createDemoStore(database),
      blobs,
      clock,
      sleep,
      openAsset,
      addAt: time => submissionsAt(time).add,
      own: ownApplicationStore,
      limits,
    }),
    imports: createImports({
      store: createImportStore(database),
      importFiles: createImportFiles(limits),
      files,
      checkArchive: createArchiveCheck(limits),
      clock,
      limits,
    }),
    erasure,
    ownData: createOwnData({
      store: ownDataStore,
      candidates: candidateStore,
      history: sharingHistory,
      sessions: createSessionStore(database),
      blobs,
      clock,
      limits,
    }),
    accountRemoval: createAccountRemoval({
      store: createAccountRemovalStore(database),
      ownData: ownDataStore,
      accounts: accountStore,
      passwords,
      erasure,
      background,
      clock,
      retentionDays: config.RETENTION_DAYS,
      limits,
      onLost: error => log.error({ err: error }, 'not everything was done behind the deletion of an account'),
    }),
    scanner,
    disk: createDiskWatch({
      folder: config.DATA_DIR,
      leastBytes: limits.diskLeastMb * 1024 * 1024,
      onChange: ({ isLow, freeBytes }) =>
        isLow
          ? log.warn({ freeBytes }, 'the disk of DATA_DIR is nearly full: make room before writes fail')
          : log.info({ freeBytes }, 'the disk of DATA_DIR has room again'),
    }),
    examineFiles: (isDeep: boolean) => examineFiles({ references, blobs }, isDeep),
    /** None without a store to move to. */
    moving:
      openedBlobs.move && createMoving({ references, move: openedBlobs.move, ownership, clock, limits }),
    ownership,
    cleanUp,
    work,
    clock,
    async close() {
      await work.stop()
      scanner?.close()
      await within(
        limits.databaseCloseMs,
        Promise.all([credentials.settle(), background.settle(), usage.close(), rateCounts.close()]),
      )
      await database.close()
      openedBlobs.close()
    },
  }
}

/** What a node that takes requests should not be left with: see decision 045. */
export async function readinessWarnings({ disk }: Services): Promise<string[]> {
  const isInOrder = await disk.look().then(
    ({ isLow }) => !isLow,
    () => false,
  )
  return isInOrder ? [] : ['disk']
}

/** Files of the SQLite database that other users may read, before `openServices` closes them to others. */
export function exposedFiles(config: Config): string[] {
  return config.DATABASE_URL === undefined ? openToOthers(sqliteFile(config)) : []
}

/** What must hold for this node to take requests. */
export function readinessChecks({ schema, blobs }: Services): Record<string, () => Promise<void>> {
  return {
    // Reading which migrations ran asks the database, too.
    database: async () => {
      const { state } = await schema.state()
      // A newer one is what an upgrade looks like to the nodes that still wait for their turn: migrations leave the code
      // before them working. Only the start refuses it.
      if (state === 'older') throw new Error('the schema is older than the code')
    },
    files: () => blobs.check(),
  }
}
