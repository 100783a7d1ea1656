import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { sendPage } from '../../platform/web/page-response.ts'
import { accountPage } from '../../platform/web/page-routes.ts'
import { tabOf } from '../../platform/web/tab.ts'
import { accountNavigation } from './navigation-markup.ts'

/**
 * Builds pages for signed-in people. `current` is the tab that the navigation shows. `pages`: for example
 * `accountPage.signIn`, if even viewing the page requires a proof. `formPage`: for acts whose URL has no page.
 */
export const accountTab = (
  sessions: Sessions,
  current: string,
  { pages = accountPage, ...acts }: { pages?: typeof accountPage.fresh; formPage?: string } = {},
) =>
  tabOf({
    ...acts,
    sessions,
    view: pages,
    change: pages,
    canChange: () => true,
    send: ({ reply }, page) => sendPage(reply, { ...page, navigation: accountNavigation(current) }),
  })
