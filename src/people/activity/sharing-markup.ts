import type { ApplicationRecipient, ListedApplication, OwnRead } from '../../apply/form/own-application.ts'
import { type FileType, isDocument } from '../../model/application.ts'
import { readsRecordedSince } from '../../model/application-read.ts'
import { categoriesOf, categoryLabels } from '../../model/categories.ts'
import { logoUrl } from '../../platform/core/brand/logo.ts'
import type { EpochMs } from '../../platform/core/clock.ts'
import { dayIn, zoneOr } from '../../platform/core/time/time-zone.ts'
import { isolateBidi, stripBidi } from '../../platform/web/bidi.ts'
import { avatar, pager, table } from '../../platform/web/components.ts'
import type { Forms } from '../../platform/web/forms.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { dayElement, timeElement } from '../../platform/web/time.ts'
import type { ActiveConsent } from '../../share/protocol/records.ts'
import { type MergedEntry, positionText } from './merged-lists.ts'
import type { Disclosure, Received, Reported } from './sharing-history.ts'
import { readLines, statusBadge } from './status-markup.ts'

export const sharingPath = '/account/sharing'

/** Ends the consent to keep an application for other jobs. */
export const endKeepingButton = (button: Forms['button'], applicationId: number, what: string): Html =>
  html`<details class="question"><summary aria-label="No longer allow to keep ${what} for other jobs">No longer allow this</summary>
<p class="hint">It is then kept no longer than any other application. You can’t undo this.</p>
${button({
  action: `${sharingPath}/end-keeping`,
  fields: { application: String(applicationId) },
  label: 'Yes, end it',
  describedAs: `Yes, no longer keep ${what} for other jobs`,
  kind: 'danger',
})}</details>`

interface Consents extends Pick<Forms, 'button' | 'form'> {
  consents: readonly ActiveConsent[]
  received: readonly Received[]
  /** How long a decision remains valid. */
  consentMs: number
  now: EpochMs
  /** The operator's time zone. */
  timeZone: string
}

interface Cards extends Consents {
  /** Up to `limit` companies, and one more if there are others. */
  holders: readonly ApplicationRecipient[]
  limit: number
  reads: readonly OwnRead[]
  /** How long reads stay on record. */
  readDays: number
}

/** One card per company, with everything that it has; a website that asked for itself has its own. */
export function companiesMarkup({ consents, holders, limit, reads, readDays, ...page }: Cards): Html {
  const heading = html`<h2>Companies with your data</h2>`
  const shown = holders.slice(0, limit)
  const recordedSince = readsRecordedSince(page.now, { readDays })
  const ended = page.received.filter(({ endedAt }) => endedAt !== null)
  const groups = Map.groupBy([...consents, ...ended], each => each.advertiserId ?? each.clientName)
  const others = [...groups].filter(([key]) => !shown.some(({ advertiserId }) => advertiserId === key))
  if (shown.length + others.length === 0)
    return html`${heading}<p class="card quiet">No one yet. A company is listed here when you send it an application, or let a website that works for it use your profile.</p>`
  const items = (list: readonly (ActiveConsent | Received)[]) => {
    const active = list.filter(each => 'decidedAt' in each)
    const former = list.filter(each => 'endedAt' in each)
    return html`${active.length > 0 && html`<h4>Can see my profile</h4><ul class="plain">${active.map(consent => consentItem(consent, page))}</ul>`}
${former.length > 0 && html`<h4>Received from my profile before</h4><ul class="plain">${former.map(formerItem)}</ul>`}`
  }
  return html`${heading}<p class="hint tight">Everything each company has, and who has read it there or for it. You can withdraw access to your profile here, and an application <a href="/account/applications">on its page</a>. Both take effect immediately.</p>
${shown.map(holder => {
  const list = groups.get(holder.advertiserId) ?? []
  const ofHolder = reads.filter(({ advertiserId }) => advertiserId === holder.advertiserId)
  return html`<section class="card"><h3 class="asker">${avatar(holder.advertiserName, logoUrl(holder.logoHash))}<span>${isolateBidi(holder.advertiserName)}</span></h3>
<h4>Received an application</h4><p>${holderFacts(holder)} <a href="/account/applications">See what you’ve sent</a></p>
${keptMarkup(holder, page)}
${holder.agents.length > 0 && html`<p class="hint">${agentsInWords(holder)}</p>`}
<h4>Reads of your applications</h4>
${
  ofHolder.length === 0
    ? html`<p class="quiet">${holder.firstAt >= recordedSince ? 'No one has read them yet.' : `No one has read them in the last ${readDays} days.`}</p>`
    : html`<ul class="plain">${readLines(ofHolder, holder.advertiserName).map(line => html`<li>${line}</li>`)}</ul>`
}
${list.length > 0 && items(list)}</section>`
})}
${others.map(([, list]) => {
  const [{ advertiserName, clientName, logoHash }] = list as [ActiveConsent | Received]
  const name = advertiserName ?? clientName
  return html`<section class="card"><h3 class="asker">${avatar(name, advertiserName === null ? logoUrl(logoHash) : undefined)}<span>${isolateBidi(name)}</span></h3>
${items(list)}</section>`
})}
${holders.length > limit && html`<p class="hint">These are the latest ${limit} companies. <a href="/account/applications">See all your applications</a></p>`}`
}

