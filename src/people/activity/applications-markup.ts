import type { ListedApplication } from '../../apply/form/ports.ts'
import { listPath, receiptPath } from '../../apply/form/receipt-path.ts'
import { logoUrl } from '../../core/brand/logo.ts'
import type { StartedApplication } from '../../share/prefill/ports.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { avatar, badge, emptyState, pager } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { icon } from '../../web/icons.ts'
import { timeElement } from '../../web/time.ts'
import { ownApplicationsTexts as texts } from './applications-texts.ts'
import { positionText } from './merged-lists.ts'
import { fileFacts } from './receipt-markup.ts'
import { statusBadge } from './status-markup.ts'
import type { TimelineEntry } from './timeline-service.ts'

interface Shown {
  hasMore: boolean
  isContinued: boolean
  /** Whether unscanned files will be scanned. */
  hasScanner: boolean
}

/** Lists applications, newest first. */
export function applicationListMarkup(
  entries: readonly TimelineEntry[],
  { hasMore, isContinued, hasScanner }: Shown,
): Html {
  const last = entries.at(-1)
  return html`${
    last === undefined
      ? noneMarkup(isContinued)
      : html`<p class="quiet">${texts.lead}</p>
${!isContinued && !hasMore && html`<p class="quiet">${texts.count(entries.length)}</p>`}
<ul class="rows" aria-label="${texts.listLabel}">${entries.map(entry =>
          entry.kind === 'here' ? sentMarkup(entry.here, hasScanner) : startedMarkup(entry.elsewhere),
        )}</ul>`
  }
${pager({
  newest: isContinued ? listPath : undefined,
  older: hasMore && last !== undefined ? `${listPath}?before=${positionText(last)}` : undefined,
})}`
}

function noneMarkup(isContinued: boolean): Html {
  return isContinued
    ? emptyState({ title: texts.noneOlderTitle, text: texts.noneOlder })
    : emptyState({
        title: texts.noneTitle,
        text: texts.none,
        action: { href: '/jobs', label: texts.jobs },
      })
}

function sentMarkup(application: ListedApplication, hasScanner: boolean): Html {
  const { applicationId, jobTitle, advertiserName, logoHash, submittedAt, openedAt, files } = application
  return html`<li>${avatar(advertiserName, logoUrl(logoHash))}<div><div class="line"><a class="row-link" href="${receiptPath(applicationId)}">${isolateBidi(jobTitle)}</a> ${stateBadge(application, hasScanner)}</div>
<span>${texts.at(advertiserName)}</span>
<span class="hint">${texts.sentOn(timeElement(submittedAt), openedAt !== null && timeElement(openedAt), applicationId)}</span>
${
  files.length > 0 &&
  html`<ul class="files">${files.map(file => html`<li>${icon('document')}<span>${texts.file(file.type, file.fileName)}</span>${fileFacts(file, hasScanner)}</li>`)}</ul>`
}</div></li>`
}

function stateBadge(application: ListedApplication, hasScanner: boolean): Html {
  const { files } = application
  if (files.some(({ scan }) => scan === 'infected')) return badge('danger', texts.states.virus)
  if (hasScanner && files.some(({ scan }) => scan === 'unscanned'))
    return badge('warning', texts.states.checking)
  if (hasScanner && files.some(({ scan }) => scan === 'not-judged'))
    return badge('warning', texts.states.notJudged)
  return statusBadge(application.status)
}

function startedMarkup(application: StartedApplication): Html {
  const { positionTitle, advertiserName, logoHash, clientName, createdAt, completedAt } = application
  const begun = timeElement(createdAt)
  const isDone = completedAt !== null
  return html`<li>${avatar(advertiserName, logoUrl(logoHash))}<div><div class="line"><strong>${isolateBidi(positionTitle ?? texts.untitledJob)}</strong> ${
    isDone ? badge('good', texts.states.submitted) : badge('neutral', texts.states.begun)
  }</div>
<span>${texts.atBy(advertiserName, clientName)}</span>
<span class="hint">${isDone ? texts.submittedOn(begun, timeElement(completedAt)) : texts.begunOn(begun)}</span></div></li>`
}
