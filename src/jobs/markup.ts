import type { AdDetails } from '../model/ad-details.ts'
import { employmentTypeNames, workplaceNames } from '../model/ad-words.ts'
import { isOpen } from '../model/job-ad.ts'
import { logoUrl } from '../platform/core/brand/logo.ts'
import type { EpochMs } from '../platform/core/clock.ts'
import { dayText } from '../platform/core/locale.ts'
import { dayIn } from '../platform/core/time/time-zone.ts'
import { isolateBidi } from '../platform/web/bidi.ts'
import {
  avatar,
  breadcrumb,
  emptyState,
  notice,
  pageHead,
  pager,
  valueList,
} from '../platform/web/components.ts'
import { selectField } from '../platform/web/fields.ts'
import { type Html, html } from '../platform/web/html.ts'
import { type IconName, icon } from '../platform/web/icons.ts'
import { excerpt, markdown } from '../platform/web/markdown.ts'
import { zoneName } from '../platform/web/time.ts'
import { adFacts, payText } from './ad-details-markup.ts'
import { type JobSearch, searchParameters } from './job-search.ts'
import type { ListedJobAd, PublicJobAd } from './postings.ts'

export const jobsPath = '/jobs'
export const jobPath = (jobAdId: number) => `${jobsPath}/${jobAdId}`

interface JobList {
  ads: readonly ListedJobAd[]
  search: JobSearch
  isContinued: boolean
  /** Start of the next page, if any. */
  older: number | undefined
  /** The number of jobs, in words. */
  count: string
  now: EpochMs
}

/** One page of open jobs. */
export function jobListMarkup({ ads, search, isContinued, older, count, now }: JobList): Html {
  const isSearch = search.words.length > 0
  const isNarrowed = searchParameters(search).size > 0
  return html`${searchMarkup(search, isNarrowed && ads.length > 0, filterMarkup(search))}
${
  ads.length === 0
    ? noneMarkup(search, isContinued)
    : html`<p class="quiet" role="status">${isSearch ? html`${count} matching <strong>${isolateBidi(search.text)}</strong>, newest first` : isNarrowed ? `${count} matching your filters, newest first` : `${count}, newest first`}</p>
${jobRows(ads, now, 'Open jobs')}`
}
${pager({
  newest: isContinued ? listPath(search) : undefined,
  older: older === undefined ? undefined : listPath(search, older),
})}`
}

function listPath(search: JobSearch, before?: number): string {
  const query = searchParameters(search)
  if (before !== undefined) query.set('before', String(before))
  return query.size === 0 ? jobsPath : `${jobsPath}?${query}`
}

/** `leadsBack`: with a link to all jobs. */
export function searchMarkup(
  { text }: Pick<JobSearch, 'text'>,
  leadsBack: boolean,
  filters: Html | false = false,
): Html {
  return html`<form class="search" role="search" method="get" action="${jobsPath}">
<div class="field"><label class="visually-hidden" for="q">Find a job</label>
<input id="q" type="search" name="q" value="${text}" placeholder="Job title, location or company" autocomplete="off" enterkeyhint="search"></div>
${filters}<button type="submit">${icon('search')}Search</button>${leadsBack && html`<a href="${jobsPath}">Show all jobs</a>`}</form>`
}

function filterMarkup({ filter }: JobSearch): Html {
  const select = (name: string, label: string, words: Readonly<Record<string, string>>, value = '') =>
    selectField({
      name,
      label,
      none: 'Any',
      value,
      choices: Object.entries(words).map(([id, description]) => ({ id, description })),
      errors: [],
    })
  return html`<div class="filters">${select('workplace', 'Workplace', workplaceNames, filter.workplace)}
${select('type', 'Employment type', employmentTypeNames, filter.employmentType)}
${select('pay', 'Pay', { yes: 'With pay' }, filter.withPay ? 'yes' : '')}</div>`
}

function noneMarkup(search: JobSearch, isContinued: boolean): Html {
  const { text, words } = search
  if (isContinued) return emptyState({ title: 'End of list', text: 'There are no older jobs.' })
  if (words.length === 0 && searchParameters(search).size > 0)
    return emptyState({
      title: 'No jobs found',
      text: 'No open jobs match your filters.',
      action: { href: jobsPath, label: 'Show all jobs' },
    })
  return words.length === 0
    ? emptyState({ title: 'No jobs yet', text: 'No jobs are open at the moment. Check back soon.' })
    : emptyState({
        title: 'No jobs found',
        text: html`No open jobs match <strong>${isolateBidi(text)}</strong>. Try fewer words. We search titles, locations and companies.`,
        action: { href: jobsPath, label: 'Show all jobs' },
      })
}