function keptMarkup(
  { kept, timeZone }: ApplicationRecipient,
  page: Pick<Consents, 'button' | 'now' | 'timeZone'>,
): Html | false {
  const today = dayIn(page.now, zoneOr(timeZone, page.timeZone))
  const current = kept.filter(({ until }) => until >= today)
  return (
    current.length > 0 &&
    html`<h4>May keep for other jobs</h4><ul class="plain">${current.map(
      ({ applicationId, jobTitle, until }) =>
        html`<li>Your application for <a href="/account/applications/${applicationId}">${isolateBidi(jobTitle)}</a> until ${dayElement(Date.parse(until))}
${endKeepingButton(page.button, applicationId, `your application for ${stripBidi(jobTitle)}`)}</li>`,
    )}</ul>`
  )
}

function consentItem(
  consent: ActiveConsent,
  { button, form, consentMs, now, received }: Omit<Consents, 'consents'>,
) {
  const { grantId, clientName, advertiserName, logoHash, decidedAt, released, filled } = consent
  const endsAt = decidedAt + consentMs
  const got = received.find(each => each.grantId === grantId)
  return html`<li class="row">${avatar(clientName, logoUrl(logoHash))}<div>${asker(clientName, advertiserName)}
<span class="hint">since ${timeElement(decidedAt)}: ${categoryList(released & filled)}</span>
${got && receivedLine(got)}
<span class="hint">${endsAt > now ? html`ends on ${timeElement(endsAt)}` : html`ended on ${timeElement(endsAt)}: they have to ask you again`}</span></div>
${narrowingMarkup(consent, form)}
<details class="question"><summary aria-label="Withdraw from ${inPlain(clientName, advertiserName)}">Withdraw</summary>
<p class="hint">They will no longer see your profile. You can’t undo this here: you’d have to allow it again on their website.</p>
${button({
  action: `${sharingPath}/withdraw`,
  fields: { consent: grantId },
  label: 'Yes, withdraw',
  describedAs: `Yes, withdraw from ${inPlain(clientName, advertiserName)}`,
  kind: 'danger',
})}</details></li>`
}

const receivedLine = ({ lastAt, categories }: Received): Html =>
  html`<span class="hint">received, last on ${timeElement(lastAt)}: ${categoryList(categories)}</span>`

/** Access has ended, but the recipient keeps the data it received. */
function formerItem(former: Received): Html {
  const { clientName, advertiserName, logoHash, endedAt } = former
  return html`<li class="row">${avatar(clientName, logoUrl(logoHash))}<div>${asker(clientName, advertiserName)}
${receivedLine(former)}
<span class="hint">access ended on ${timeElement(endedAt ?? 0)}; ask the company itself to delete what it has</span></div></li>`
}

/**
 * Boxes for the categories shared now. The candidate can share more only on the consent page, where the values are
 * shown.
 */
function narrowingMarkup(consent: ActiveConsent, form: Forms['form']): Html | false {
  const { grantId, clientName, advertiserName, released, filled } = consent
  const shared = released & filled
  if (shared === 0) return false
  const reader = inPlain(clientName, advertiserName)
  return html`<details class="change"><summary aria-label="Change what ${reader} sees">Change</summary>
${form({
  action: `${sharingPath}/narrow`,
  isInCard: true,
  hidden: { consent: grantId, shown: String(shared) },
  lead: html`<fieldset><legend>What they can see</legend>${categoriesOf(shared).map(
    category =>
      html`<div class="tick"><input type="checkbox" id="${grantId}-${category}" name="release" value="${category}" checked> <label for="${grantId}-${category}">${categoryLabels[category]}</label></div>`,
  )}</fieldset>
<p class="hint">What you clear is no longer shared at once. To share more, allow it on their website.</p>`,
  below: html`<button type="submit" aria-label="Save what ${reader} sees">Save</button>`,
})}</details>`
}

