import type { FastifyRequest } from 'fastify'
import { operatorOf } from '../companies/callers/board-callers.ts'
import type { IconName } from '../platform/web/icons.ts'
import type { Navigation, NavigationLink } from '../platform/web/layout.ts'

const texts = {
  area: 'Operator',
  tabs: {
    home: 'Home',
    companies: 'Companies',
    clients: 'Agents and clients',
    reports: 'Reported jobs',
    mail: 'Email',
    work: 'Background work',
    files: 'Files',
    webhooks: 'Webhooks',
    backups: 'Backups',
    nodes: 'Processes',
    settings: 'Settings',
    audit: 'Audit log',
    lookup: 'Look up a person',
    people: 'Operators',
  },
} as const

export type OperatorTab = keyof typeof texts.tabs

const icons: Record<OperatorTab, IconName> = {
  home: 'done',
  companies: 'company',
  clients: 'key',
  reports: 'shield',
  mail: 'mail',
  work: 'clock',
  files: 'file',
  webhooks: 'events',
  backups: 'download',
  nodes: 'system',
  settings: 'questions',
  audit: 'eye',
  lookup: 'search',
  people: 'people',
}

export function operatorPath(tab: OperatorTab): string {
  return tab === 'home' ? '/operator' : `/operator/${tab}`
}

export function operatorNavigation(current: OperatorTab | undefined): Navigation {
  return {
    area: texts.area,
    company: { logoUrl: undefined, home: '/operator' },
    pages: (Object.keys(texts.tabs) as OperatorTab[]).map(tab => ({
      path: operatorPath(tab),
      label: texts.tabs[tab],
      icon: icons[tab],
    })),
    current: current === undefined ? '' : operatorPath(current),
  }
}

/** Shows the operator's navigation on error pages too. */
export function operatorWays(
  request: FastifyRequest,
): { navigation: Navigation; ways: readonly NavigationLink[] } | undefined {
  if (operatorOf(request) === undefined) return undefined
  return { navigation: operatorNavigation(undefined), ways: [{ path: '/operator', label: texts.tabs.home }] }
}
