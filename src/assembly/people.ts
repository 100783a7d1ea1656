import type { RouteOptions } from 'fastify'
import { adVersionMarkup } from '../jobs/ad-version-markup.ts'
import { accountRoutes } from '../people/account/pages.ts'
import { proofRoutes } from '../people/account/proof-pages.ts'
import { secondStepRoutes, sendSecondStep } from '../people/account/second-step-pages.ts'
import { securityPages } from '../people/account/security-pages.ts'
import { createSessionStore } from '../people/account/session-store.ts'
import { signInRoutes } from '../people/account/sign-in-pages.ts'
import { ownApplicationsPages } from '../people/activity/applications-pages.ts'
import { sharingPages } from '../people/activity/sharing-pages.ts'
import { createTimeline } from '../people/activity/timeline-service.ts'
import { emailCodeRoutes } from '../people/codes/pages.ts'
import { createFactorStore } from '../people/factors/factor-store.ts'
import { createListEntryStore } from '../people/lists/list-entry-store.ts'
import { createListMeanings } from '../people/lists/service.ts'
import { notificationPages } from '../people/notifications/pages.ts'
import { unsubscribePages } from '../people/notifications/unsubscribe-pages.ts'
import { createAccountRemovalStore } from '../people/own-data/account-removal-store.ts'
import { createOwnDataStore } from '../people/own-data/own-data-store.ts'
import { ownDataPages } from '../people/own-data/pages.ts'
import { createAccountRemoval } from '../people/own-data/removal-service.ts'
import { createOwnData } from '../people/own-data/service.ts'
import { profilePages } from '../people/profile/pages.ts'
import { resumePages } from '../people/profile/resume-pages.ts'
import { createProfiles } from '../people/profile/service.ts'
import { providerRoutes } from '../people/provider/pages.ts'
import { factorPages } from '../people/two-step/pages.ts'
import { undoRoutes } from '../people/undo/pages.ts'
import type { SessionOwner } from '../platform/core/session-owner.ts'
import { missingProof } from '../platform/http/auth/fresh-proof.ts'
import { searchOf } from '../platform/http/requests/form.ts'
import { AuthorizationRefusal } from '../share/protocol/errors.ts'
import type { AccountModule } from './accounts.ts'
import type { ApplyModule } from './apply.ts'
import type { CollectModule } from './collect.ts'
import type { MailModule } from './mail.ts'
import type { Platform } from './platform.ts'
import type { ShareModule } from './share.ts'
import type { Web } from './web.ts'

/** Limit: New email addresses that one candidate may enter per minute: each receives an email. */
const newAddressesPerMinute = 5
/** Limit: Sign-in codes per network and hour: a whole office or campus may share it. */
const signInCodesPerNetworkAndHour = 60
/** Limit: Sign-ins at OpenID providers that begin from one network address per minute: a whole office may share it. */
const providerSignInsPerAddressPerMinute = 300
/** Limit: Notifications of ended sessions that one network address may send per minute. */
const providerLogoutsPerAddressPerMinute = 3_000
/** Limit: Data downloads per candidate and hour: each reads all of the candidate's files. */
const ownDataPerHour = 10

export type PeopleModule = ReturnType<typeof openPeople>

/** Opens the module for a candidate's profile, sent applications and own data. */
export function openPeople(
  { config, database, files, blobs, background, clock, limits, log }: Platform,
  { accountStore, candidateStore, identities, passwords }: AccountModule,
  { sharingHistory }: ShareModule,
  { ownApplications, drafts }: ApplyModule,
  { erasure }: CollectModule,
) {
  const ownDataStore = createOwnDataStore(database)
  return {
    profiles: createProfiles({ store: candidateStore, files, blobs, clock, limits, lists: config.LISTS_DIR }),
    listMeanings: createListMeanings({ store: createListEntryStore(database), lists: config.LISTS_DIR }),
    timeline: createTimeline({ sent: ownApplications, begun: sharingHistory }),
    ownData: createOwnData({
      store: ownDataStore,
      candidates: candidateStore,
      drafts,
      history: sharingHistory,
      sessions: createSessionStore(database),
      factors: createFactorStore(database),
      identities,
      blobs,
      clock,
      log,
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
    }),
  }
}