/** Names the agents that are authorised now. */
function agentsInWords({ agents, applications }: ApplicationRecipient): Html {
  const names = agents.map((name, index) => [
    index > 0 && (index === agents.length - 1 ? ' and ' : ', '),
    isolateBidi(name),
  ])
  const read = applications === 1 ? 'can also read it' : 'can also read them'
  return agents.length === 1
    ? html`${names} works for this company and ${read}.`
    : html`${names} work for this company and ${read}.`
}

function holderFacts({ applications, firstAt, lastAt }: ApplicationRecipient): Html {
  const first = timeElement(firstAt)
  return applications === 1
    ? html`One application, sent on ${first}.`
    : html`${applications} applications, the first on ${first} and the latest on ${timeElement(lastAt)}.`
}

/** An application sent from here, or a disclosure to another website. */
export type DisclosureEntry = MergedEntry<ListedApplication, Disclosure>

/** Newest first. */
export function reportedMarkup(reported: readonly Reported[], limit: number): Html | false {
  const shown = reported.slice(0, limit)
  return (
    shown.length > 0 &&
    html`<h2>What websites say about your applications</h2>
<p class="hint tight">The latest state that each website has reported of an application you started there. <a href="/account/applications">See all your applications</a></p>
<ul class="plain card">${shown.map(
      ({ clientName, advertiserName, positionTitle, state, at }) =>
        html`<li>${statusBadge(state)} <strong>${isolateBidi(positionTitle ?? 'A job')}</strong> ${asker(clientName, advertiserName)} <span class="hint">since ${timeElement(at)}</span></li>`,
    )}</ul>
${reported.length > limit && html`<p class="hint">These are the latest ${limit} applications.</p>`}`
  )
}

export function disclosuresMarkup(
  entries: readonly DisclosureEntry[],
  { hasMore, isContinued }: { hasMore: boolean; isContinued: boolean },
): Html {
  const last = entries.at(-1)
  return html`<h2>Sharing history</h2>
${
  last === undefined
    ? html`<p class="card quiet">${isContinued ? 'There are no older entries.' : 'Nothing yet. You haven’t sent an application from here or shared anything from your profile.'}</p>`
    : html`<p class="hint tight">Every application you sent from here, and every time another website received data from your profile, newest first.</p>
${table({
  caption: 'Sharing history',
  rows: entries.map(entry => ({
    at: entry.at,
    ...(entry.kind === 'here' ? applicationCells(entry.here) : disclosureCells(entry.elsewhere)),
  })),
  columns: [
    ['When', ({ at }) => timeElement(at)],
    ['Who', ({ who }) => html`<strong class="named">${isolateBidi(who)}</strong>`],
    ['On behalf of', ({ onBehalfOf }) => onBehalfOf && isolateBidi(onBehalfOf)],
    ['What', ({ what }) => what],
  ],
})}`
}
${pager({
  newest: isContinued ? sharingPath : undefined,
  older: hasMore && last !== undefined ? `${sharingPath}?before=${positionText(last)}` : undefined,
})}`
}

interface Cells {
  who: string
  onBehalfOf: string | null
  what: Html | string
}

const disclosureCells = ({ clientName, advertiserName, kind, categories }: Disclosure): Cells => ({
  who: clientName,
  onBehalfOf: advertiserName,
  what: kind === 'resume' ? 'downloaded your resume' : `received ${categoryList(categories)}`,
})

function applicationCells(application: ListedApplication): Cells {
  const { advertiserName, applicationId, jobTitle, files, hasAnswers, hasWork } = application
  const parts = [
    'contact details',
    hasWork && 'current or latest job',
    hasAnswers && 'answers',
    ...files.map(({ type }) => (isDocument(type) ? fileNames[type] : 'a file as an answer')),
  ].filter(each => each !== false)
  const job = html`<a href="/account/applications/${applicationId}">${isolateBidi(jobTitle)}</a>`
  return {
    who: advertiserName,
    onBehalfOf: null,
    what: html`received your application for ${job}: ${parts.join(', ')}`,
  }
}

function categoryList(bits: number): string {
  return [
    'name',
    'email address',
    ...categoriesOf(bits).map(category => categoryLabels[category].toLowerCase()),
  ].join(', ')
}

const asker = (clientName: string, advertiserName: string | null): Html =>
  advertiserName === null
    ? html`<strong>${isolateBidi(clientName)}</strong>`
    : html`<strong>${isolateBidi(clientName)}</strong> on behalf of <strong>${isolateBidi(advertiserName)}</strong>`

const inPlain = (clientName: string, advertiserName: string | null): string =>
  stripBidi(advertiserName === null ? clientName : `${clientName} on behalf of ${advertiserName}`)

const fileNames: Record<FileType, string> = {
  resume: 'resume',
  coverLetter: 'cover letter',
  selectionCriteria: 'answers to selection criteria',
}
