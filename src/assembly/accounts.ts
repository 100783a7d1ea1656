import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { addressMatcher } from '../core/addresses/trusted-addresses.ts'
import { readWebhookKeys } from '../events/webhooks/signing-rules.ts'
import { createOperatorFence } from '../http/auth/operator-auth.ts'
import { createOperators } from '../operator/access/service.ts'
import { createAccountLinks } from '../people/account/links-service.ts'
import { createPasswordCheck } from '../people/account/password-service.ts'
import { createAccounts } from '../people/account/service.ts'
import { createPasskeys } from '../people/factors/passkey-service.ts'
import type { SecretKeys } from '../people/factors/secret-rules.ts'
import { createFactors } from '../people/factors/service.ts'
import { totpCodes } from '../people/factors/totp-adapter.ts'
import { webAuthn } from '../people/factors/webauthn-adapter.ts'
import type { Mailer } from '../people/mail/ports.ts'
import { createInvitations, type NewcomersBrowser } from '../people/members/invitations-service.ts'
import { createAgentMembers, createMembers } from '../people/members/service.ts'
import { createNotifications } from '../people/notifications/service.ts'
import { readOrMakeKeyFile } from '../storage/key-file.ts'
import { createOperatorStore } from '../storage/operator/operator-store.ts'
import { createAccountStore } from '../storage/people/account-store.ts'
import { createAgentMemberStore } from '../storage/people/agent-member-store.ts'
import { createCandidateStore } from '../storage/people/candidate-store.ts'
import { createFactorStore } from '../storage/people/factor-store.ts'
import { createMemberStore } from '../storage/people/member-store.ts'
import { createNotificationStore } from '../storage/people/notification-store.ts'
import { createFailureStore, createSessionStore } from '../storage/people/session-store.ts'
import type { AdvertiserModule } from './advertisers.ts'
import type { Platform } from './platform.ts'

/** On one machine a file, made when it is first needed; on several it must be set. */
function secretKeysOf(
  { SECRETS_KEY, DATABASE_URL, DATA_DIR }: Config,
  isNeeded = true,
): SecretKeys | undefined {
  if (SECRETS_KEY !== undefined || DATABASE_URL !== undefined) return SECRETS_KEY
  const path = join(DATA_DIR, 'secrets.key')
  return isNeeded || existsSync(path) ? readWebhookKeys(readOrMakeKeyFile(path)) : undefined
}

export type AccountModule = ReturnType<typeof openAccounts>

/** One account per person, whatever they do with it: sign in, confirm an address, work for an advertiser. */
export function openAccounts(
  { config, database, background, clock, limits, log }: Platform,
  { advertiserStore, agentStore }: AdvertiserModule,
) {
  const accountStore = createAccountStore(database)
  const memberStore = createMemberStore(database)
  const agentMemberStore = createAgentMemberStore(database)
  const passwords = createPasswordCheck({
    accounts: accountStore,
    failures: createFailureStore(database),
    clock,
    limits,
  })
  let keys: SecretKeys | undefined
  const factorStore = createFactorStore(database)
  const enrolling = { store: factorStore, clock, board: config.BOARD_NAME, limits }
  const factors = createFactors({
    ...enrolling,
    codes: totpCodes,
    keys: () => (keys ??= secretKeysOf(config)),
  })
  const accounts = createAccounts({
    factors,
    store: accountStore,
    sessions: createSessionStore(database),
    passwords,
    background,
    clock,
    limits,
  })
  const { OPERATOR_NETWORKS: networks } = config
  const inviting = {
    countMail: accountStore.countMail,
    startSession: async (candidateId: string, browser: NewcomersBrowser) => {
      const account = await accountStore.find(candidateId)
      return account && accounts.startSession(account, browser, ['link'])
    },
    clock,
    limits,
    log,
  }
  return {
    operators: createOperators({ store: createOperatorStore(database), clock, limits }),
    operatorFence: createOperatorFence(networks.length === 0 ? () => true : addressMatcher(networks)),
    accountStore,
    memberStore,
    agentMemberStore,
    candidateStore: createCandidateStore(database),
    passwords,
    factors,
    /** The keys of this node, if there are any; none is made. */
    secretKeys: () => (keys ??= secretKeysOf(config, false)),
    passkeys: (authUrl: () => string) =>
      createPasskeys({
        ...enrolling,
        webAuthn,
        // A sign-in page makes no key: without one, there are no passkeys.
        keys: () => (keys ??= secretKeysOf(config, false)),
        authUrl,
      }),
    accounts,
    members: createMembers({
      store: memberStore,
      advertisers: advertiserStore,
      clock,
      timeZone: config.TIME_ZONE,
    }),
    agentMembers: createAgentMembers({ store: agentMemberStore, agents: agentStore, clock }),
    notifications: createNotifications({ store: createNotificationStore(database), clock }),
    /** Without a mailer, everything that needs email is switched off. */
    accountLinks: (mailer: Mailer | undefined, isDemo = false) =>
      createAccountLinks({
        ...{ mailer, isDemo },
        store: accountStore,
        accounts,
        passwords,
        hasSecondFactor: factors.hasSecondFactor,
        clock,
        limits,
        log,
      }),
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
