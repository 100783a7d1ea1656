import type { Database } from '../../src/storage/schema.ts'
import { createAccountRemovalStore } from '../../src/storage/sql/account-removal.ts'
import { createAccountStore } from '../../src/storage/sql/accounts.ts'
import { createAdvertiserStore, createCredentialStore } from '../../src/storage/sql/advertisers.ts'
import { createAgentStore } from '../../src/storage/sql/agents.ts'
import { createApplicationSearch } from '../../src/storage/sql/application-search.ts'
import { createApplicationStore } from '../../src/storage/sql/applications.ts'
import { createBlobReferences } from '../../src/storage/sql/blob-references.ts'
import { createBoardDirectory } from '../../src/storage/sql/board-directory.ts'
import { createCandidateStore } from '../../src/storage/sql/candidates.ts'
import { createConsentStore } from '../../src/storage/sql/consents.ts'
import { createDemoStore } from '../../src/storage/sql/demo.ts'
import { createErasureStore } from '../../src/storage/sql/erasures.ts'
import { createExpiryStore } from '../../src/storage/sql/expiry.ts'
import { createImportStore } from '../../src/storage/sql/imports.ts'
import { createIntakeStore } from '../../src/storage/sql/intake.ts'
import { createJobAdStore, createJobBoard, createScreenStore } from '../../src/storage/sql/jobs.ts'
import { createLeaseStore } from '../../src/storage/sql/leases.ts'
import { createMemberStore } from '../../src/storage/sql/members.ts'
import { createAuthorizationStore } from '../../src/storage/sql/oauth.ts'
import { createClientStore } from '../../src/storage/sql/oauth-clients.ts'
import { createOutboxStore } from '../../src/storage/sql/outbox.ts'
import { createOwnApplicationStore } from '../../src/storage/sql/own-applications.ts'
import { createOwnDataStore } from '../../src/storage/sql/own-data.ts'
import { createPostingLists } from '../../src/storage/sql/posting-lists.ts'
import { createRateCountStore } from '../../src/storage/sql/rate-counts.ts'
import { createScanningStore } from '../../src/storage/sql/scanning.ts'
import { createSentFormStore } from '../../src/storage/sql/sent-forms.ts'
import { createFailureStore, createSessionStore } from '../../src/storage/sql/sessions.ts'
import { createSharingHistory, createSharingStore } from '../../src/storage/sql/sharing.ts'
import { createSubmissionStore } from '../../src/storage/sql/submissions.ts'
import { createUsageStore } from '../../src/storage/sql/usage.ts'
import { accountFunctions } from './functions/accounts.ts'
import { advertiserFunctions } from './functions/advertisers.ts'
import { applicationSearchFunctions } from './functions/application-search.ts'
import { candidateFunctions } from './functions/candidates.ts'
import { clientFunctions } from './functions/clients.ts'
import { demoFunctions } from './functions/demo.ts'
import { importFunctions } from './functions/imports.ts'
import { intakeFunctions } from './functions/intake.ts'
import { jobFunctions } from './functions/jobs.ts'
import { oauthFunctions } from './functions/oauth.ts'
import { ownApplicationFunctions } from './functions/own-applications.ts'
import { ownDataFunctions, removalFunctions } from './functions/own-data.ts'
import { peopleFunctions } from './functions/people.ts'
import { sharingFunctions } from './functions/sharing.ts'
import { usageFunctions } from './functions/usage.ts'
import { workFunctions } from './functions/work.ts'
import type { StoreFunctions } from './store-function.ts'

const factories = {
  advertisers: createAdvertiserStore,
  credentials: createCredentialStore,
  agents: createAgentStore,
  applications: createApplicationStore,
  submissions: createSubmissionStore,
  applicationSearch: createApplicationSearch,
  jobAds: createJobAdStore,
  screens: createScreenStore,
  jobBoard: createJobBoard,
  postingLists: createPostingLists,
  intakeDirectory: createBoardDirectory,
  intake: createIntakeStore,
  blobReferences: createBlobReferences,
  leases: createLeaseStore,
  rateCounts: createRateCountStore,
  expiry: createExpiryStore,
  scanning: createScanningStore,
  accounts: createAccountStore,
  sessions: createSessionStore,
  failures: createFailureStore,
  candidates: createCandidateStore,
  ownApplications: createOwnApplicationStore,
  ownData: createOwnDataStore,
  accountRemoval: createAccountRemovalStore,
  erasures: createErasureStore,
  oauth: createAuthorizationStore,
  clients: createClientStore,
  consents: createConsentStore,
  members: createMemberStore,
  sentForms: createSentFormStore,
  usage: createUsageStore,
  sharing: createSharingStore,
  history: createSharingHistory,
  outbox: createOutboxStore,
  imports: createImportStore,
  demo: createDemoStore,
}

export type Stores = { [Name in keyof typeof factories]: ReturnType<(typeof factories)[Name]> }

/** A test compares the list with what src/storage/sql really exports. */
export const storeFactories = Object.values(factories)

/** Every store over one database. */
export function storesOver(database: Database): Stores {
  const stores = Object.entries(factories).map(([name, create]) => [name, create(database)])
  return Object.fromEntries(stores) as Stores
}

/**
 * Every function of every store. A test compares the names with the stores themselves. They are called in this
 * order on one owner, so what ends something comes after what needs it.
 */
export const storeFunctions: StoreFunctions = {
  ...advertiserFunctions,
  ...jobFunctions,
  ...peopleFunctions,
  ...usageFunctions,
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
  ...demoFunctions,
}
