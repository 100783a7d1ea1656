import type { RouteOptions } from 'fastify'
import { questionMarkup } from '../apply/form/question-markup.ts'
import { accessPages } from '../console/access/pages.ts'
import { progressGrantPages } from '../console/access/progress-pages.ts'
import { agentClientPages } from '../console/agent/clients-pages.ts'
import { agentHomePages } from '../console/agent/home-pages.ts'
import { agentWebhookPages } from '../console/agent/webhook-pages.ts'
import { answerDaysPages } from '../console/applications/answer-days-pages.ts'
import { archivePages } from '../console/applications/archive-pages.ts'
import { applicationDetailPages } from '../console/applications/detail-pages.ts'
import { holdPages } from '../console/applications/hold-pages.ts'
import { applicationsPages } from '../console/applications/pages.ts'
import { timeZonePages } from '../console/applications/time-zone-pages.ts'
import { consoleAuditPages } from '../console/company/audit-pages.ts'
import { logoPages } from '../console/company/logo-pages.ts'
import { privacyPages } from '../console/company/privacy-pages.ts'
import { retentionPages } from '../console/company/retention-pages.ts'
import { tellingPages } from '../console/company/telling-pages.ts'
import { eventPages } from '../console/events/pages.ts'
import { overviewPages } from '../console/overview/pages.ts'
import { invitationPages } from '../console/people/invitation-pages.ts'
import { consoleNotificationPages } from '../console/people/notifications-pages.ts'
import { agentPeoplePages, companyPeoplePages } from '../console/people/pages.ts'
import { jobAdPages } from '../console/postings/job-ads-pages.ts'
import { questionnairePages } from '../console/postings/questionnaires-pages.ts'
import { readingPages } from '../console/postings/reading-pages.ts'
import { adVersionsPage } from '../console/postings/versions-pages.ts'
import { workplacePages } from '../console/workplace-pages.ts'
import { adVersionMarkup } from '../jobs/ad-version-markup.ts'
import { jobMarkup } from '../jobs/markup.ts'
import { waitText } from '../people/account/sign-in-pages.ts'
import { joinEither } from '../people/members/invitations-service.ts'
import type { App } from './app.ts'
import type { Web } from './web.ts'

/**
 * Limit: Invitations per advertiser and hour: a form that sends email to any address must not be usable to flood
 * inboxes.
 */
export const invitationsPerHour = 60
/** Limit: Exports that one session may run concurrently; for a further one, the person is asked to wait. */
const exportsPerSession = 2

/** The pages for an advertiser's members. */
export function consoleRoutes(app: App, web: Web): RouteOptions[] {
  const { accounts, companies, audit, jobs, collect, events, share } = app
  const { config, authUrl, mailer, links, hourlyLimit, slots } = web
  const { members, agentMembers } = accounts
  const { advertisers } = companies
  const { webhooks } = app.webhooks
  const invitations = accounts.invitations({ mailer, authUrl })
  const agentInvitations = accounts.agentInvitations({ mailer, authUrl })
  const people = { ...web, forms: hourlyLimit('invitations', invitationsPerHour) }
  const applications = {
    ...collect,
    ...web,
    exports: slots('export', exportsPerSession),
    onExport: (advertiserId: number, what: { form: string; count?: number }) =>
      audit.auditLog.record({
        action: 'applications.export',
        scope: { ownerId: advertiserId },
        target: `applications:${advertiserId}`,
        after: what,
      }),
    isMailOn: mailer !== undefined,
    telling: advertisers.telling,
    adVersionMarkup,
  }
  const postings = {
    ...jobs,
    ...collect,
    ...web,
    lists: jobs.postingLists,
    adRules: config.AD_RULES,
    home: config.BOARD_COUNTRY,
    jobMarkup,
    questionMarkup,
  }
  return [
    ...workplacePages({ ...accounts, isNew: async () => (await advertisers.list()).length === 0 }),
    ...overviewPages({ ...applications, usage: companies.usage }),
    ...readingPages(postings),
    ...invitationPages({
      ...web,
      invitations: joinEither(invitations, agentInvitations),
      isMemberOf: async (owner, candidateId) =>
        ('agentId' in owner
          ? await agentMembers.find(owner.agentId, candidateId)
          : await members.find(owner.advertiserId, candidateId)) !== undefined,
      accounts: {
        signIn: attempt => accounts.accounts.signIn({ ...attempt, securityMail: links.securityMail }),
        findSession: accounts.accounts.findSession,
      },
      waitText,
    }),
    ...companyPeoplePages(
      { ...people, members, invitations },
      { set: advertisers.setRequiresFactor, enrolmentOf: accounts.factors.enrolmentOf },
    ),
    ...agentPeoplePages({ ...people, members: agentMembers, invitations: agentInvitations }),
    ...agentHomePages({ ...web, agents: companies.agents, calls: companies.agentCalls }),
    ...agentClientPages({ ...web, advertisers, clients: share.clients, changes: share.clientChanges }),
    ...agentWebhookPages({ ...companies, ...web, webhooks, timeZone: config.TIME_ZONE }),
    ...consoleNotificationPages({ ...applications, notifications: accounts.notifications }),
    ...progressGrantPages({ ...companies, ...web }),
    ...accessPages({ ...companies, ...web }),
    ...eventPages({ ...web, webhooks, events: events.eventStore }),
    ...jobAdPages(postings),
    adVersionsPage({ ...applications, adVersions: jobs.adVersions }),
    ...questionnairePages(postings),
    ...applicationsPages(applications),
    ...answerDaysPages({ ...web, advertisers }),
    ...timeZonePages({ ...web, advertisers, defaultZone: config.TIME_ZONE }),
    ...logoPages({ ...companies, ...web }),
    ...consoleAuditPages({ ...audit, ...accounts, ...web }),
    ...retentionPages({ ...applications, advertisers }),
    ...tellingPages({ ...web, advertisers }),
    ...privacyPages({ ...companies, ...web }),
    ...applicationDetailPages(applications),
    ...archivePages(applications),
    ...holdPages(applications),
  ]
}
