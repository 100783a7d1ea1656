import type { AgentMember } from '../model/principal.ts'
import type { IconName } from '../web/icons.ts'
import type { Navigation } from '../web/layout.ts'

export type AgentTab = 'home' | 'clients' | 'webhooks' | 'people'

const texts = {
  home: 'Companies',
  clients: 'OAuth clients',
  webhooks: 'Webhooks',
  people: 'People',
} satisfies Record<AgentTab, string>

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
      .map(({ name, icon }) => ({ path: agentPath(agentId, name), label: texts[name], icon })),
    current: current === undefined ? '' : agentPath(agentId, current),
  }
}
