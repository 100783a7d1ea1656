import { createDraftStore } from '../../src/apply/form/draft-store.ts'
import { createOwnApplicationStore } from '../../src/apply/form/own-application-store.ts'
import { createOwnRetentionStore } from '../../src/apply/form/own-retention-store.ts'
import { createImportStore } from '../../src/apply/import/import-store.ts'
import { createIntakeStore } from '../../src/apply/intake/intake-store.ts'
import { createSubmissionStore } from '../../src/apply/submission-store.ts'
import { createAnswerStore } from '../../src/collect/answers-store.ts'
import { createApplicationStore } from '../../src/collect/application-store.ts'
import { createCountStore } from '../../src/collect/count-store.ts'
import { createErasureStore } from '../../src/collect/erasure/erasure-store.ts'
import { createProgressStore } from '../../src/collect/progress/progress-store.ts'
import { createReadStore } from '../../src/collect/reads/read-store.ts'
import { createHoldStore } from '../../src/collect/retention/hold-store.ts'
import { createRetentionStore } from '../../src/collect/retention/retention-store.ts'
import { createApplicationSearchStore } from '../../src/collect/search/search-store.ts'
import { createUnansweredStore } from '../../src/collect/search/unanswered-store.ts'
import { createAdvertiserStore, createCredentialStore } from '../../src/companies/advertiser-store.ts'
import { createAgentCallStore } from '../../src/companies/agent-call-store.ts'
import { createAgentStore } from '../../src/companies/agent-store.ts'
import { createBoardDirectory } from '../../src/companies/board-directory-store.ts'
import { createLogoStore } from '../../src/companies/logo-store.ts'
import { createPrivacyNoticeStore } from '../../src/companies/privacy-notice-store.ts'
import { createUsageStore } from '../../src/companies/usage-store.ts'
import { createDemoStore } from '../../src/demo/demo-store.ts'
import { createOutboxStore } from '../../src/demo/outbox-store.ts'
import { createEventStore } from '../../src/events/feed/event-store.ts'
import { createLaneStore } from '../../src/events/webhooks/lane-store.ts'
import { createReplayStore } from '../../src/events/webhooks/replay-store.ts'
import { createEndpointStore } from '../../src/events/webhooks/webhook-store.ts'
import { createWebhookUpkeepStore } from '../../src/events/webhooks/webhook-upkeep-store.ts'
import { createAdVersionStore } from '../../src/jobs/ad-version-store.ts'
import { createPostingLists } from '../../src/jobs/posting-list-store.ts'
import { createJobAdStore, createJobBoard, createQuestionnaireStore } from '../../src/jobs/posting-store.ts'
import { createReportStore } from '../../src/jobs/reports/report-store.ts'
import { createBoardStore } from '../../src/operator/board-store.ts'
import { createBlobReferences } from '../../src/operator/upkeep/blob-reference-store.ts'
import { createExpiryStore } from '../../src/operator/upkeep/expiry-store.ts'
import { createFigureStore } from '../../src/operator/upkeep/figure-store.ts'
import { createScanningStore } from '../../src/operator/upkeep/scanning-store.ts'
import { createAccountStore } from '../../src/people/account/account-store.ts'
import { createFailedSignInStore } from '../../src/people/account/failed-sign-in-store.ts'
import { createFailureStore, createSessionStore } from '../../src/people/account/session-store.ts'
import { createUndoStore } from '../../src/people/account/undo-store.ts'
import { createSharingHistory } from '../../src/people/activity/sharing-history-store.ts'
import { createCodeStore } from '../../src/people/codes/code-store.ts'
import { createFactorStore } from '../../src/people/factors/factor-store.ts'
import { createIdentityStore } from '../../src/people/identities/identity-store.ts'
import { createListEntryStore } from '../../src/people/lists/list-entry-store.ts'
import { createNoticeStore } from '../../src/people/mail/notice-store.ts'
import { createAgentMemberStore } from '../../src/people/members/agent-member-store.ts'
import { createMemberStore } from '../../src/people/members/member-store.ts'
import { createOperatorStore } from '../../src/people/members/operator-store.ts'
import { createDigestStore } from '../../src/people/notifications/digest-store.ts'
import { createNotificationStore } from '../../src/people/notifications/notification-store.ts'
import { createAccountRemovalStore } from '../../src/people/own-data/account-removal-store.ts'
import { createOwnDataStore } from '../../src/people/own-data/own-data-store.ts'
import { createCandidateStore } from '../../src/people/profile/candidate-store.ts'
import { createAuditStore } from '../../src/platform/audit/audit-store.ts'
import { createBackupRecords } from '../../src/platform/backup/backup-record-store.ts'
import type { Database } from '../../src/platform/database/tables.ts'
import { createRateCountStore } from '../../src/platform/http/rates/rate-count-store.ts'
import { createSentFormStore } from '../../src/platform/http/rates/sent-form-store.ts'
import { createSlidingCountStore } from '../../src/platform/http/rates/sliding-count-store.ts'
import { createDeliveryStore } from '../../src/platform/work/delivery-store.ts'
import { createLeaseStore } from '../../src/platform/work/lease-store.ts'
import { createServiceClockStore } from '../../src/platform/work/service-clock-store.ts'
import { createTaskRunStore } from '../../src/platform/work/task-run-store.ts'
import { createClientChangeStore } from '../../src/share/clients/client-change-store.ts'
import { createClientStore } from '../../src/share/clients/client-store.ts'
import { createAuthorizationStore } from '../../src/share/grants/authorization-store.ts'
import { createConsentStore } from '../../src/share/grants/consent-store.ts'
import { createSharingStore } from '../../src/share/prefill/sharing-store.ts'
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
import type { StoreFunction, StoreFunctions } from './store-function.ts'

