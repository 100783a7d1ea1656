import type { AgentMember } from '../model/principal.ts'
import type { IconName } from '../platform/web/icons.ts'
import type { Navigation } from '../platform/web/layout.ts'

const labels = {
  home: 'Companies',
  clients: 'OAuth clients',
  webhooks: 'Webhooks',
  people: 'People',
}

export type AgentTab = keyof typeof labels

const tabs: readonly { name: AgentTab; icon: IconName; isForAdmins?: true }[] = [
  { name: 'home', icon: 'company' },
  { name: 'clients', icon: 'key' },
  { name: 'webhooks', icon: 'events', isForAdmins: true },
  { name: 'people', icon: 'people' },
]

export const agentPath = (agentId: number, tab: AgentTab): string =>
  tab === 'home' ? `/agent/${agentId}` : `/agent/${agentId}/${tab}`

/** The tabs of an agent's page; `current` is undefined for pages that belong to no tab. */
export function agentNavigation(
  { agentId, agentName, role }: AgentMember,
  current: AgentTab | undefined,
): Navigation {
  return {
    area: agentName,
    company: { logoUrl: undefined },
    pages: tabs
      .filter(tab => role === 'admin' || !tab.isForAdmins)
      .map(({ name, icon }) => ({ path: agentPath(agentId, name), label: labels[name], icon })),
    current: current === undefined ? '' : agentPath(agentId, current),
  }
}
