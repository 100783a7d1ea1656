import {
  createAdvertiserStore,
  createCredentialStore,
} from '../../src/storage/advertisers/advertiser-store.ts'
import { createAgentCallStore } from '../../src/storage/advertisers/agent-call-store.ts'
import { createAgentStore } from '../../src/storage/advertisers/agent-store.ts'
import { createBoardDirectory } from '../../src/storage/advertisers/board-directory-store.ts'
import { createLogoStore } from '../../src/storage/advertisers/logo-store.ts'
import { createPostingLists } from '../../src/storage/advertisers/posting-list-store.ts'
import {
  createJobAdStore,
  createJobBoard,
  createQuestionnaireStore,
} from '../../src/storage/advertisers/posting-store.ts'
import { createUsageStore } from '../../src/storage/advertisers/usage-store.ts'
import { createImportStore } from '../../src/storage/apply/import-store.ts'
import { createIntakeStore } from '../../src/storage/apply/intake-store.ts'
import { createKeepingStore } from '../../src/storage/apply/keeping-store.ts'
import { createOwnApplicationStore } from '../../src/storage/apply/own-application-store.ts'
import { createSubmissionStore } from '../../src/storage/apply/submission-store.ts'
import { createAuditStore } from '../../src/storage/audit/audit-store.ts'
import { createBackupRecords } from '../../src/storage/backup/backup-record-store.ts'
import { createApplicationStore } from '../../src/storage/collect/application-store.ts'
import { createCountStore } from '../../src/storage/collect/count-store.ts'
import { createErasureStore } from '../../src/storage/collect/erasure-store.ts'
import { createHoldStore } from '../../src/storage/collect/hold-store.ts'
import { createProgressStore } from '../../src/storage/collect/progress-store.ts'
import { createReadStore } from '../../src/storage/collect/read-store.ts'
import { createRetentionStore } from '../../src/storage/collect/retention-store.ts'
import { createApplicationSearch } from '../../src/storage/collect/search-store.ts'
import type { Database } from '../../src/storage/database/tables.ts'
import { createEventStore } from '../../src/storage/events/event-store.ts'
import { createLaneStore } from '../../src/storage/events/lane-store.ts'
import { createEndpointStore, createReplayStore } from '../../src/storage/events/webhook-store.ts'
import { createWebhookUpkeepStore } from '../../src/storage/events/webhook-upkeep-store.ts'
import { createBoardStore } from '../../src/storage/operator/board-store.ts'
import { createOperatorStore } from '../../src/storage/operator/operator-store.ts'
import { createTaskRunStore } from '../../src/storage/operator/task-run-store.ts'
import { createAccountRemovalStore } from '../../src/storage/people/account-removal-store.ts'
import { createAccountStore } from '../../src/storage/people/account-store.ts'
import { createAgentMemberStore } from '../../src/storage/people/agent-member-store.ts'
import { createCandidateStore } from '../../src/storage/people/candidate-store.ts'
import { createDigestStore } from '../../src/storage/people/digest-store.ts'
import { createFactorStore } from '../../src/storage/people/factor-store.ts'
import { createMemberStore } from '../../src/storage/people/member-store.ts'
import { createNoticeStore } from '../../src/storage/people/notice-store.ts'
import { createNotificationStore } from '../../src/storage/people/notification-store.ts'
import { createOwnDataStore } from '../../src/storage/people/own-data-store.ts'
import { createFailureStore, createSessionStore } from '../../src/storage/people/session-store.ts'
import { createAuthorizationStore } from '../../src/storage/share/authorization-store.ts'
import { createClientChangeStore } from '../../src/storage/share/client-change-store.ts'
import { createClientStore } from '../../src/storage/share/client-store.ts'
import { createConsentStore } from '../../src/storage/share/consent-store.ts'
import { createSharingHistory } from '../../src/storage/share/sharing-history-store.ts'
import { createSharingStore } from '../../src/storage/share/sharing-store.ts'
import { createBlobReferences } from '../../src/storage/upkeep/blob-reference-store.ts'
import { createDeliveryStore } from '../../src/storage/upkeep/delivery-store.ts'
import { createDemoStore } from '../../src/storage/upkeep/demo-store.ts'
import { createExpiryStore } from '../../src/storage/upkeep/expiry-store.ts'
import { createFigureStore } from '../../src/storage/upkeep/figure-store.ts'
import { createLeaseStore } from '../../src/storage/upkeep/lease-store.ts'
import { createOutboxStore } from '../../src/storage/upkeep/outbox-store.ts'
import { createRateCountStore } from '../../src/storage/upkeep/rate-count-store.ts'
import { createScanningStore } from '../../src/storage/upkeep/scanning-store.ts'
import { createSentFormStore } from '../../src/storage/upkeep/sent-form-store.ts'
import { accountFunctions } from './functions/accounts.ts'
import { advertiserFunctions } from './functions/advertisers.ts'
import { agentFunctions } from './functions/agents.ts'
import { applicationSearchFunctions } from './functions/application-search.ts'
import { auditFunctions } from './functions/audit.ts'
import { candidateFunctions } from './functions/candidates.ts'
import { clientFunctions } from './functions/clients.ts'
import { demoFunctions } from './functions/demo.ts'
import { importFunctions } from './functions/imports.ts'
import { intakeFunctions } from './functions/intake.ts'
import { jobFunctions } from './functions/jobs.ts'
import { mailFunctions } from './functions/mail.ts'
import { notificationFunctions } from './functions/notifications.ts'
import { oauthFunctions } from './functions/oauth.ts'
import { operatorFunctions } from './functions/operators.ts'
import { ownApplicationFunctions } from './functions/own-applications.ts'
import { ownDataFunctions, removalFunctions } from './functions/own-data.ts'
import { peopleFunctions } from './functions/people.ts'
import { progressFunctions } from './functions/progress.ts'
import { sharingFunctions } from './functions/sharing.ts'
import { usageFunctions } from './functions/usage.ts'
import { webhookFunctions } from './functions/webhooks.ts'
import { workFunctions } from './functions/work.ts'
import type { StoreFunctions } from './store-function.ts'

