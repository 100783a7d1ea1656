import type { FastifyRequest } from 'fastify'
import type { Member } from '../model/principal.ts'
import type { Navigation, NavigationLink } from '../web/layout.ts'
import { consoleTexts as texts } from './texts.ts'

export type ConsoleTab = 'applications' | 'jobs' | 'screens' | 'access' | 'people'

/** The tabs that this member may open; recruiters have the applications, and see who the admins are. */
const tabs: readonly { name: ConsoleTab; isForRecruiters: boolean }[] = [
  { name: 'applications', isForRecruiters: true },
  { name: 'jobs', isForRecruiters: false },
  { name: 'screens', isForRecruiters: false },
  { name: 'access', isForRecruiters: false },
  { name: 'people', isForRecruiters: true },
]

export function consolePath(advertiserId: number, tab: ConsoleTab): string {
  return `/console/${advertiserId}/${tab}`
}

/** Reached from the applications, whose days and times it is about. */
export const timeZonePath = (advertiserId: number) => `${consolePath(advertiserId, 'applications')}/time-zone`

/** The tabs of every page of an advertiser; a page of no tab has none that is current. */
export function consoleNavigation(member: Member, current: ConsoleTab | undefined): Navigation {
  return {
    area: member.advertiserName,
    pages: tabs
      .filter(({ isForRecruiters }) => isForRecruiters || member.role === 'admin')
      .map(({ name }) => ({ path: consolePath(member.advertiserId, name), label: texts.tabs[name] })),
    current: current === undefined ? '' : consolePath(member.advertiserId, current),
  }
}

/** What goes wrong in the console leaves people in it. */
export function consoleWays(request: FastifyRequest): {
  navigation?: Navigation
  ways?: readonly NavigationLink[]
} {
  if (request.routeOptions.config.auth !== 'console' || !request.session) return {}
  // On hold, or not one of theirs.
  if (!request.member) return { ways: [{ path: '/console', label: texts.workplaces }] }
  const { advertiserId } = request.member
  return {
    navigation: consoleNavigation(request.member, undefined),
    ways: (['applications', 'people'] as const).map(name => ({
      path: consolePath(advertiserId, name),
      label: texts.ways[name],
    })),
  }
}