export function peopleRoutes(
  accounts: AccountModule,
  people: PeopleModule,
  share: ShareModule,
  apply: ApplyModule,
  mail: MailModule,
  web: Web,
): RouteOptions[] {
  const { clock, limits, links, rateLimit, hourlyLimit } = web
  const hasSecondFactor = (owner: SessionOwner) => accounts.factors.hasSecondFactor(owner.candidateId)
  const hasScanner = web.config.CLAMD_URL !== undefined
  const formTargetOf = (continueTo: string) => waitingClient(share, continueTo)
  /** Without a password, the form has nothing to ask for, so the proof itself must be recent. */
  const needsFactor = async (owner: SessionOwner) => {
    const need = (await accounts.accounts.hasPassword(owner.candidateId)) ? 'factor' : 'sign-in'
    return (await missingProof(owner, need, { clock, hasSecondFactor })) !== undefined
  }
  const pages = { ...accounts, ...web, isMailOn: links.isOn, formTargetOf, needsFactor }
  const signingIn = { ...pages, sendSecondStep: sendSecondStep.bind(undefined, pages) }
  const forms = rateLimit('account-forms', limits.accountFormsPerAddressPerMinute)
  const { codes } = web
  return [
    ...signInRoutes(signingIn),
    ...secondStepRoutes(signingIn),
    ...(accounts.providers.isOn
      ? providerRoutes({
          ...signingIn,
          forms: rateLimit('provider-sign-ins', providerSignInsPerAddressPerMinute),
          ends: rateLimit('provider-logouts', providerLogoutsPerAddressPerMinute),
        })
      : []),
    ...factorPages(pages),
    ...proofRoutes(pages),
    ...accountRoutes({ ...pages, forms }),
    ...(codes === undefined
      ? []
      : emailCodeRoutes({
          ...signingIn,
          codes,
          forms,
          networkCodes: hourlyLimit('sign-in-codes-of-network', signInCodesPerNetworkAndHour),
          allCodes: hourlyLimit('sign-in-codes', limits.signInCodesPerHour),
        })),
    ...undoRoutes({ ...web, undo: accounts.undo(links) }),
    ...securityPages({
      ...pages,
      refusals: mail.noticeStore,
      forms: rateLimit('new-addresses', newAddressesPerMinute),
    }),
    ...ownDataPages({
      ...pages,
      ownData: people.ownData,
      removal: people.accountRemoval,
      downloads: hourlyLimit('own-data', ownDataPerHour),
    }),
    ...profilePages({ ...people, ...web }),
    ...resumePages({
      ...people,
      ...web,
      uploads: hourlyLimit('resume-uploads', limits.resumeUploadsPerHour),
      hasScanner,
    }),
    ...notificationPages(pages),
    ...unsubscribePages(accounts),
    ...sharingPages({
      ...share,
      ...web,
      history: share.sharingHistory,
      sent: apply.ownApplications,
      timeZone: web.config.TIME_ZONE,
    }),
    ...ownApplicationsPages({
      ...apply,
      ...people,
      ...web,
      hasScanner,
      adVersionMarkup,
      uploads: hourlyLimit('document-replacements', limits.resumeUploadsPerHour),
    }),
  ]
}

/** The client of an authorization request, to name it on the pages before it. */
async function waitingClient({ authorization }: ShareModule, continueTo: string) {
  if (!continueTo.startsWith('/api/iam/oauth2/authorize?')) return undefined
  try {
    const { target, client } = await authorization.check(searchOf(continueTo))
    return { formTarget: target.redirectUri, clientName: client.name }
  } catch (error) {
    // Not logged: the authorization endpoint rejects and logs the request when the person arrives there.
    if (error instanceof AuthorizationRefusal) return undefined
    throw error
  }
}