const factories = {
  advertisers: createAdvertiserStore,
  credentials: createCredentialStore,
  agents: createAgentStore,
  logos: createLogoStore,
  applications: createApplicationStore,
  submissions: createSubmissionStore,
  applicationSearch: createApplicationSearch,
  progress: createProgressStore,
  counts: createCountStore,
  jobAds: createJobAdStore,
  screens: createQuestionnaireStore,
  jobBoard: createJobBoard,
  postingLists: createPostingLists,
  intakeDirectory: createBoardDirectory,
  intake: createIntakeStore,
  blobReferences: createBlobReferences,
  leases: createLeaseStore,
  backups: createBackupRecords,
  rateCounts: createRateCountStore,
  expiry: createExpiryStore,
  scanning: createScanningStore,
  figures: createFigureStore,
  accounts: createAccountStore,
  sessions: createSessionStore,
  factors: createFactorStore,
  failures: createFailureStore,
  candidates: createCandidateStore,
  ownApplications: createOwnApplicationStore,
  ownData: createOwnDataStore,
  accountRemoval: createAccountRemovalStore,
  erasures: createErasureStore,
  events: createEventStore,
  endpoints: createEndpointStore,
  lanes: createLaneStore,
  replays: createReplayStore,
  webhookUpkeep: createWebhookUpkeepStore,
  reads: createReadStore,
  retention: createRetentionStore,
  holds: createHoldStore,
  keeping: createKeepingStore,
  oauth: createAuthorizationStore,
  clients: createClientStore,
  clientChanges: createClientChangeStore,
  consents: createConsentStore,
  members: createMemberStore,
  operators: createOperatorStore,
  board: createBoardStore,
  taskRuns: createTaskRunStore,
  agentMembers: createAgentMemberStore,
  agentCalls: createAgentCallStore,
  notifications: createNotificationStore,
  digests: createDigestStore,
  sentForms: createSentFormStore,
  usage: createUsageStore,
  sharing: createSharingStore,
  history: createSharingHistory,
  outbox: createOutboxStore,
  deliveries: createDeliveryStore,
  notices: createNoticeStore,
  imports: createImportStore,
  audit: createAuditStore,
  demo: createDemoStore,
}

export type Stores = { [Name in keyof typeof factories]: ReturnType<(typeof factories)[Name]> }

/** A test compares the list with the exports of src/storage. */
export const storeFactories = Object.values(factories)

/** Every store over one database. */
export function storesOver(database: Database): Stores {
  const stores = Object.entries(factories).map(([name, create]) => [name, create(database)])
  return Object.fromEntries(stores) as Stores
}

/**
 * Every function of every store. A test compares the names with the stores themselves. They are called in this order on
 * one owner, so a function that ends something comes after those that need it.
 */
export const storeFunctions: StoreFunctions = {
  ...advertiserFunctions,
  ...jobFunctions,
  ...progressFunctions,
  ...mailFunctions,
  ...notificationFunctions,
  ...peopleFunctions,
  ...operatorFunctions,
  ...agentFunctions,
  ...usageFunctions,
  ...webhookFunctions,
  ...oauthFunctions,
  ...sharingFunctions,
  ...workFunctions,
  ...ownDataFunctions,
  ...ownApplicationFunctions,
  ...applicationSearchFunctions,
  ...candidateFunctions,
  ...accountFunctions,
  ...intakeFunctions,
  ...clientFunctions,
  ...importFunctions,
  ...removalFunctions,
  ...auditFunctions,
  ...demoFunctions,
}
