import type { FastifyRequest } from 'fastify'
import { agentPersonOf, memberOf } from '../companies/callers/board-callers.ts'
import { type Member, type Role, roles } from '../model/principal.ts'
import { logoUrl } from '../platform/core/brand/logo.ts'
import { sessionOf } from '../platform/http/auth/callers.ts'
import type { IconName } from '../platform/web/icons.ts'
import type { Navigation, NavigationLink } from '../platform/web/layout.ts'
import { agentNavigation } from './agent-navigation-markup.ts'

const labels = {
  overview: 'Overview',
  applications: 'Applications',
  jobs: 'Job ads',
  ads: 'Job ads',
  screens: 'Questionnaires',
  access: 'API access',
  events: 'Events',
  people: 'People',
  notifications: 'Notifications',
  telling: 'Telling candidates',
  privacy: 'Privacy notice',
  logo: 'Company logo',
  retention: 'Retention period',
  audit: 'Audit log',
}

export type ConsoleTab = keyof typeof labels

/** The tabs a member may open. Recruiters read the job ads that admins write. */
const tabs: readonly { name: ConsoleTab; icon: IconName; roles: readonly Role[] }[] = [
  { name: 'overview', icon: 'calendar', roles },
  { name: 'applications', icon: 'send', roles },
  { name: 'jobs', icon: 'job', roles: ['admin'] },
  { name: 'ads', icon: 'job', roles: ['recruiter'] },
  { name: 'screens', icon: 'questions', roles: ['admin'] },
  { name: 'access', icon: 'key', roles: ['admin'] },
  { name: 'events', icon: 'events', roles: ['admin'] },
  { name: 'people', icon: 'people', roles },
  { name: 'notifications', icon: 'mail', roles },
  { name: 'telling', icon: 'mail', roles: ['admin'] },
  { name: 'privacy', icon: 'document', roles: ['admin'] },
  { name: 'logo', icon: 'image', roles: ['admin'] },
  { name: 'retention', icon: 'clock', roles: ['admin'] },
  { name: 'audit', icon: 'shield', roles: ['admin'] },
]

/** The tab with the company's job ads. */
export const adsTab = ({ role }: Pick<Member, 'role'>): ConsoleTab => (role === 'admin' ? 'jobs' : 'ads')

export function consolePath(advertiserId: number, tab: ConsoleTab): string {
  return tab === 'overview' ? `/console/${advertiserId}` : `/console/${advertiserId}/${tab}`
}

/** Linked from the applications, whose dates it affects. */
export const timeZonePath = (advertiserId: number) => `${consolePath(advertiserId, 'applications')}/time-zone`

/** Also linked from the applications: when an application counts as unanswered. */
export const answerDaysPath = (advertiserId: number) =>
  `${consolePath(advertiserId, 'applications')}/answer-days`

/** The tabs of a console page; `current` is undefined for pages that belong to no tab. */
export function consoleNavigation(member: Member, current: ConsoleTab | undefined): Navigation {
  return {
    area: member.advertiserName,
    company: { logoUrl: logoUrl(member.logoHash) },
    pages: tabs
      .filter(tab => tab.roles.includes(member.role))
      .map(({ name, icon }) => ({
        path: consolePath(member.advertiserId, name),
        label: labels[name],
        icon,
      })),
    current: current === undefined ? '' : consolePath(member.advertiserId, current),
  }
}

/** Keeps the console navigation on error pages. */
export function consoleWays(request: FastifyRequest): {
  navigation?: Navigation
  ways?: readonly NavigationLink[]
} {
  const { auth } = request.routeOptions.config
  if ((auth !== 'console' && auth !== 'agent') || sessionOf(request) === undefined) return {}
  const agentPerson = agentPersonOf(request)
  if (agentPerson !== undefined) return { navigation: agentNavigation(agentPerson, undefined) }
  const member = memberOf(request)
  // The advertiser is on hold, or the person works for neither the advertiser nor the agent.
  if (member === undefined) return { ways: [{ path: '/console', label: 'Your companies' }] }
  const { advertiserId } = member
  return {
    navigation: consoleNavigation(member, undefined),
    ways: [
      { path: consolePath(advertiserId, 'applications'), label: labels.applications },
      { path: consolePath(advertiserId, 'people'), label: 'See who the admins are' },
    ],
  }
}
