import type { RouteOptions } from 'fastify'
import { searchOf } from '../http/requests/form.ts'
import { accountNavigation } from '../people/account/navigation-markup.ts'
import { accountRoutes } from '../people/account/pages.ts'
import { proofRoutes } from '../people/account/proof-pages.ts'
import { secondStepRoutes, sendSecondStep } from '../people/account/second-step-pages.ts'
import { securityRoutes } from '../people/account/security-pages.ts'
import { signInRoutes } from '../people/account/sign-in-pages.ts'
import { ownApplicationsPages } from '../people/activity/applications-pages.ts'
import { sharingPages } from '../people/activity/sharing-pages.ts'
import { createTimeline } from '../people/activity/timeline-service.ts'
import { notificationPages } from '../people/notifications/pages.ts'
import { unsubscribePages } from '../people/notifications/unsubscribe-pages.ts'
import { ownDataPages } from '../people/own-data/pages.ts'
import { createAccountRemoval } from '../people/own-data/removal-service.ts'
import { createOwnData } from '../people/own-data/service.ts'
import { profilePages } from '../people/profile/pages.ts'
import { resumePages } from '../people/profile/resume-pages.ts'
import { createProfiles } from '../people/profile/service.ts'
import { factorPages } from '../people/two-step/pages.ts'
import { AuthorizationRefusal } from '../share/protocol/errors.ts'
import { createAccountRemovalStore } from '../storage/people/account-removal-store.ts'
import { createFactorStore } from '../storage/people/factor-store.ts'
import { createOwnDataStore } from '../storage/people/own-data-store.ts'
import { createSessionStore } from '../storage/people/session-store.ts'
import type { AccountModule } from './accounts.ts'
import type { ApplyModule } from './apply.ts'
import type { CollectModule } from './collect.ts'
import type { MailModule } from './mail.ts'
import type { Platform } from './platform.ts'
import type { ShareModule } from './share.ts'
import type { Web } from './web.ts'

export type PeopleModule = ReturnType<typeof openPeople>

/** A candidate's profile, sent applications and own data. */
export function openPeople(
  { config, database, files, blobs, background, clock, limits, log }: Platform,
  { accountStore, candidateStore, passwords }: AccountModule,
  { sharingHistory }: ShareModule,
  { ownApplications }: ApplyModule,
  { erasure }: CollectModule,
) {
  const ownDataStore = createOwnDataStore(database)
  return {
    profiles: createProfiles({ store: candidateStore, files, blobs, clock, limits }),
    timeline: createTimeline({ sent: ownApplications, begun: sharingHistory, limits }),
    ownData: createOwnData({
      store: ownDataStore,
      candidates: candidateStore,
      history: sharingHistory,
      sessions: createSessionStore(database),
      factors: createFactorStore(database),
      blobs,
      clock,
      limits,
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
      limits,
    }),
  }
}

export function peopleRoutes(
  modules: AccountModule & PeopleModule & ShareModule & ApplyModule & MailModule,
  {
    config,
    clock,
    limits,
    isDemo,
    sessions,
    links,
    sentForms,
    sendSignInPage,
    rateLimit,
    conversions,
    passkeys,
  }: Web,
): RouteOptions[] {
  const { accounts, profiles, consents, sharingHistory: history, applying } = modules
  const hasScanner = config.CLAMD_URL !== undefined
  const pages = { accounts, links, sessions, isDemo, limits }
  const formTargetOf = (continueTo: string) => waitingClient(modules, continueTo)
  const factorsOfPeople = { factors: modules.factors, passkeys }
  const signingIn = {
    ...pages,
    sendSignInPage,
    ...factorsOfPeople,
    sendSecondStep: sendSecondStep.bind(undefined, { sessions, ...factorsOfPeople }),
    isMailOn: links.isOn,
    formTargetOf,
  }
  const personal = { notifications: modules.notifications, members: modules.members }
  const navigation = accountNavigation('/account/applications')
  return [
    ...signInRoutes(signingIn),
    ...secondStepRoutes(signingIn),
    ...factorPages({ ...factorsOfPeople, links, sessions, limits }),
    ...proofRoutes({ accounts, ...factorsOfPeople, sessions }),
    ...accountRoutes({
      ...pages,
      formTargetOf,
      forms: rateLimit('account-forms', limits.accountFormsPerAddressPerMinute),
    }),
    ...securityRoutes({
      ...pages,
      factors: modules.factors,
      refusals: modules.noticeStore,
      forms: rateLimit('new-addresses', limits.newAddressesPerMinute),
    }),
    ...ownDataPages({
      ownData: modules.ownData,
      removal: modules.accountRemoval,
      links,
      sessions,
      downloads: rateLimit('own-data', limits.ownDataPerHour, 3600),
      clock,
      limits,
    }),
    ...profilePages({ profiles, sessions, limits }),
    ...resumePages({
      profiles,
      sessions,
      sentForms,
      uploads: rateLimit('resume-uploads', limits.resumeUploadsPerHour, 3600),
      limits,
      hasScanner,
      conversions,
    }),
    ...notificationPages({ ...personal, sessions, isMailOn: links.isOn }),
    ...unsubscribePages(personal),
    ...sharingPages({ consents, history, sent: modules.ownApplications, sessions, clock, limits }),
    ...ownApplicationsPages({
      ...{
        applying,
        keeping: modules.keeping,
        timeline: modules.timeline,
        hasScanner,
        navigation,
        clock,
        limits,
        conversions,
        sessions,
      },
      uploads: rateLimit('document-replacements', limits.resumeUploadsPerHour, 3600),
    }),
  ]
}

/** The client of an authorization request, named on the pages before it. */
async function waitingClient({ authorization }: ShareModule, continueTo: string) {
  if (!continueTo.startsWith('/api/iam/oauth2/authorize?')) return undefined
  try {
    const { target, client } = await authorization.check(searchOf(continueTo))
    return { formTarget: target.redirectUri, clientName: client.name }
  } catch (error) {
    // Not logged: the authorization endpoint refuses and logs the request when the person gets there.
    if (error instanceof AuthorizationRefusal) return undefined
    throw error
  }
}
