import type { Holder, ListedApplication, OwnRead } from '../../apply/form/ports.ts'
import { logoUrl } from '../../core/brand/logo.ts'
import type { EpochMs } from '../../core/clock.ts'
import { readsRecordedSince } from '../../model/application-read.ts'
import { categoriesOf, categoryLabels } from '../../model/categories.ts'
import type { Disclosure } from '../../share/prefill/ports.ts'
import type { ActiveConsent } from '../../share/protocol/ports.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { actionForm, avatar, dataTable, pager } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { dayElement, timeElement } from '../../web/time.ts'
import { type MergedEntry, positionText } from './merged-lists.ts'
import { sharingTexts as texts } from './sharing-texts.ts'
import { readLines } from './status-markup.ts'

export const sharingPath = '/account/sharing'
export const withdrawPath = '/account/sharing/withdraw'

export const narrowPath = '/account/sharing/narrow'

interface Consents {
  consents: readonly ActiveConsent[]
  withdrawToken: string
  narrowToken: string
  /** For how long a decision counts. */
  consentMs: number
  now: EpochMs
}

interface Cards extends Consents {
  /** One more than `limit` if there are others. */
  holders: readonly Holder[]
  limit: number
  reads: readonly OwnRead[]
  /** For how long reads are on record. */
  readDays: number
}

/** One card per company, with everything that it has; a website that asked for itself has its own. */
export function companiesMarkup({ consents, holders, limit, reads, readDays, ...page }: Cards): Html {
  const heading = html`<h2>${texts.companies}</h2>`
  const shown = holders.slice(0, limit)
  const recordedSince = readsRecordedSince(page.now, { readDays })
  const keyOf = (consent: ActiveConsent) => consent.advertiserId ?? consent.clientName
  const groups = Map.groupBy(consents, keyOf)
  const others = [...groups].filter(([key]) => !shown.some(({ advertiserId }) => advertiserId === key))
  if (shown.length + others.length === 0)
    return html`${heading}<p class="card quiet">${texts.noCompanies}</p>`
  const items = (list: readonly ActiveConsent[]) =>
    html`<h4>${texts.consents}</h4><ul class="plain">${list.map(consent => consentItem(consent, page))}</ul>`
  return html`${heading}<p class="hint tight">${texts.companiesHint}</p>
${shown.map(holder => {
  const list = groups.get(holder.advertiserId) ?? []
  const ofHolder = reads.filter(({ advertiserId }) => advertiserId === holder.advertiserId)
  return html`<section class="card"><h3 class="asker">${avatar(holder.advertiserName, logoUrl(holder.logoHash))}<span>${isolateBidi(holder.advertiserName)}</span></h3>
<h4>${texts.holders}</h4><p>${holderFacts(holder)} <a href="/account/applications">${texts.seeApplications}</a></p>
${holder.agents.length > 0 && html`<p class="hint">${texts.agents(holder.agents, holder.applications)}</p>`}
<h4>${texts.reads}</h4>
${
  ofHolder.length === 0
    ? html`<p class="quiet">${holder.firstAt >= recordedSince ? texts.noReads : texts.noReadsSince(readDays)}</p>`
    : html`<ul class="plain">${readLines(ofHolder, holder.advertiserName).map(line => html`<li>${line}</li>`)}</ul>`
}
${list.length > 0 && items(list)}</section>`
})}
${others.map(([, list]) => {
  const [{ advertiserName, clientName, logoHash }] = list as [ActiveConsent]
  const name = advertiserName ?? clientName
  return html`<section class="card"><h3 class="asker">${avatar(name, advertiserName === null ? logoUrl(logoHash) : undefined)}<span>${isolateBidi(name)}</span></h3>
${items(list)}</section>`
})}
${holders.length > limit && html`<p class="hint">${texts.moreHolders(limit)}</p>`}`
}

function consentItem(
  consent: ActiveConsent,
  { withdrawToken, consentMs, now, narrowToken }: Omit<Consents, 'consents'>,
) {
  const { grantId, clientName, advertiserName, logoHash, decidedAt, released, filled } = consent
  const endsAt = decidedAt + consentMs
  return html`<li class="row">${avatar(clientName, logoUrl(logoHash))}<div>${texts.asker(clientName, advertiserName)}
<span class="hint">${texts.since(timeElement(decidedAt), categoryList(released & filled))}</span>
<span class="hint">${endsAt > now ? texts.ends(dayElement(endsAt)) : texts.ended(dayElement(endsAt))}</span></div>
${narrowingMarkup(consent, narrowToken)}
<details class="question"><summary aria-label="${texts.withdrawFrom(clientName, advertiserName)}">${texts.withdraw}</summary>
<p class="hint">${texts.withdrawQuestion}</p>
${actionForm({
  action: withdrawPath,
  token: withdrawToken,
  fields: { consent: grantId },
  label: texts.reallyWithdraw,
  describedAs: texts.reallyWithdrawFrom(clientName, advertiserName),
  kind: 'danger',
})}</details></li>`
}

/** Boxes for what is shared now. More can only be shared where the candidate sees it: on the consent page. */
function narrowingMarkup(consent: ActiveConsent, token: string): Html | false {
  const { grantId, clientName, advertiserName, released, filled } = consent
  const shared = released & filled
  if (shared === 0) return false
  return html`<details class="change"><summary aria-label="${texts.changeFor(clientName, advertiserName)}">${texts.change}</summary>
<form method="post" action="${narrowPath}"><input type="hidden" name="form_token" value="${token}">
<input type="hidden" name="consent" value="${grantId}"><input type="hidden" name="shown" value="${shared}">
<fieldset><legend>${texts.shared}</legend>${categoriesOf(shared).map(
    category =>
      html`<div class="tick"><input type="checkbox" id="${grantId}-${category}" name="release" value="${category}" checked> <label for="${grantId}-${category}">${categoryLabels[category]}</label></div>`,
  )}</fieldset>
<p class="hint">${texts.narrowHint}</p>
<button type="submit" aria-label="${texts.saveFor(clientName, advertiserName)}">${texts.save}</button></form></details>`
}

function holderFacts({ applications, firstAt, lastAt }: Holder): Html {
  const first = timeElement(firstAt)
  return applications === 1
    ? texts.holder(first)
    : texts.holderAgain(applications, first, timeElement(lastAt))
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
