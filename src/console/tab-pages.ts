import type { AgentMember, Member } from '../model/principal.ts'
import type { ProofNeed } from '../platform/http/auth/fresh-proof.ts'
import type { Sessions } from '../platform/http/auth/sessions.ts'
import { sendPage } from '../platform/web/page-response.ts'
import { adminPage, agentAdminPage, agentPage, memberPage } from '../platform/web/page-routes.ts'
import { tabOf } from '../platform/web/tab.ts'
import { type AgentTab, agentNavigation } from './agent-navigation-markup.ts'
import { type ConsoleTab, consoleNavigation } from './navigation-markup.ts'

/** Who may open the pages of a tab, who may send their forms, and with which proof. */
interface TabReaders {
  view: 'member' | 'admin'
  change?: 'member' | 'admin'
  proof?: ProofNeed
}

const mayChange = ({ role }: Pick<Member | AgentMember, 'role'>, change: TabReaders['change']) =>
  change === 'member' || role === 'admin'

/** Builds the pages of a company's tab. */
export function consoleTab(sessions: Sessions, tab: ConsoleTab, { view, change = view, proof }: TabReaders) {
  const pages = { member: memberPage, admin: adminPage }
  return tabOf({
    sessions,
    view: pages[view],
    change: pages[change],
    proof,
    canChange: caller => mayChange(caller, change),
    send: ({ reply, caller }, page) =>
      sendPage(reply, { ...page, navigation: consoleNavigation(caller, tab) }),
  })
}

/** Builds the pages of an agent's tab. */
export function agentTab(sessions: Sessions, tab: AgentTab, { view, change = view, proof }: TabReaders) {
  const pages = { member: agentPage, admin: agentAdminPage }
  return tabOf({
    sessions,
    view: pages[view],
    change: pages[change],
    proof,
    canChange: caller => mayChange(caller, change),
    send: ({ reply, caller }, page) => sendPage(reply, { ...page, navigation: agentNavigation(caller, tab) }),
  })
}

/** Pages that companies and agents share. */
export type WorkplaceTab<Auth extends 'console' | 'agent'> = ReturnType<typeof tabOf<Auth>>
