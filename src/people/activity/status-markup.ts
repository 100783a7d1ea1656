import type { OwnHistoryEntry, OwnRead, SentApplication } from '../../apply/form/own-application.ts'
import { receiptPath } from '../../apply/form/receipt-path.ts'
import {
  type AnyFileType,
  type FileType,
  fileTypes,
  isDocument,
  questionNumberOf,
} from '../../model/application.ts'
import {
  type ApplicationStatus,
  candidateStatusLabels,
  reasonLabels,
} from '../../model/application-status.ts'
import { sizeInWords } from '../../platform/core/size-in-words.ts'
import { fileKinds } from '../../platform/documents/file-kinds.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { type BadgeKind, badge } from '../../platform/web/components.ts'
import { choice, type Forms, fileInput } from '../../platform/web/forms.ts'
import { flag, type Html, html } from '../../platform/web/html.ts'
import { timeElement } from '../../platform/web/time.ts'

const kinds: Record<ApplicationStatus, BadgeKind> = {
  new: 'neutral',
  seen: 'neutral',
  'in-review': 'neutral',
  shortlisted: 'good',
  interview: 'good',
  offer: 'good',
  'not-suitable': 'neutral',
  hired: 'good',
  withdrawn: 'warning',
}

export const statusBadge = (status: ApplicationStatus): Html =>
  badge(kinds[status], candidateStatusLabels[status])

const withdrawPathOf = (applicationId: number) => `${receiptPath(applicationId)}/withdraw`
const replacePathOf = (applicationId: number) => `${receiptPath(applicationId)}/documents`

/** The application's status, its first read, and its history. */
export function statusMarkup(sent: SentApplication, { canBeUnread }: { canBeUnread: boolean }): Html {
  const { status, erasedAt, erasureDueAt, firstReadAt } = sent
  const history = sent.history.filter(({ status: change }) => change !== 'seen')
  return html`<section class="card"><h2>Status</h2>
<p class="line">${statusBadge(status)} <span>${explanation(sent, canBeUnread)}</span></p>
${erasedAt !== null && html`<p>Your details in it were erased on ${timeElement(erasedAt)}. Its number, job and dates are all that is left.</p>`}
${erasedAt === null && erasureDueAt !== null && html`<p>Your details in it will be erased on ${timeElement(erasureDueAt)}.</p>`}
<dl class="values facts"><div><dt>Sent</dt><dd>${timeElement(sent.submittedAt)}</dd></div>
${erasedAt === null && canBeUnread && html`<div><dt>First read</dt><dd>${firstReadAt === null ? 'Not yet' : timeElement(firstReadAt)}</dd></div>`}
<div><dt>Reference number</dt><dd>${sent.applicationId}</dd></div></dl>
${
  history.length > 0 &&
  html`<h3>What happened</h3><ul class="plain">${history.map(entry => html`<li>${eventText(entry)} on ${timeElement(entry.at)}${entry.reason !== null && html`<br><span class="quiet">Reason: ${reasonLabels[entry.reason]}</span>`}</li>`)}</ul>`
}</section>`
}

/**
 * A status says nothing about programs and can change without the application being opened, so the text depends on the
 * reads.
 */
function explanation({ status, advertiserName, reads }: SentApplication, canBeUnread: boolean): Html {
  const company = isolateBidi(advertiserName)
  const first = reads.at(-1)
  if (status === 'new' && first !== undefined) return readFirst(first, company)
  if (status === 'new' && !canBeUnread) return html`${company} has received your application.`
  if (status === 'seen' && first === undefined && canBeUnread)
    return html`${company} has marked your application as seen, without opening it.`
  return explained[status](company)
}

function eventText({ kind, status, text }: OwnHistoryEntry): string {
  return kind === 'document'
    ? (replaced[text ?? ''] ?? 'You replaced a document')
    : changes[status ?? 'withdrawn']
}

/** Every read on record: a line per reader and way, with the first one of each day. */
export function readsMarkup(
  { reads, advertiserName, erasedAt }: SentApplication,
  { readDays, canBeUnread }: { readDays: number; canBeUnread: boolean },
): Html {
  if (erasedAt !== null) return html``
  return html`<section class="card"><h2>Who has read it</h2>
<p class="hint">We record when a person at the company opens your application, downloads its documents or exports it, and when software of the company or of an agent receives it, for software the first time each day. Software appears here within seconds. Not recorded: lists and searches on the company’s pages, which show your name, email address, job and status without opening the application. We keep the records for ${readDays} days.</p>
${
  reads.length === 0
    ? html`<p class="quiet">${canBeUnread ? 'No one has read it yet.' : `No one has read it in the last ${readDays} days.`}</p>`
    : html`<ul class="plain">${readLines(reads, advertiserName).map(line => html`<li>${line}</li>`)}</ul>`
}</section>`
}

/** Newest first. */
export function readLines(reads: readonly OwnRead[], company: string): Html[] {
  const groups = Map.groupBy(reads, ({ way, agentName, isByProgram }) => `${way} ${agentName} ${isByProgram}`)
  return [...groups.values()].map(group => {
    const [last, first] = [group[0] as OwnRead, group.at(-1) as OwnRead]
    const what = readInWords(last, company)
    const lastAt = Math.max(...group.map(read => read.lastAt))
    if (lastAt <= first.firstAt) return html`${what} on ${timeElement(first.firstAt)}`
    const days = new Set(group.map(({ day }) => day)).size
    return html`${what}, first on ${timeElement(first.firstAt)}, last on ${timeElement(lastAt)}
${days > 2 && html`<details><summary>First read of each day (days in UTC)</summary><ul>${group.map(({ firstAt }) => html`<li>${timeElement(firstAt)}</li>`)}</ul></details>`}`
  })
}

