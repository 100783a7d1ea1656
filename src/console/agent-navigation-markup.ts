import type { AgentMember } from '../model/principal.ts'
import type { IconName } from '../web/icons.ts'
import type { Navigation } from '../web/layout.ts'

export type AgentTab = 'home' | 'people'

const texts = { home: 'Companies', people: 'People' } satisfies Record<AgentTab, string>

const tabs: readonly { name: AgentTab; icon: IconName }[] = [
  { name: 'home', icon: 'company' },
  { name: 'people', icon: 'people' },
]

export const agentPath = (agentId: number, tab: AgentTab): string =>
  tab === 'home' ? `/agent/${agentId}` : `/agent/${agentId}/${tab}`

/** The tabs of an agent's page; `current` is undefined for pages that belong to no tab. */
export function agentNavigation(
  { agentId, agentName }: AgentMember,
  current: AgentTab | undefined,
): Navigation {
  return {
    area: agentName,
    company: { logoUrl: undefined },
    pages: tabs.map(({ name, icon }) => ({ path: agentPath(agentId, name), label: texts[name], icon })),
    current: current === undefined ? '' : agentPath(agentId, current),
  }
}
