import type { OwnHistoryEntry, OwnRead, SentApplication } from '../../apply/form/ports.ts'
import { receiptPath } from '../../apply/form/receipt-path.ts'
import { fileKinds } from '../../files/file-kinds.ts'
import { fileTypes } from '../../model/application.ts'
import { type ApplicationStatus, candidateStatusLabels } from '../../model/application-status.ts'
import { actionForm, type BadgeKind, badge } from '../../web/components.ts'
import { flag, type Html, html } from '../../web/html.ts'
import { dayElement, timeElement } from '../../web/time.ts'
import { ownApplicationsTexts } from './applications-texts.ts'
import { statusTexts as texts } from './status-texts.ts'

const kinds: Record<ApplicationStatus, BadgeKind> = {
  new: 'neutral',
  seen: 'neutral',
  shortlisted: 'good',
  'not-suitable': 'neutral',
  hired: 'good',
  withdrawn: 'warning',
}

export const statusBadge = (status: ApplicationStatus): Html =>
  badge(kinds[status], candidateStatusLabels[status])

export const withdrawPathOf = (applicationId: number) => `${receiptPath(applicationId)}/withdraw`
export const replacePathOf = (applicationId: number) => `${receiptPath(applicationId)}/documents`

/** What the company has made of it, when it was first opened, and what happened. */
export function statusMarkup(sent: SentApplication, { canBeUnread }: { canBeUnread: boolean }): Html {
  const { status, advertiserName, erasedAt, erasureDueAt, openedAt } = sent
  const history = sent.history.filter(({ status: change }) => change !== 'seen')
  return html`<section class="card"><h2>${texts.status}</h2>
<p class="line">${statusBadge(status)} <span>${texts.explained[status](advertiserName)}</span></p>
${erasedAt !== null && html`<p>${texts.erased(timeElement(erasedAt))}</p>`}
${erasedAt === null && erasureDueAt !== null && html`<p>${texts.erasureDue(timeElement(erasureDueAt))}</p>`}
<dl class="values facts"><div><dt>${ownApplicationsTexts.sent}</dt><dd>${timeElement(sent.submittedAt)}</dd></div>
${erasedAt === null && canBeUnread && html`<div><dt>${texts.firstOpened}</dt><dd>${openedAt === null ? texts.notOpened : timeElement(openedAt)}</dd></div>`}
<div><dt>${ownApplicationsTexts.reference}</dt><dd>${sent.applicationId}</dd></div></dl>
${
  history.length > 0 &&
  html`<h3>${texts.history}</h3><ul class="plain">${history.map(entry => html`<li>${texts.eventOn(eventText(entry), timeElement(entry.at))}</li>`)}</ul>`
}</section>`
}

function eventText({ kind, status, text }: OwnHistoryEntry): string {
  return kind === 'document' ? texts.document(text ?? '') : texts.changes[status ?? 'withdrawn']
}

/** Every read on record: a line per reader and way, with all its days. */
export function readsMarkup(
  { reads, advertiserName, erasedAt }: SentApplication,
  { readDays, canBeUnread }: { readDays: number; canBeUnread: boolean },
): Html {
  if (erasedAt !== null) return html``
  return html`<section class="card"><h2>${texts.reads}</h2>
<p class="hint">${texts.readsHint(readDays)}</p>
${
  reads.length === 0
    ? html`<p class="quiet">${canBeUnread ? texts.noReads : texts.noReadsSince(readDays)}</p>`
    : html`<ul class="plain">${readLines(reads, advertiserName).map(line => html`<li>${line}</li>`)}</ul>`
}</section>`
}

/** Newest first. */
export function readLines(reads: readonly OwnRead[], company: string): Html[] {
  const groups = Map.groupBy(reads, ({ way, agentName, isByProgram }) => `${way} ${agentName} ${isByProgram}`)
  return [...groups.values()].map(group => {
    const [last, first] = [group[0] as OwnRead, group.at(-1) as OwnRead]
    const what = texts.read(last, company)
    const days = new Set(group.map(({ day }) => day)).size
    if (days === 1) return texts.readOn(what, dayElement(last.firstAt))
    return html`${texts.readOften(what, days, dayElement(first.firstAt), dayElement(last.firstAt))}
${days > 2 && html`<details><summary>${texts.allDays}</summary><ul>${group.map(({ firstAt }) => html`<li>${dayElement(firstAt)}</li>`)}</ul></details>`}`
  })
}

export function withdrawalMarkup(
  { applicationId, status, erasedAt, advertiserName }: SentApplication,
  { token, withdrawnDays }: { token: string; withdrawnDays: number },
): Html | false {
  return (
    status !== 'withdrawn' &&
    erasedAt === null &&
    html`<section class="card"><h2>${texts.takeBack}</h2>
<p>${texts.takeBackHint(advertiserName, withdrawnDays)}</p>
<details class="question"><summary>${texts.withdraw}</summary>
<p class="hint">${texts.withdrawQuestion}</p>
${actionForm({ action: withdrawPathOf(applicationId), token, label: texts.reallyWithdraw, kind: 'danger' })}</details></section>`
  )
}

/** Offered until the application was first seen. */
export function replacementMarkup(
  { applicationId, status, erasedAt, reads }: SentApplication,
  {
    token,
    fault,
    kinds: kindsHint,
    canBeUnread,
  }: { token: string; fault: string | undefined; kinds: string; canBeUnread: boolean },
): Html | false {
  if (status === 'withdrawn' || erasedAt !== null) return false
  if (status !== 'new' || reads.length > 0 || !canBeUnread)
    return html`<p class="hint">${texts.tooLateToReplace}</p>`
  const isWrong = fault !== undefined
  return html`<details class="change" ${flag('open', isWrong)}><summary>${texts.replace}</summary>
<form method="post" action="${replacePathOf(applicationId)}" enctype="multipart/form-data" novalidate>
<input type="hidden" name="form_token" value="${token}">
<p class="hint">${texts.replaceHint}</p>
<div class="field"><label for="type">${texts.which}</label>
<select id="type" name="type">${fileTypes.map(type => html`<option value="${type}">${ownApplicationsTexts.fileLabels[type]}</option>`)}</select></div>
<div class="field"><label for="file">${texts.file}</label><span class="hint" id="file-hint">${kindsHint}</span>
<input type="file" id="file" name="file" accept="${fileKinds.map(kind => `.${kind}`).join(',')}"${isWrong && html` aria-invalid="true"`} aria-describedby="file-hint${isWrong && ' file-fault'}">
${isWrong && html`<span class="fault" id="file-fault">${fault}</span>`}</div>
<p class="actions"><button type="submit">${texts.doReplace}</button></p></form></details>`
}
