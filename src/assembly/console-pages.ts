import type { RouteOptions } from 'fastify'
import { questionMarkup } from '../apply/form/question-markup.ts'
import { accessPages } from '../console/access/pages.ts'
import { agentClientPages } from '../console/agent/clients-pages.ts'
import { agentPages, agentPeoplePages, companyPeoplePages } from '../console/agent/pages.ts'
import { agentWebhookPages } from '../console/agent/webhook-pages.ts'
import { archivePages } from '../console/applications/archive-pages.ts'
import { applicationDetailPages } from '../console/applications/detail-pages.ts'
import { holdPages } from '../console/applications/hold-pages.ts'
import { applicationsPages } from '../console/applications/pages.ts'
import { timeZonePages } from '../console/applications/time-zone-pages.ts'
import { consoleAuditPages } from '../console/company/audit-pages.ts'
import { logoPages } from '../console/company/logo-pages.ts'
import { retentionPages } from '../console/company/retention-pages.ts'
import { eventPages } from '../console/events/pages.ts'
import { overviewPages } from '../console/overview/pages.ts'
import { invitationPages } from '../console/people/invitation-pages.ts'
import { consoleNotificationPages } from '../console/people/notifications-pages.ts'
import { jobAdPages } from '../console/postings/job-ads-pages.ts'
import { questionnairePages } from '../console/postings/questionnaires-pages.ts'
import { readingPages } from '../console/postings/reading-pages.ts'
import { workplacePages } from '../console/workplace-pages.ts'
import { jobMarkup } from '../jobs/markup.ts'
import { waitText } from '../people/account/sign-in-pages.ts'
import { joinEither } from '../people/members/invitations-service.ts'
import type { AccountModule } from './accounts.ts'
import type { AdvertiserModule } from './advertisers.ts'
import type { CollectModule } from './collect.ts'
import type { EventModule } from './events.ts'
import type { JobModule } from './jobs.ts'
import type { ShareModule } from './share.ts'
import type { AuditModule } from './upkeep.ts'
import type { Web } from './web.ts'
import type { WebhookModule } from './webhooks.ts'

/** The pages of an advertiser's people. */
export function consoleRoutes(
  modules: AccountModule &
    AdvertiserModule &
    AuditModule &
    JobModule &
    CollectModule &
    EventModule &
    WebhookModule &
    ShareModule,
  {
    config,
    clock,
    limits,
    isDemo,
    baseUrl,
    authUrl,
    mailer,
    links,
    sessions,
    sentForms,
    slots,
    rateLimit,
    conversions,
  }: Web,
): RouteOptions[] {
  const {
    accounts,
    advertisers,
    members,
    credentials,
    agents,
    usage,
    jobs,
    questionnaires,
    finding,
    applications,
    progress,
    reads,
  } = modules
  const invitations = modules.invitations({ mailer, authUrl })
  const { agentMembers } = modules
  const agentInvitations = modules.agentInvitations({ mailer, authUrl })
  const isMailOn = mailer !== undefined
  const forms = rateLimit('invitations', limits.invitationsPerHour, 3600)
  const exports = slots('export', limits.exportsPerSession)
  const people = { sentForms, sessions, forms, isDemo, limits }
  const lists = modules.postingLists
  const onExport = (advertiserId: number, what: { form: string; count?: number }) =>
    modules.auditLog.record({
      action: 'applications.export',
      scope: { advertiserId },
      target: `applications:${advertiserId}`,
      after: what,
    })
  const postings = { jobs, questionnaires, lists, progress, sessions, sentForms, clock, limits }
  return [
    ...workplacePages({
      ...{ members, agentMembers },
      isNew: async () => (await advertisers.list()).length === 0,
    }),
    ...overviewPages({ finding, progress, usage, clock, limits }),
    ...readingPages({ ...postings, jobMarkup }),
    ...invitationPages({
      invitations: joinEither(invitations, agentInvitations),
      isMemberOf: async (owner, candidateId) =>
        ('agentId' in owner
          ? await agentMembers.find(owner.agentId, candidateId)
          : await members.find(owner.advertiserId, candidateId)) !== undefined,
      accounts: {
        signIn: attempt => accounts.signIn({ ...attempt, securityMail: links.securityMail }),
        findSession: accounts.findSession,
      },
      ...{ waitText, sessions, limits },
    }),
    ...companyPeoplePages(
      { members, invitations, ...people },
      { set: advertisers.setRequiresFactor, enrolmentOf: modules.factors.enrolmentOf },
    ),
    ...agentPeoplePages({ members: agentMembers, invitations: agentInvitations, ...people }),
    ...agentPages({ agents, calls: modules.agentCalls }),
    ...agentClientPages({
      ...{ clients: modules.clients, changes: modules.clientChanges, sessions, sentForms },
    }),
    ...agentWebhookPages({
      ...{ webhooks: modules.webhooks, agents, sessions, sentForms, clock, limits },
      timeZone: config.TIME_ZONE,
    }),
    ...consoleNotificationPages({ notifications: modules.notifications, sessions, isMailOn }),
    ...accessPages({ credentials, agents, usage, sentForms, sessions, clock, baseUrl }),
    ...eventPages({
      webhooks: modules.webhooks,
      events: modules.eventStore,
      sessions,
      sentForms,
      clock,
      limits,
    }),
    ...jobAdPages({ ...postings, jobMarkup }),
    ...questionnairePages({ ...postings, questionMarkup }),
    ...applicationsPages({
      finding,
      progress,
      reads,
      sessions,
      sentForms,
      exports,
      onExport,
      clock,
      isMailOn: mailer !== undefined,
      limits,
    }),
    ...timeZonePages({ advertisers, sessions, defaultZone: config.TIME_ZONE }),
    ...logoPages({ logos: modules.logos, sessions }),
    ...consoleAuditPages({ auditLog: modules.auditLog, sessions, clock }),
    ...retentionPages({ retention: modules.retention, sessions }),
    ...applicationDetailPages({
      finding,
      applications,
      reads,
      progress,
      sessions,
      sentForms,
      conversions,
      retention: modules.retention,
      holds: modules.holds,
      isMailOn: mailer !== undefined,
      clock,
      limits,
    }),
    ...archivePages({ finding, applications, reads, sessions, exports, onExport, clock, limits }),
    ...holdPages({ holds: modules.holds, finding, sessions, limits }),
  ]
}
