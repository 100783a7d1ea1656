import type { EpochMs } from '../../core/clock.ts'
import { actionForm, badge, dataTable } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import type { ChangeProgress, Counts, ListedTaskRun } from '../../work/ports.ts'
import type { TokenOf } from '../forms-markup.ts'
import { workTexts as texts } from './texts.ts'

export interface WorkPage {
  tasks: readonly { name: string; run: ListedTaskRun | undefined }[]
  /** After upgrades. */
  changes: readonly ChangeProgress[]
  now: EpochMs
  isOperator: boolean
  token: TokenOf
}

const counted = (counts: Counts = {}) =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')

export function workMarkup({ tasks, changes, now, isOperator, token }: WorkPage): Html {
  const labels = [texts.task, texts.last, texts.outcome, texts.did, texts.next, texts.failure]
  const columns = [
    ...labels.map(label => ({ label })),
    ...(isOperator ? [{ label: texts.actions, isHidden: true }] : []),
  ]
  const rows = tasks.map(({ name, run }) => {
    const action = `/operator/work/${encodeURIComponent(name)}`
    const form = actionForm({
      ...{ action, token: token(action), label: texts.run, describedAs: texts.about(texts.run, name) },
    })
    return [
      html`<span class="whole">${name}</span>`,
      ...(run === undefined
        ? [texts.never, texts.nothingYet, texts.nothingYet, texts.nothingYet, texts.none]
        : runCells(run, now)),
      ...(isOperator ? [form] : []),
    ]
  })
  return html`<p>${texts.lead}</p>
${dataTable(texts.caption, columns, rows)}
${changes.length > 0 && changesMarkup(changes)}`
}

function changesMarkup(changes: WorkPage['changes']): Html {
  const words = texts.changes
  const columns = [words.migration, words.state, words.progress].map(label => ({ label }))
  const rows = changes.map(({ name, rows, of, waitsFor, isDone }) => [
    html`<span class="whole">${name}</span>`,
    isDone
      ? badge('good', texts.done)
      : waitsFor.length > 0
        ? badge('warning', words.waits)
        : badge('accent', texts.running),
    waitsFor.length > 0 ? words.waitsFor(waitsFor) : words.rows(rows, of),
  ])
  return html`<h2>${words.title}</h2><p>${words.lead}</p>
${dataTable(words.title, columns, rows)}`
}

function runCells(run: ListedTaskRun, now: EpochMs): (Html | string)[] {
  const { startedAt, endedAt, outcome, detail, everySeconds, heldUntil, failedAt, fault } = run
  const seconds = Math.round((endedAt - startedAt) / 1000)
  const left = counted(detail.left)
  return [
    html`${timeElement(endedAt)} <span class="quiet">${texts.took(seconds)}</span>`,
    html`${outcome === 'done' ? badge('good', texts.done) : badge('danger', texts.failed)}${heldUntil !== null && heldUntil > now && html` ${badge('accent', texts.running)}`}`,
    `${counted(detail.did) || texts.nothing}${left && `; ${texts.left(left)}`}`,
    timeElement(endedAt + everySeconds * 1000),
    failedAt === null ? texts.none : html`${timeElement(failedAt)}<br>${fault ?? ''}`,
  ]
}
