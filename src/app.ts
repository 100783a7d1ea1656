import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createAgents } from './advertisers/agents-service.ts'
import { createBoardAccess } from './advertisers/board-access-service.ts'
import { createAdvertisers, createCredentials } from './advertisers/service.ts'
import { createUsage } from './advertisers/usage-service.ts'
import { createApplying } from './apply/form/service.ts'
import { createImports } from './apply/import/service.ts'
import { createIntake } from './apply/intake/service.ts'
import { createSubmissions } from './apply/service.ts'
import { openBlobs, openDatabase, openScanner, sqliteFile } from './assembly/adapters.ts'
import { backgroundTasks, logRun } from './assembly/upkeep.ts'
import { createErasure } from './collect/erasure/service.ts'
import { createFinding } from './collect/search/service.ts'
import { createApplications } from './collect/service.ts'
import type { Config } from './config.ts'
import { createBackground } from './core/async/background.ts'
import { within } from './core/async/within.ts'
import { type Clock, systemClock } from './core/clock.ts'
import { newUuid } from './core/ids.ts'
import { createOutbox } from './demo/outbox-service.ts'
import { createDemo } from './demo/service.ts'
import { openAsset } from './demo/world/assets-adapter.ts'
import { createCleanUp } from './files/clean-up-service.ts'
import { examineFiles } from './files/examination-service.ts'
import { createMoving } from './files/moving-service.ts'
import { createOwnership } from './files/ownership-service.ts'
import { createFileReceiver } from './files/receiving-service.ts'
import { createSentForms } from './http/rates/sent-forms.ts'
import { SharedCounts } from './http/rates/shared-counts.ts'
import { Slots } from './http/rates/slots.ts'
import { createJobs, createScreens } from './jobs/service.ts'
import { createAccountLinks } from './people/account/links-service.ts'
import { createPasswordCheck } from './people/account/password-service.ts'
import { createAccounts } from './people/account/service.ts'
import { createTimeline } from './people/activity/timeline-service.ts'
import type { Mailer } from './people/mail/ports.ts'
import { createInvitations } from './people/members/invitations-service.ts'
import { createMembers } from './people/members/service.ts'
import { createAccountRemoval } from './people/own-data/removal-service.ts'
import { createOwnData } from './people/own-data/service.ts'
import { createProfiles } from './people/profile/service.ts'
import { createAuthorization } from './share/authorize/service.ts'
import { createClients } from './share/clients/service.ts'
import { createSharing } from './share/prefill/service.ts'
import { createTokenCheck } from './share/token/check-service.ts'
import { createTokenEndpoint } from './share/token/service.ts'
import { createAdvertiserStore, createCredentialStore } from './storage/advertisers/advertiser-store.ts'
import { createAgentStore } from './storage/advertisers/agent-store.ts'
import { createBoardDirectory } from './storage/advertisers/board-directory-store.ts'
import { createPostingLists } from './storage/advertisers/posting-list-store.ts'
import { createJobAdStore, createJobBoard, createScreenStore } from './storage/advertisers/posting-store.ts'
import { createUsageStore } from './storage/advertisers/usage-store.ts'
import { createImportFiles } from './storage/apply/import-file.ts'
import { createImportStore } from './storage/apply/import-store.ts'
import { createIntakeStore } from './storage/apply/intake-store.ts'
import { createOwnApplicationStore } from './storage/apply/own-application-store.ts'
import { createSubmissionStore } from './storage/apply/submission-store.ts'
import { createArchiveCheck } from './storage/blobs/document-check.ts'
import { createApplicationStore } from './storage/collect/application-store.ts'
import { createErasureStore } from './storage/collect/erasure-store.ts'
import { createApplicationSearch } from './storage/collect/search-store.ts'
import { clockDifference } from './storage/database/database-clock.ts'
import { openToOthers } from './storage/database/keep-to-owner.ts'
import { raiseIds } from './storage/database/server-history.ts'
import { migrate, readSchemaState } from './storage/migrations/migrate.ts'
import { createAccountRemovalStore } from './storage/people/account-removal-store.ts'
import { createAccountStore } from './storage/people/account-store.ts'
import { createCandidateStore } from './storage/people/candidate-store.ts'
import { createMemberStore } from './storage/people/member-store.ts'
import { createOwnDataStore } from './storage/people/own-data-store.ts'
import { createFailureStore, createSessionStore } from './storage/people/session-store.ts'
import { createAuthorizationStore } from './storage/share/authorization-store.ts'
import { createClientStore } from './storage/share/client-store.ts'
import { createConsentStore } from './storage/share/consent-store.ts'
import { createSharingHistory, createSharingStore } from './storage/share/sharing-store.ts'
import { createBlobReferences } from './storage/upkeep/blob-reference-store.ts'
import { createDemoStore } from './storage/upkeep/demo-store.ts'
import { createDiskWatch } from './storage/upkeep/disk-watch.ts'
import { findFutureDates, settleDates } from './storage/upkeep/future-dates.ts'
import { createLeaseStore } from './storage/upkeep/lease-store.ts'
import { createOutboxStore } from './storage/upkeep/outbox-store.ts'
import { createProxyMark } from './storage/upkeep/proxy-mark.ts'
import { createRateCountStore } from './storage/upkeep/rate-count-store.ts'
import { createSentFormStore } from './storage/upkeep/sent-form-store.ts'
import { createWorker } from './work/service.ts'

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
