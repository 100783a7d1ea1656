import type { RouteOptions } from 'fastify'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { viewerPage } from '../../web/page-routes.ts'
import { actionsOf, backTo, doneNotice, sendOperatorPage, tokensOf } from '../acting-pages.ts'
import type { BoardStore } from '../ports.ts'
import { filesMarkup } from './markup.ts'
import { filesTexts as texts } from './texts.ts'

const most = 50

/** Files without a verdict, with a virus, or missing: numbers and IDs, no names. */
export function operatorFilePages(deps: {
  board: Pick<BoardStore, 'unjudged' | 'infected'>
  hasScanner: boolean
  examine(): Promise<{ checked: number; damaged: string[] }>
  /** Puts it on record and starts it, without waiting for its end. */
  rescan(): Promise<void>
  sessions: Sessions
}): RouteOptions[] {
  const { board, hasScanner, sessions } = deps
  return [
    viewerPage.get('/operator/files', async ({ request, reply, caller }) => {
      const isAsked = request.url.endsWith('?look=missing')
      const [unjudged, infected, examined] = await Promise.all([
        hasScanner ? board.unjudged() : [],
        board.infected(most),
        isAsked ? deps.examine() : undefined,
      ])
      const isOperator = caller.operatorRole === 'operator'
      const token = tokensOf(sessions, reply)
      const body = filesMarkup({ hasScanner, unjudged, infected, examined, isOperator, token })
      const above = doneNotice(request, texts.notices)
      return sendOperatorPage(reply, { tab: 'files', title: texts.title, above, body })
    }),
    actionsOf(sessions, 'files')(
      '/operator/files/scan',
      { command: 'work', audit: 'file.scan' },
      async ({ reply }) => {
        if (!hasScanner) throw new Problem('not-found', texts.noScanner)
        await deps.rescan()
        return backTo(reply, 'files', 'started')
      },
    ),
  ]
}
