import type { Activity } from '../../collect/progress/activity-store.ts'
import type { HistoryEntry } from '../../collect/progress/progress-store.ts'
import {
  type ApplicationStatus,
  type ChosenStatus,
  chosenStatuses,
  type EmailChoice,
  isDecision,
  isEmailed,
  reasonLabels,
  statusLabels,
} from '../../model/application-status.ts'
import type { Untold } from '../../model/notice-topics.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { notice } from '../../platform/web/components.ts'
import { textLines, tick } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import type { PageCall } from '../../platform/web/tab.ts'
import { shortTime } from '../../platform/web/time.ts'
import { fileLabel, statusBadge } from './markup.ts'

export interface ProgressMarkup
  extends Pick<PageCall<'console'>, 'state' | 'ownForm' | 'button' | 'formKey'> {
  /** The URL to which the form is sent. */
  action: string
  status: ApplicationStatus
  submittedAt: EpochMs
  erasedAt: EpochMs | null
  /** Why the candidate cannot be notified by email. */
  untold: Untold | 'no-mail' | 'company' | undefined
  /** The changes of which the company notifies candidates by email. */
  emails: EmailChoice
  history: { entries: readonly HistoryEntry[]; hasMore: boolean }
  activities: readonly Activity[]
  /** The member who reads the page. */
  ownId: string
  timeZone: string
  now: EpochMs
}

export const untoldTexts: Record<Untold | 'no-mail' | 'company' | 'no-decision', string> = {
  'no-mail': 'This service doesn’t send emails.',
  company: 'Your company has chosen not to email candidates about the status of their applications.',
  'no-account': 'They have no account here.',
  unconfirmed: 'They haven’t confirmed their email address.',
  refused: 'Their mail server rejects our emails.',
  muted: 'They have switched these emails off.',
  'no-decision': 'We email candidates only when you shortlist, interview, offer, hire or decline them.',
}

/** The status, with the form that changes it. */
export function progressMarkup(page: ProgressMarkup): Html {
  const { status, erasedAt } = page
  return html`<section class="card" id="status"><div class="page-head"><h2 class="first">Status</h2>${statusBadge(status)}</div>
${status === 'withdrawn' && html`<p>The candidate has withdrawn this application. You can still add notes.</p>`}
${erasedAt === null && progressForm(page)}</section>`
}

const statusButtons: Record<ChosenStatus, string> = {
  new: 'Mark as new',
  seen: 'Mark as seen',
  'in-review': 'Mark as in review',
  shortlisted: 'Shortlist',
  interview: 'Invite to interview',
  offer: 'Make an offer',
  'not-suitable': 'Mark as not suitable',
  hired: 'Mark as hired',
}

// "Add note" comes first, because the Enter key in a field presses the first button.
const progressForm = ({ action, status, untold, state, ownForm }: ProgressMarkup): Html =>
  ownForm({
    action,
    isOnce: true,
    hidden: { shown: status },
    content: html`${textLines({ name: 'note', label: 'Note for your team', attributes: html`class="short" rows="2"` })(state)}
<div class="actions tight"><button class="second small" type="submit">Add note</button></div>
${
  status !== 'withdrawn' &&
  html`${
    untold === undefined
      ? tick({ name: 'tell', label: 'Tell the candidate by email', tickedUntil: 'shown' })(state)
      : html`<p class="hint">You can’t tell the candidate by email. ${untoldTexts[untold]}</p>`
  }
<div class="actions tight" role="group" aria-label="Change status">${chosenStatuses
    .toSorted((one, other) => Number(isDecision(other)) - Number(isDecision(one)))
    .filter(each => each !== status)
    .map(
      each =>
        html`<button class="${each !== 'shortlisted' && 'second '}small" type="submit" name="status" value="${each}">${statusButtons[each]}</button>`,
    )}</div>`
}`,
  })

/** The application's history, newest first. */
export function historyMarkup(page: ProgressMarkup): Html {
  const { history, timeZone, now } = page
  return html`<section class="card"><h2>Notes and history</h2>
<ul class="plain history">${timelineOf(page).map(
    ({ at, words, note }) =>
      html`<li><p>${words} <span class="quiet">${shortTime(at, { timeZone, now })}</span></p>${note !== null && html`<p class="note"><bdi>${note}</bdi></p>`}</li>
`,
  )}</ul>${history.hasMore && html`<p class="hint">Only the newest ${history.entries.length} entries are shown.</p>`}</section>`
}

interface Line {
  at: EpochMs
  words: Html | string
  note: string | null
}

/**
 * Merges everything into one list. Leaves out activities older than the oldest history entry, if there are older
 * entries.
 */
