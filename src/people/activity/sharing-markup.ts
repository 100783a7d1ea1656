import type { Holder, ListedApplication } from '../../apply/form/ports.ts'
import { categoriesOf, categoryLabels } from '../../model/categories.ts'
import type { Disclosure } from '../../share/prefill/ports.ts'
import type { ActiveConsent } from '../../share/protocol/ports.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { actionForm, dataTable, pager } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { timeElement } from '../../web/time.ts'
import { type MergedEntry, positionText } from './merged-lists.ts'
import { sharingTexts as texts } from './sharing-texts.ts'

export const sharingPath = '/account/sharing'
export const withdrawPath = '/account/sharing/withdraw'

export function consentsMarkup(consents: readonly ActiveConsent[], token: string): Html {
  const heading = html`<h2>${texts.consents}</h2>`
  if (consents.length === 0) {
    return html`${heading}<p class="card quiet">${texts.noConsents}</p>`
  }
  return html`${heading}<p class="hint tight">${texts.consentsHint}</p>
<ul class="plain card">${consents.map(
    ({ grantId, clientName, advertiserName, decidedAt, released, filled }) =>
      html`<li class="row"><div>${texts.asker(clientName, advertiserName)}
<span class="hint">${texts.since(timeElement(decidedAt), categoryList(released & filled))}</span></div>
<details class="question"><summary aria-label="${texts.withdrawFrom(clientName, advertiserName)}">${texts.withdraw}</summary>
<p class="hint">${texts.withdrawQuestion}</p>
${actionForm({
  action: withdrawPath,
  token,
  fields: { consent: grantId },
  label: texts.reallyWithdraw,
  describedAs: texts.reallyWithdrawFrom(clientName, advertiserName),
  kind: 'danger',
})}</details></li>`,
  )}</ul>`
}

/** `found` has one more than `limit` if there are others. */
export function holdersMarkup(found: readonly Holder[], limit: number): Html {
  const heading = html`<h2>${texts.holders}</h2>`
  if (found.length === 0) return html`${heading}<p class="card quiet">${texts.noHolders}</p>`
  return html`${heading}<p class="hint tight">${texts.holdersHint}</p>
<ul class="plain card">${found
    .slice(0, limit)
    .map(
      holder =>
        html`<li><strong>${isolateBidi(holder.advertiserName)}</strong><span class="hint">${holderFacts(holder)}</span>${
          holder.agents.length > 0 &&
          html`<span class="hint">${texts.agents(holder.agents, holder.applications)}</span>`
        }</li>`,
    )}</ul>
${found.length > limit && html`<p class="hint">${texts.moreHolders(limit)}</p>`}`
}

function holderFacts({ applications, firstAt, lastAt }: Holder): Html {
  const count = texts.applications(applications)
  const first = timeElement(firstAt)
  return applications === 1
    ? texts.holder(count, first)
    : texts.holderAgain(count, first, timeElement(lastAt))
}

/** An application sent from here, or a disclosure to another website. */
export type DisclosureEntry = MergedEntry<ListedApplication, Disclosure>

/** Newest first. */
export function disclosuresMarkup(
  entries: readonly DisclosureEntry[],
  { hasMore, isContinued }: { hasMore: boolean; isContinued: boolean },
): Html {
  const last = entries.at(-1)
  const { when, who, onBehalfOf, what } = texts.columns
  return html`<h2>${texts.disclosures}</h2>
${
  last === undefined
    ? html`<p class="card quiet">${isContinued ? texts.noneOlder : texts.noDisclosures}</p>`
    : html`<p class="hint tight">${texts.disclosuresHint}</p>
${dataTable(
  texts.disclosures,
  [when, who, onBehalfOf, what].map(label => ({ label })),
  entries.map(entry => [
    timeElement(entry.at),
    ...(entry.kind === 'here' ? applicationCells(entry.here) : disclosureCells(entry.elsewhere)),
  ]),
)}`
}
${pager({
  newest: isContinued ? sharingPath : undefined,
  older: hasMore && last !== undefined ? `${sharingPath}?before=${positionText(last)}` : undefined,
})}`
}

function disclosureCells({ clientName, advertiserName, kind, categories }: Disclosure): (Html | string)[] {
  return [
    html`<strong class="named">${isolateBidi(clientName)}</strong>`,
    advertiserName === null ? texts.onOwnBehalf : isolateBidi(advertiserName),
    kind === 'resume' ? texts.downloaded : texts.received(categoryList(categories)),
  ]
}

function applicationCells(application: ListedApplication): (Html | string)[] {
  const { advertiserName, applicationId, jobTitle, files, hasAnswers, hasWork } = application
  const what = [
    texts.contact,
    hasWork && texts.work,
    hasAnswers && texts.answers,
    ...files.map(({ type }) => texts.files[type]),
  ].filter(each => each !== false)
  const link = html`<a href="/account/applications/${applicationId}">${isolateBidi(jobTitle)}</a>`
  return [
    html`<strong class="named">${isolateBidi(advertiserName)}</strong>`,
    texts.onOwnBehalf,
    texts.gotApplication(link, what.join(', ')),
  ]
}

function categoryList(bits: number): string {
  return [
    ...texts.always,
    ...categoriesOf(bits).map(category => categoryLabels[category].toLowerCase()),
  ].join(', ')
}
