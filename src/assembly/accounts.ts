import { createOperatorFence } from '../companies/callers/operator-auth.ts'
import { lostSecretsKeys } from '../operator/keys/missing-keys-store.ts'
import { readRestored } from '../operator/restored/checklist-store.ts'
import { createAccountStore } from '../people/account/account-store.ts'
import { type AccountLinks, createAccountLinks } from '../people/account/links-service.ts'
import { createPasswordCheck } from '../people/account/password-service.ts'
import { createAccounts } from '../people/account/service.ts'
import { createFailureStore, createSessionStore } from '../people/account/session-store.ts'
import { createUndoStore } from '../people/account/undo-store.ts'
import { createCodeStore } from '../people/codes/code-store.ts'
import { createEmailCodes } from '../people/codes/service.ts'
import { createFactorStore } from '../people/factors/factor-store.ts'
import { createPasskeys } from '../people/factors/passkey-service.ts'
import { createFactors } from '../people/factors/service.ts'
import { totpCodes } from '../people/factors/totp-adapter.ts'
import { webAuthn } from '../people/factors/webauthn-adapter.ts'
import { createIdentityStore } from '../people/identities/identity-store.ts'
import { createRelyingParty } from '../people/identities/relying-party-adapter.ts'
import { createProviders } from '../people/identities/service.ts'
import type { Mailer } from '../people/mail/ports.ts'
import { createAgentMemberStore } from '../people/members/agent-member-store.ts'
import { createInvitations, type NewcomersBrowser } from '../people/members/invitations-service.ts'
import { createMemberStore } from '../people/members/member-store.ts'
import { createOperatorStore } from '../people/members/operator-store.ts'
import { createOperators } from '../people/members/operators-service.ts'
import { createAgentMembers, createMembers } from '../people/members/service.ts'
import { createNotificationStore } from '../people/notifications/notification-store.ts'
import { createNotifications } from '../people/notifications/service.ts'
import { createCandidateStore } from '../people/profile/candidate-store.ts'
import { createUndo } from '../people/undo/service.ts'
import { addressMatcher } from '../platform/core/addresses/trusted-addresses.ts'
import type { CompanyModule } from './companies.ts'
import type { Platform } from './platform.ts'

/** Limit: How long after a restore a failed sign-in offers a link to choose a new password. */
const restoredNoticeDays = 60

export type AccountModule = ReturnType<typeof openAccounts>

/** One account per person for all purposes: signing in, confirming an address, working for an advertiser. */
export function openAccounts(
  { config, database, keys, background, mayMail, mayMailCode, clock, limits, log }: Platform,
  { advertiserStore, agentStore }: CompanyModule,
) {
  const accountStore = createAccountStore(database)
  const undoStore = createUndoStore(database)
  const memberStore = createMemberStore(database)
  const agentMemberStore = createAgentMemberStore(database)
  const passwords = createPasswordCheck({
    accounts: accountStore,
    failures: createFailureStore(database),
    clock,
  })
  const factorStore = createFactorStore(database)
  const enrolling = { store: factorStore, clock, board: config.BOARD_NAME, limits }
  const factors = createFactors({
    ...enrolling,
    codes: totpCodes,
    keys: keys.secrets.make,
    lostKeys: () => lostSecretsKeys(database.reader),
  })
  const identities = createIdentityStore(database)
  const { board, operators } = config.providers
  const providers = createProviders({
    parties: {
      ...(board && { board: createRelyingParty(board, clock) }),
      ...(operators && { operators: createRelyingParty(operators, clock) }),
    },
    isOnly: config.OIDC_ONLY && board !== undefined,
    store: identities,
    adoptAddress: accountStore.findByEmail,
    clock,
    log,
  })
  const accounts = createAccounts({
    isBoundToProvider: providers.isBound,
    factors,
    store: accountStore,
    sessions: createSessionStore(database),
    passwords,
    background,
    clock,
    limits,
  })
  const codeStore = createCodeStore(database)
  const { OPERATOR_NETWORKS: networks } = config
  const inviting = {
    mayMail,
    startSession: async (candidateId: string, browser: NewcomersBrowser) => {
      const account = await accountStore.find(candidateId)
      return account && accounts.startSession(account, browser, ['link'])
    },
    clock,
    limits,
    log,
  }
  return {
    operators: createOperators({ store: createOperatorStore(database), clock }),
    operatorFence: createOperatorFence(networks.length === 0 ? () => true : addressMatcher(networks)),
    accountStore,
    undoStore,
    memberStore,
    agentMemberStore,
    candidateStore: createCandidateStore(database),
    passwords,
    factors,
    identities,
    providers,
    /** This node's keys, if there are any; creates none. */
    secretKeys: keys.secrets.find,
    makeSecretKeys: keys.secrets.make,
    codeStore,
    passkeys: (authUrl: () => string) =>
      createPasskeys({
        ...enrolling,
        webAuthn,
        // A sign-in page creates no key: without one, there are no passkeys.
        keys: keys.secrets.find,
        authUrl,
      }),
    accounts,
    accountNames: accountStore.namesOf,
    async wasRestored(): Promise<boolean> {
      const { restoredAt = 0 } = await readRestored(database)
      return clock() - restoredAt < restoredNoticeDays * 86_400_000
    },
    members: createMembers({
      store: memberStore,
      advertisers: advertiserStore,
      clock,
      timeZone: config.TIME_ZONE,
    }),
    agentMembers: createAgentMembers({ store: agentMemberStore, agents: agentStore, clock }),
    notifications: createNotifications({ store: createNotificationStore(database), clock }),
    /** Without a mailer, all features that need email are switched off. */
    accountLinks: (mailer: Mailer | undefined, isDemo = false) =>
      createAccountLinks({
        mailer,
        isDemo,
        store: accountStore,
        mayMail,
        accounts,
        passwords,
        factors,
        clock,
        log,
      }),
    /** Undefined where codes are switched off or cannot be created. */
    emailCodes: (mailer: Mailer | undefined) =>
      mailer !== undefined &&
      config.EMAIL_CODE_SIGN_IN &&
      (keys.secrets.isFile || keys.secrets.find() !== undefined)
        ? createEmailCodes({
            ...inviting,
            mailer,
            mayMail: mayMailCode,
            store: codeStore,
            keys: keys.secrets.find,
            isKnownBrowser: passwords.isKnownBrowser,
          })
        : undefined,
    undo: (links: AccountLinks) => createUndo({ store: undoStore, links, passwords, clock }),
    invitations: (mail: Mail) =>
      createInvitations({ ...mail, ...inviting, kind: 'advertiser', store: memberStore }),
    agentInvitations: (mail: Mail) =>
      createInvitations({ ...mail, ...inviting, kind: 'agent', store: agentMemberStore }),
  }
}

interface Mail {
  mailer: Mailer | undefined
  authUrl(): string
}