function timelineOf({ history, activities, submittedAt, erasedAt, ownId }: ProgressMarkup): Line[] {
  const { entries, hasMore } = history
  const byPeople = entries.map(entry => ({
    at: entry.at,
    words: html`${actorOf(entry, ownId)} ${deedOf(entry)}${entry.reason !== null && ` (reason: ${reasonLabels[entry.reason]})`}`,
    note: entry.text ?? entry.label,
  }))
  const others = [
    { at: submittedAt, words: 'The candidate sent the application' },
    ...activities.map(activity => ({ at: activity.at, words: wordsOf(activity) })),
    ...(erasedAt === null ? [] : [{ at: erasedAt, words: 'The personal data was erased' }]),
  ].filter(({ at }) => !hasMore || at >= (entries.at(-1)?.at ?? 0))
  return [...byPeople, ...others.map(line => ({ ...line, note: null }))].toSorted((a, b) => b.at - a.at)
}

function deedOf({ kind, former, status }: HistoryEntry): string {
  if (kind !== 'status') return deeds[kind]
  if (former === null || status === null) return 'changed the status'
  return former === status
    ? `reported the status ${statusLabels[status]} again`
    : `changed the status from ${statusLabels[former]} to ${statusLabels[status]}`
}

const deeds: Record<Exclude<HistoryEntry['kind'], 'status'>, string> = {
  note: 'wrote a note',
  withdrawn: 'withdrew the application',
  document: 'replaced a document',
  hold: 'put a hold on the application',
  release: 'released the hold',
}

function wordsOf(activity: Activity): Html | string {
  if (activity.kind === 'scanned') {
    const file = fileLabel(activity.file).toLowerCase()
    return activity.verdict === 'clean'
      ? `The virus scanner found nothing in the ${file}`
      : `The virus scanner found malware in the ${file}`
  }
  const name = activity.name === null ? undefined : isolateBidi(activity.name)
  if (activity.by === 'agent')
    return name ? html`${name} collected it for you` : 'A former agent collected it for you'
  return name
    ? html`Your program collected it with the credential “${name}”`
    : 'Your program collected it with a former credential'
}

function actorOf(
  { kind, actorId, actorName, source, sourceName }: HistoryEntry,
  ownId: string,
): Html | string {
  if (source !== null) return programName(source, sourceName)
  if (actorId === null) return kind === 'withdrawn' || kind === 'document' ? 'The candidate' : 'This service'
  if (actorId === ownId) return 'You'
  return actorName === null ? 'A former colleague' : isolateBidi(actorName)
}

function programName(source: 'api' | 'agent', name: string | null): Html | string {
  if (source === 'agent') return name === null ? 'A former agent' : isolateBidi(name)
  return name === null
    ? 'Your program with a former credential'
    : html`Your program with the credential “${isolateBidi(name)}”`
}

/** Confirms what the reader has just done, with a button that changes the status back. */
export function doneNotice(done: string | undefined, page: ProgressMarkup): Html | false {
  const { action, formKey, untold, emails, history, ownId, button } = page
  if (done === 'note') return notice('good', 'Note added.')
  const { former, status, actorId } = history.entries.find(({ kind }) => kind === 'status') ?? {}
  if ((done !== 'status' && done !== 'told') || !former || !status || actorId !== ownId) return false
  const reason = untold === 'company' || isEmailed(emails, status) ? untold : 'no-decision'
  const told =
    reason === undefined
      ? 'We’re emailing the candidate.'
      : `We’re not emailing the candidate. ${untoldTexts[reason]}`
  const undo =
    former !== 'withdrawn' &&
    button({
      action,
      fields: { form_key: formKey, shown: status, status: former },
      label: `Change back to ${statusLabels[former]}`,
      kind: 'link',
    })
  return notice(
    'good',
    html`<p>Status changed from ${statusLabels[former]} to ${statusLabels[status]}.${done === 'told' && ` ${told}`} ${undo}</p>`,
  )
}

/** Shown if the status has changed since the form was rendered. */
export function staleNotice(entries: readonly HistoryEntry[], ownId: string): Html {
  const nothingSaved = html`<strong>Nothing was saved.</strong>`
  const last = entries.find(({ status }) => status !== null)
  if (last?.status === 'withdrawn')
    return notice(
      'problem',
      html`<p>${nothingSaved} The candidate has withdrawn this application in the meantime. Your note is still here.</p>`,
    )
  const who = last === undefined ? 'This service' : actorOf(last, ownId)
  const label = statusLabels[last?.status ?? 'seen']
  return notice(
    'problem',
    html`<p>${nothingSaved} While this page was open, ${who} changed the status to ${label}. Check it, then choose again. Your note is still here.</p>`,
  )
}
