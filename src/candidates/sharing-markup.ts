import type { Holder } from '../applications/applying-ports.ts'
import type { StandingConsent } from '../oauth/ports.ts'
import type { Disclosure } from '../sharing/ports.ts'
import { actionForm, dataTable, pager } from '../web/components.ts'
import { type Html, html } from '../web/html.ts'
import { theirs } from '../web/their-words.ts'
import { timeElement } from '../web/time.ts'
import { categoriesOf, categoryLabels } from './categories.ts'
import { sharingTexts as texts } from './sharing-texts.ts'

export const sharingPath = '/account/sharing'
export const withdrawPath = '/account/sharing/withdraw'

export function consentsMarkup(standing: readonly StandingConsent[], token: string): Html {
  const heading = html`<h2>${texts.consents}</h2>`
  if (standing.length === 0) {
    return html`${heading}<p class="card quiet">${texts.noConsents}</p>`
  }
  return html`${heading}<p class="hint tight">${texts.consentsHint}</p>
<ul class="plain card">${standing.map(
    ({ grantId, clientName, advertiserName, decidedAt, released, filled }) =>
      html`<li class="row"><div>${texts.asker(clientName, advertiserName)}
<span class="hint">${texts.since(timeElement(decidedAt), categoryList(released & filled))}</span></div>
${actionForm({
  action: withdrawPath,
  token,
  fields: { consent: grantId },
  label: texts.withdraw,
  describedAs: texts.withdrawFrom(clientName, advertiserName),
  kind: 'danger',
})}</li>`,
  )}</ul>`
}

/** One more than is shown tells that there are others. */
export function holdersMarkup(found: readonly Holder[], limit: number): Html {
  const heading = html`<h2>${texts.holders}</h2>`
  if (found.length === 0) return html`${heading}<p class="card quiet">${texts.noHolders}</p>`
  return html`${heading}<p class="hint tight">${texts.holdersHint}</p>
<ul class="plain card">${found
    .slice(0, limit)
    .map(
      holder =>
        html`<li><strong>${theirs(holder.advertiserName)}</strong><span class="hint">${holderFacts(holder)}</span></li>`,
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

/** One more than is shown tells that there are older ones. */
export function disclosuresMarkup(found: readonly Disclosure[], limit: number, isContinued: boolean): Html {
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const { when, who, onBehalfOf, what } = texts.columns
  return html`<h2>${texts.disclosures}</h2>
${
  last === undefined
    ? html`<p class="card quiet">${isContinued ? texts.noneOlder : texts.noDisclosures}</p>`
    : html`<p class="hint tight">${texts.disclosuresHint}</p>
${dataTable(
  texts.disclosures,
  [when, who, onBehalfOf, what].map(label => ({ label })),
  shown.map(({ disclosedAt, clientName, advertiserName, kind, categories }) => [
    timeElement(disclosedAt),
    html`<strong class="named">${theirs(clientName)}</strong>`,
    advertiserName === null ? texts.nobodyElse : theirs(advertiserName),
    kind === 'resume' ? texts.downloaded : texts.received(categoryList(categories)),
  ]),
)}`
}
${pager({
  newest: isContinued ? sharingPath : undefined,
  older:
    found.length > limit && last !== undefined
      ? `${sharingPath}?before=${last.disclosedAt}.${last.id}`
      : undefined,
})}`
}

function categoryList(bits: number): string {
  return [
    ...texts.always,
    ...categoriesOf(bits).map(category => categoryLabels[category].toLowerCase()),
  ].join(', ')
}
