import type { Happening, HistoryEntry } from '../../collect/progress/ports.ts'
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
import { fileLabels } from './texts.ts'

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
  submittedAt: EpochMs
  erasedAt: EpochMs | null
  /** Whether the candidate can be told by email. */
  canTell: boolean
  history: { entries: readonly HistoryEntry[]; hasMore: boolean }
  happenings: readonly Happening[]
  typed: { note: string; tells: boolean; errors: readonly FieldError[] }
  /** The member who reads the page. */
  ownId: string
  timeZone: string
  now: EpochMs
}

/** The status, with the form that changes it. */
export function progressMarkup(page: ProgressMarkup): Html {
  const { status, erasedAt } = page
  return html`<section class="card" id="status"><div class="page-head"><h2 class="first">${texts.title}</h2>${statusBadge(status)}</div>
${status === 'withdrawn' && html`<p>${texts.withdrawn}</p>`}
${erasedAt === null && formMarkup(page)}</section>`
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

/** What happened so far, newest first. */
export function historyMarkup(page: ProgressMarkup): Html {
  const { history, timeZone, now } = page
  return html`<section class="card"><h2>${texts.history}</h2>
<ul class="plain history">${timelineOf(page).map(
    ({ at, words, note }) =>
      html`<li><p>${words} <span class="quiet">${shortTime(at, { timeZone, now })}</span></p>${note !== null && html`<p class="note"><bdi>${note}</bdi></p>`}</li>
`,
  )}</ul>${history.hasMore && html`<p class="hint">${texts.olderLeftOut(history.entries.length)}</p>`}</section>`
}

interface Line {
  at: EpochMs
  words: Html | string
  note: string | null
}

/** One list of everything. What is older than the oldest entry is left out with the entries before it. */
function timelineOf({ history, happenings, submittedAt, erasedAt, ownId }: ProgressMarkup): Line[] {
  const { entries, hasMore } = history
  const byPeople = entries.map(entry => ({
    at: entry.at,
    words: html`${actorOf(entry, ownId)} ${texts.did[entry.kind](entry.former, entry.status)}`,
    note: entry.text,
  }))
  const others = [
    { at: submittedAt, words: texts.sent },
    ...happenings.map(happening => ({ at: happening.at, words: wordsOf(happening) })),
    ...(erasedAt === null ? [] : [{ at: erasedAt, words: texts.erased }]),
  ].filter(({ at }) => !hasMore || at >= (entries.at(-1)?.at ?? 0))
  return [...byPeople, ...others.map(line => ({ ...line, note: null }))].toSorted((a, b) => b.at - a.at)
}

function wordsOf(happening: Happening): Html | string {
  if (happening.kind === 'scanned')
    return texts.scanned[happening.verdict](fileLabels[happening.file].toLowerCase())
  const { by, name } = happening
  return name === null ? texts.collectedByUnknown[by] : texts.collected[by](isolateBidi(name))
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