export function withdrawalMarkup(
  { applicationId, status, erasedAt, advertiserName }: SentApplication,
  { button, withdrawnDays }: { button: Forms['button']; withdrawnDays: number },
): Html | false {
  const erased =
    withdrawnDays === 0 ? 'at once' : withdrawnDays === 1 ? 'a day later' : `${withdrawnDays} days later`
  return (
    status !== 'withdrawn' &&
    erasedAt === null &&
    html`<section class="card"><h2>Take it back</h2>
<p>You can withdraw this application. ${isolateBidi(advertiserName)} is told, and your details in it are erased ${erased}. You can apply for the job again while it is open.</p>
<details class="question"><summary>Withdraw application</summary>
<p class="hint">You can’t undo this. Copies that the company has made stay with it.</p>
${button({ action: withdrawPathOf(applicationId), label: 'Yes, withdraw it', kind: 'danger' })}</details></section>`
  )
}

/** Offered until the application was first seen. */
export function replacementMarkup(
  { applicationId, status, erasedAt, reads }: SentApplication,
  {
    form,
    isRefused,
    limits: { fileBytes },
    canBeUnread,
  }: {
    form: Forms['form']
    isRefused: boolean
    limits: { fileBytes: number }
    canBeUnread: boolean
  },
): Html | false {
  if (status === 'withdrawn' || erasedAt !== null) return false
  if (status !== 'new' || reads.length > 0 || !canBeUnread) {
    const reason = reads.length > 0 ? 'read' : status === 'new' ? 'mayBeRead' : 'decided'
    return html`<p class="hint">${tooLateToReplace[reason]}</p>`
  }
  return html`<details class="change" ${flag('open', isRefused)}><summary>Replace or add a document</summary>
${form({
  action: replacePathOf(applicationId),
  isInCard: true,
  isUpload: true,
  lead: html`<p class="hint">You can do this until the company first reads your application. It then gets the new file only.</p>`,
  fields: [
    choice({
      name: 'type',
      label: 'Document',
      choices: fileTypes.map(type => ({ id: type, description: fileLabels[type] })),
    }),
    fileInput({
      name: 'file',
      label: 'File',
      hint: `PDF, Word (doc or docx), RTF or plain text, up to ${sizeInWords(fileBytes)}.`,
      kinds: fileKinds,
    }),
  ],
  label: 'Send document',
})}</details>`
}

/** Says who read an application that is still new, by its first read: people at the company may read what software collects. */
function readFirst({ agentName, isByProgram }: OwnRead, company: Html): Html {
  if (agentName !== null)
    return html`${isolateBidi(agentName)} has collected your application for ${company}.`
  return isByProgram
    ? html`${company} has collected your application with its software.`
    : html`${company} has read your application.`
}

const explained: Record<ApplicationStatus, (company: Html) => Html> = {
  new: company => html`${company} has received your application and hasn’t opened it yet.`,
  seen: company => html`${company} has opened your application.`,
  'in-review': company => html`${company} is reviewing your application.`,
  shortlisted: company => html`${company} has put you on its shortlist.`,
  interview: company => html`${company} wants to interview you.`,
  offer: company => html`${company} wants to offer you this job.`,
  'not-suitable': company => html`${company} won’t take your application further.`,
  hired: company => html`${company} has hired you for this job.`,
  withdrawn: company => html`You withdrew this application. ${company} has been told.`,
}

const changes: Record<ApplicationStatus, string> = {
  new: 'Marked as new again',
  seen: 'Opened',
  'in-review': 'In review',
  shortlisted: 'Shortlisted',
  interview: 'Interview',
  offer: 'Offer',
  'not-suitable': 'Not successful',
  hired: 'Hired',
  withdrawn: 'You withdrew it',
}

/** Names the company, or an agent that acts for it. */
function readInWords({ way, agentName, isByProgram }: OwnRead, company: string): Html {
  const who = isolateBidi(agentName ?? company)
  const what = {
    view: html`${who} opened it`,
    download: html`${who} downloaded your documents`,
    list: html`${who} collected it`,
    export: html`${who} exported a list with it`,
  }[way]
  if (agentName !== null) return html`${what} for ${isolateBidi(company)}`
  return isByProgram ? html`${what} with its software` : what
}

const tooLateToReplace = {
  read: 'The company has read this application, so its documents can’t be replaced any longer.',
  decided:
    'The company has changed the status of this application, so its documents can’t be replaced any longer.',
  mayBeRead:
    'This application is old enough that the company may have read it, so its documents can’t be replaced any longer.',
}

export const fileLabel = (type: AnyFileType): string =>
  isDocument(type) ? fileLabels[type] : `Answer ${questionNumberOf(type)}`

const fileLabels: Record<FileType, string> = {
  resume: 'Resume',
  coverLetter: 'Cover letter',
  selectionCriteria: 'Selection criteria',
}

const replaced: Record<string, string> = {
  resume: 'You replaced your resume',
  coverLetter: 'You replaced your cover letter',
  selectionCriteria: 'You replaced your answers to selection criteria',
}
