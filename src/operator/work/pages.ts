import type { RouteOptions } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problems.ts'
import type { Sessions } from '../../http/auth/sessions.ts'
import { viewerPage } from '../../web/page-routes.ts'
import type { ChangeProgress, TaskRunStore } from '../../work/ports.ts'
import { actionsOf, backTo, doneNotice, sendOperatorPage, tokensOf } from '../acting-pages.ts'
import { workMarkup } from './markup.ts'
import { workTexts as texts } from './texts.ts'

/** Background tasks: how each ended last, and when it runs next. */
export function operatorWorkPages(deps: {
  tasks: readonly string[]
  runs: Pick<TaskRunStore, 'list'>
  changes(): Promise<ChangeProgress[]>
  /** Puts it on record and starts it, without waiting for its end. */
  start(task: string): Promise<void>
  sessions: Sessions
  clock: Clock
}): RouteOptions[] {
  const { tasks, runs, sessions, clock } = deps
  return [
    viewerPage.get('/operator/work', async ({ request, reply, caller }) => {
      const [known, changes] = await Promise.all([runs.list(), deps.changes()])
      const list = new Map(known.map(run => [run.name, run]))
      const body = workMarkup({
        tasks: tasks.map(name => ({ name, run: list.get(name) })),
        changes,
        now: clock(),
        isOperator: caller.operatorRole === 'operator',
        token: tokensOf(sessions, reply),
      })
      const above = doneNotice(request, texts.notices)
      return sendOperatorPage(reply, { tab: 'work', title: texts.title, above, body })
    }),
    actionsOf(sessions, 'work')(
      '/operator/work/:task',
      { command: 'work', audit: 'task.run' },
      async ({ reply, params }) => {
        if (!tasks.includes(params.task)) throw new Problem('not-found')
        await deps.start(params.task)
        return backTo(reply, 'work', 'started')
      },
    ),
  ]
}