const factories = {
  advertisers: createAdvertiserStore,
  credentials: createCredentialStore,
  agents: createAgentStore,
  logos: createLogoStore,
  privacyNotices: createPrivacyNoticeStore,
  listEntries: createListEntryStore,
  reports: createReportStore,
  applications: createApplicationStore,
  submissions: createSubmissionStore,
  applicationSearch: createApplicationSearchStore,
  progress: createProgressStore,
  answers: createAnswerStore,
  counts: createCountStore,
  jobAds: createJobAdStore,
  adVersions: createAdVersionStore,
  screens: createQuestionnaireStore,
  jobBoard: createJobBoard,
  postingLists: createPostingLists,
  intakeDirectory: createBoardDirectory,
  intake: createIntakeStore,
  blobReferences: createBlobReferences,
  leases: createLeaseStore,
  serviceClock: createServiceClockStore,
  backups: createBackupRecords,
  rateCounts: createRateCountStore,
  slidingCounts: createSlidingCountStore,
  expiry: createExpiryStore,
  scanning: createScanningStore,
  figures: createFigureStore,
  unanswered: createUnansweredStore,
  accounts: createAccountStore,
  undo: createUndoStore,
  codes: createCodeStore,
  identities: createIdentityStore,
  sessions: createSessionStore,
  factors: createFactorStore,
  failures: createFailureStore,
  candidates: createCandidateStore,
  drafts: createDraftStore,
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
  ownRetention: createOwnRetentionStore,
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
  failedSignIns: createFailedSignInStore,
  demo: createDemoStore,
}

export type Stores = { [Name in keyof typeof factories]: ReturnType<(typeof factories)[Name]> }

/** A test compares the list with the exports of all stores. */
export const storeFactories = Object.values(factories)

/** Every store over one database. */
export function storesOver(database: Database): Stores {
  const stores = Object.entries(factories).map(([name, create]) => [name, create(database)])
  return Object.fromEntries(stores) as Stores
}

const functions: StoreFunctions = {
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

/**
 * Every function of every store. A test compares the names with the stores themselves. They are called in this order on
 * one owner, so a function that ends something comes after those that need it.
 */
export const storeFunctions: Record<string, StoreFunction> = Object.fromEntries(
  Object.entries(functions).map(([name, each]) => [
    name,
    'sample' in each ? { ...each, samples: [each.sample] } : each,
  ]),
)