/** A list of jobs; each row is a single link target. */
export function jobRows(ads: readonly ListedJobAd[], now: EpochMs, label: string): Html {
  return html`<ul class="rows" aria-label="${label}">${ads.map(ad => jobRow(ad, now))}</ul>`
}

function jobRow(ad: ListedJobAd, now: EpochMs): Html {
  return html`<li>${avatar(ad.advertiserName, logoUrl(ad.logoHash))}<div><a class="row-link" href="${jobPath(ad.id)}">${isolateBidi(ad.title)}</a>
<p>${isolateBidi(ad.advertiserName)} · ${isolateBidi(ad.location)}</p>
${adSummary(ad.details)}<p class="excerpt">${isolateBidi(excerpt(ad.description, 220))}</p>
<p class="hint">${posted(ad, now)}${ad.closingDate !== null && html` · ${closes(ad.closingDate, ad)}`}</p></div></li>`
}

/** A row's summary of the details. */
function adSummary({ pay, employmentTypes = [], workplace }: AdDetails = {}): Html | false {
  const parts = [
    ...(pay ? [payText(pay)] : []),
    ...employmentTypes.map(type => employmentTypeNames[type]),
    ...(workplace ? [workplaceNames[workplace]] : []),
  ]
  return parts.length > 0 && html`<p>${parts.join(' · ')}</p>\n`
}

function factsMarkup(details: AdDetails = {}): Html | false {
  const facts = adFacts(details)
  return facts.length > 0 && html`<section class="facts" aria-label="Facts">${valueList(facts)}</section>`
}

/** The company's other jobs. */
export function otherJobs(ads: readonly ListedJobAd[], now: EpochMs): Html | false {
  const [first] = ads
  return (
    first !== undefined &&
    html`<h2>More jobs at ${isolateBidi(first.advertiserName)}</h2>${jobRows(ads, now, 'More jobs at this company')}`
  )
}

export function jobHeading(ad: PublicJobAd, now: EpochMs): Html {
  return pageHead(
    ad.title,
    isOpen(ad, now, ad.timeZone) && applyLink(ad),
    breadcrumb([{ href: jobsPath, label: 'Jobs' }]),
  )
}

export function jobMarkup(ad: PublicJobAd, now: EpochMs, board?: string): Html {
  const canApply = isOpen(ad, now, ad.timeZone)
  const labelled = (label: string, value: Html | string) =>
    html`<span class="visually-hidden">${label}: </span><span>${value}</span>`
  const fact = (name: IconName, label: string, value: Html | string) =>
    html`<li>${icon(name)}${labelled(label, value)}</li>`
  return html`${!canApply && notice('warning', 'Applications for this job have closed.')}
<ul class="facts-line"><li>${ad.logoHash === null ? icon('company') : avatar(ad.advertiserName, logoUrl(ad.logoHash))}${labelled('Company', isolateBidi(ad.advertiserName))}</li>
${fact('place', 'Location', isolateBidi(ad.location))}
${fact('clock', 'Date', posted(ad, now))}
${ad.closingDate !== null && fact('calendar', 'Closing date', closes(ad.closingDate, ad))}</ul>
${factsMarkup(ad.details)}
<section class="prose" aria-label="About the job"${ad.details?.language && html` lang="${ad.details.language}"`}>${markdown(ad.description, 2)}</section>
${canApply && html`<div class="actions apply-bar">${applyLink(ad)}${board !== undefined && html`<span class="hint">Apply with your ${board} account. Your profile fills in the form, and you can check everything before you send it.</span>`}</div>`}`
}

function applyLink({ id }: PublicJobAd): Html {
  return html`<a class="button" href="${jobPath(id)}/apply">Apply</a>`
}

export const noSuchJobMarkup: Html = emptyState({
  title: 'We couldn’t find that job',
  text: 'It may have been removed, or the link may be incomplete.',
  action: { href: jobsPath, label: 'See open jobs' },
})

const closes = (day: string, { timeZone }: ListedJobAd): Html =>
  html`Closes <time datetime="${day}">${dayText(day)}</time> (${zoneName(timeZone)})`

const dayMs = 86_400_000

function posted({ createdAt, timeZone }: ListedJobAd, now: EpochMs): Html {
  const day = dayIn(createdAt, timeZone)
  const days = Math.max(0, (Date.parse(dayIn(now, timeZone)) - Date.parse(day)) / dayMs)
  const when = days === 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`
  const exact = (text: string) => html`<time datetime="${new Date(createdAt).toISOString()}">${text}</time>`
  return days <= 30
    ? html`Posted ${exact(when)}`
    : html`Posted ${exact(dayText(day))} (${zoneName(timeZone)})`
}
