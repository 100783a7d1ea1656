import type { HistoryEntry } from '../../collect/progress/ports.ts'
import type { EpochMs } from '../../core/clock.ts'
import type { FieldError } from '../../core/problems.ts'
import {
  type ApplicationStatus,
  chosenStatuses,
  isDecision,
  statusLabels,
} from '../../model/application-status.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { actionForm, type BadgeKind, badge, notice } from '../../web/components.ts'
import { textArea, tickBox } from '../../web/fields.ts'
import { type Html, html } from '../../web/html.ts'
import { shortTime } from '../../web/time.ts'
import { progressTexts as texts } from './progress-texts.ts'

const kinds: Record<ApplicationStatus, BadgeKind> = {
  new: 'accent',
  seen: 'neutral',
  shortlisted: 'good',
  'not-suitable': 'warning',
  hired: 'good',
  withdrawn: 'danger',
}

export function statusBadge(status: ApplicationStatus): Html {
  return badge(kinds[status], statusLabels[status])
}

export interface ProgressMarkup {
  /** Where the form is sent. */
  action: string
  token: string
  formKey: string
  status: ApplicationStatus
  isErased: boolean
  /** Whether the candidate can be told by email. */
  canTell: boolean
  history: { entries: readonly HistoryEntry[]; hasMore: boolean }
  typed: { note: string; tells: boolean; errors: readonly FieldError[] }
  /** The member who reads the page. */
  ownId: string
  timeZone: string
  now: EpochMs
}

/** The status, with the form that changes it. */
export function progressMarkup(page: ProgressMarkup): Html {
  const { status, isErased } = page
  return html`<section class="card" id="status"><div class="page-head"><h2 class="first">${texts.title}</h2>${statusBadge(status)}</div>
${status === 'withdrawn' && html`<p>${texts.withdrawn}</p>`}
${!isErased && formMarkup(page)}</section>`
}

function formMarkup({ action, token, formKey, status, canTell, typed }: ProgressMarkup): Html {
  // "Add note" comes first: it is what the Enter key in a field presses.
  return html`<form method="post" action="${action}" novalidate>
<input type="hidden" name="form_token" value="${token}"><input type="hidden" name="form_key" value="${formKey}"><input type="hidden" name="shown" value="${status}">
${textArea({ name: 'note', label: texts.note, value: typed.note, errors: typed.errors, attributes: html`class="short" rows="2"` })}
<div class="actions tight"><button class="second small" type="submit">${texts.addNote}</button></div>
${
  status !== 'withdrawn' &&
  html`${canTell && tickBox({ name: 'tell', label: texts.tell, isTicked: typed.tells, errors: [] })}
<div class="actions tight" role="group" aria-label="${texts.statusButtons}">${chosenStatuses
    .toSorted((one, other) => Number(isDecision(other)) - Number(isDecision(one)))
    .filter(each => each !== status)
    .map(
      each =>
        html`<button class="${each !== 'shortlisted' && 'second '}small" type="submit" name="status" value="${each}">${texts.set[each]}</button>`,
    )}</div>`
}</form>`
}

/** What happened so far, notes included. */
export function historyMarkup({ history, isErased, ownId, timeZone, now }: ProgressMarkup): Html | false {
  const { entries, hasMore } = history
  if (isErased) return false
  return html`<section class="card"><h2>${texts.history}</h2>
${
  entries.length === 0
    ? html`<p class="quiet">${texts.noHistory}</p>`
    : html`<ul class="plain history">${entries.map(
        entry =>
          html`<li><p>${actorOf(entry, ownId)} ${texts.did[entry.kind](entry.former, entry.status)} <span class="quiet">${shortTime(entry.at, { timeZone, now })}</span></p>${entry.text !== null && html`<p class="note"><bdi>${entry.text}</bdi></p>`}</li>
`,
      )}</ul>`
}${hasMore && html`<p class="hint">${texts.olderLeftOut(entries.length)}</p>`}</section>`
}

export function actorOf({ kind, actorId, actorName }: HistoryEntry, ownId: string): Html | string {
  if (actorId === null) return kind === 'withdrawn' || kind === 'document' ? texts.candidate : texts.service
  if (actorId === ownId) return texts.you
  return actorName === null ? texts.formerColleague : isolateBidi(actorName)
}

/** What the reader has just changed, with the way back. */
export function changedNotice(
  { former, status }: { former: ApplicationStatus; status: ApplicationStatus },
  { isTold, ...form }: { action: string; token: string; formKey: string; isTold: boolean },
): Html {
  const undo =
    former !== 'withdrawn' &&
    html`${actionForm({
      action: form.action,
      token: form.token,
      fields: { form_key: form.formKey, shown: status, status: former },
      label: texts.undo(former),
      kind: 'link',
    })}`
  return notice('good', html`<p>${texts.changed(former, status)}${isTold && ` ${texts.told}`} ${undo}</p>`)
}
