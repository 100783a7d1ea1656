import type { RouteOptions } from 'fastify'
import type { Clock } from '../../platform/core/clock.ts'
import { Problem } from '../../platform/core/problems.ts'
import type { ChangeProgress, Counts } from '../../platform/core/task-ports.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { badge, table } from '../../platform/web/components.ts'
import { html } from '../../platform/web/html.ts'
import { timeElement } from '../../platform/web/time.ts'
import type { TaskRunStore } from '../../platform/work/task-run-store.ts'
import { operatorTab } from '../tab-pages.ts'

/** Background tasks: each one's last result, and when it runs next. */
export function operatorWorkPages(deps: {
  tasks: readonly string[]
  runs: Pick<TaskRunStore, 'list'>
  changes(): Promise<ChangeProgress[]>
  /** Records the start in the audit log and starts the task, without waiting for its end. */
  start(task: string): Promise<void>
  sessions: Sessions
  clock: Clock
}): RouteOptions[] {
  return operatorTab(deps.sessions, 'work')('/operator/work', {
    async show({ button, canChange }) {
      const [runs, changes] = await Promise.all([deps.runs.list(), deps.changes()])
      const byName = new Map(runs.map(run => [run.name, run]))
      const now = deps.clock()
      return {
        title: 'Background work',
        body: html`<p>Each task runs in one process at a time. “dossier work --once” runs all of them, and “--task” with a name only that one.</p>
${table({
  caption: 'Background tasks',
  rows: deps.tasks.map(name => ({ name, run: byName.get(name) })),
  columns: [
    ['Task', ({ name }) => html`<span class="whole">${name}</span>`],
    [
      'Last run',
      ({ run }) =>
        run === undefined
          ? 'Not yet'
          : html`${timeElement(run.endedAt)} <span class="quiet">took ${Math.round((run.endedAt - run.startedAt) / 1000)} s</span>`,
    ],
    [
      'Outcome',
      ({ run }) =>
        run === undefined
          ? '–'
          : html`${run.outcome === 'done' ? badge('good', 'Done') : badge('danger', 'Failed')}${(run.heldUntil ?? 0) > now && html` ${badge('accent', 'Running')}`}`,
    ],
    ['Did', ({ run }) => (run === undefined ? '–' : workDone(run.detail))],
    ['Next run', ({ run }) => (run === undefined ? '–' : timeElement(run.endedAt + run.everySeconds * 1000))],
    [
      'Last failure',
      ({ run }) =>
        run === undefined || run.failedAt === null
          ? 'None'
          : html`${timeElement(run.failedAt)}<br>${run.fault ?? ''}`,
    ],
  ],
  actions:
    canChange &&
    (({ name }) =>
      button({
        action: `/operator/work/${encodeURIComponent(name)}`,
        label: 'Run now',
        describedAs: `Run now: ${name}`,
      })),
})}
${
  changes.length > 0 &&
  html`<h2>Changes of data after upgrades</h2><p>A migration has many rows to change. The task “data-changes” does it in batches while the service runs.</p>
${table({
  caption: 'Changes of data after upgrades',
  rows: changes,
  columns: [
    ['Migration', ({ name }) => html`<span class="whole">${name}</span>`],
    ['State', changeState],
    ['Progress', changeProgress],
  ],
})}`
}`,
      }
    },
    acts: {
      ':task': {
        command: 'work',
        audit: 'task.run',
        async run({ params }) {
          if (!deps.tasks.includes(params.task)) throw new Problem('not-found')
          await deps.start(params.task)
          return 'started'
        },
      },
    },
    done: { started: 'The task has been started. Reload the page to see how it ended.' },
  })
}

function workDone({ did, left }: { did?: Counts; left?: Counts }): string {
  const rest = counted(left)
  return `${counted(did) || 'nothing to do'}${rest && `; left: ${rest}`}`
}

const counted = (counts: Counts = {}) =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')

function changeState({ isDone, waitsFor }: ChangeProgress) {
  if (isDone) return badge('good', 'Done')
  return waitsFor.length > 0 ? badge('warning', 'Waiting') : badge('accent', 'Running')
}

function changeProgress({ rows, of, waitsFor }: ChangeProgress): string {
  if (waitsFor.length > 0) return `For the end of processes of an older release: ${waitsFor.join(', ')}`
  return of === undefined ? 'Not begun' : `${rows} of ${of} rows`
}
