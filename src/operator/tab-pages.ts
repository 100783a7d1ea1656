import type { Sessions } from '../platform/http/auth/sessions.ts'
import { sendPage } from '../platform/web/page-response.ts'
import { operatorPage, viewerPage } from '../platform/web/page-routes.ts'
import { tabOf } from '../platform/web/tab.ts'
import { type OperatorTab, operatorNavigation, operatorPath } from './navigation-markup.ts'

/** Builds the pages of a tab: viewers see them, operators change things, each time with a fresh proof. */
export const operatorTab = (sessions: Sessions, tab: OperatorTab) =>
  tabOf({
    sessions,
    view: viewerPage,
    change: operatorPage,
    proof: 'fresh',
    formPage: operatorPath(tab),
    canChange: caller => caller.operatorRole === 'operator',
    send: ({ reply }, page) =>
      sendPage(reply, { ...page, isWide: true, navigation: operatorNavigation(tab) }),
  })
