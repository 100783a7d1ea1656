import { logoUrl } from '../core/brand/logo.ts'
import type { EpochMs } from '../core/clock.ts'
import { lazily } from '../core/lazily.ts'
import { isOpen } from '../model/job-ad.ts'
import { isolateBidi } from '../web/bidi.ts'
import { avatar, breadcrumb, emptyState, notice, pageHead, pager } from '../web/components.ts'
import { type Html, html } from '../web/html.ts'
import { type IconName, icon } from '../web/icons.ts'
import { excerpt, markdown } from '../web/markdown.ts'
import type { JobSearch } from './job-search.ts'
import type { ListedJobAd, PublicJobAd } from './ports.ts'
import { jobTexts as texts } from './texts.ts'

export const jobsPath = '/jobs'
export const jobPath = (jobAdId: number) => `${jobsPath}/${jobAdId}`

interface JobList {
  ads: readonly ListedJobAd[]
  search: JobSearch
  isContinued: boolean
  /** Where the next page begins, if there is one. */
  older: number | undefined
  /** How many there are, in words. */
  count: string
  now: EpochMs
}

/** One page of open jobs. */
export function jobListMarkup({ ads, search, isContinued, older, count, now }: JobList): Html {
  const isSearch = search.words.length > 0
  return html`${searchMarkup(search)}
${
  ads.length === 0
    ? noneMarkup(search, isContinued)
    : html`<p class="quiet" role="status">${isSearch ? texts.found(count, search.text) : texts.newestFirst(count)}</p>
${jobRows(ads, now, texts.listLabel)}`
}
${pager({
  newest: isContinued ? listPath(search) : undefined,
  older: older === undefined ? undefined : listPath(search, older),
})}`
}

function listPath({ text, words }: JobSearch, before?: number): string {
  const query = new URLSearchParams()
  if (words.length > 0) query.set('q', text)
  if (before !== undefined) query.set('before', String(before))
  return query.size === 0 ? jobsPath : `${jobsPath}?${query}`
}

export function searchMarkup({ text, words }: JobSearch): Html {
  return html`<form class="search" role="search" method="get" action="${jobsPath}">
<div class="field"><label class="for-readers" for="q">${texts.searchLabel}</label>
<input id="q" type="search" name="q" value="${text}" placeholder="${texts.searchHint}" autocomplete="off" enterkeyhint="search"></div>
<button type="submit">${icon('search')}${texts.search}</button>${words.length > 0 && html`<a href="${jobsPath}">${texts.searchAgain}</a>`}</form>`
}

function noneMarkup({ text, words }: JobSearch, isContinued: boolean): Html {
  if (isContinued) return emptyState({ title: texts.noneOlderTitle, text: texts.noneOlder })
  return words.length === 0
    ? emptyState({ title: texts.noneTitle, text: texts.none })
    : emptyState({
        title: texts.noneFoundTitle,
        text: texts.noneFound(text),
        action: { href: jobsPath, label: texts.searchAgain },
      })
}

/** Jobs in a list; each row is one target. */
export function jobRows(ads: readonly ListedJobAd[], now: EpochMs, label: string): Html {
  return html`<ul class="rows" aria-label="${label}">${ads.map(ad => jobRow(ad, now))}</ul>`
}

function jobRow(ad: ListedJobAd, now: EpochMs): Html {
  return html`<li>${avatar(ad.advertiserName, logoUrl(ad.logoHash))}<div><a class="row-link" href="${jobPath(ad.id)}">${isolateBidi(ad.title)}</a>
<p>${isolateBidi(ad.advertiserName)} · ${isolateBidi(ad.location)}</p>
<p class="excerpt">${isolateBidi(excerpt(ad.description, 220))}</p>
<p class="hint">${texts.posted(ad.createdAt, now)}${ad.closingDate !== null && html` · ${texts.closes(dayElement(ad.closingDate))}`}</p></div></li>`
}

/** The company's other jobs. */
export function otherJobs(ads: readonly ListedJobAd[], now: EpochMs): Html | false {
  const [first] = ads
  return (
    first !== undefined &&
    html`<h2>${texts.others(first.advertiserName)}</h2>${jobRows(ads, now, texts.othersLabel)}`
  )
}

export function jobHeading(ad: PublicJobAd, now: EpochMs): Html {
  return pageHead(
    ad.title,
    isOpen(ad, now) && applyLink(ad),
    breadcrumb([{ href: jobsPath, label: texts.title }]),
  )
}

export function jobMarkup(ad: PublicJobAd, now: EpochMs, board?: string): Html {
  const canApply = isOpen(ad, now)
  const labelled = (label: string, value: Html | string) =>
    html`<span class="for-readers">${label}: </span><span>${value}</span>`
  const fact = (name: IconName, label: string, value: Html | string) =>
    html`<li>${icon(name)}${labelled(label, value)}</li>`
  return html`${!canApply && notice('warning', texts.closed)}
<ul class="facts-line"><li>${ad.logoHash === null ? icon('company') : avatar(ad.advertiserName, logoUrl(ad.logoHash))}${labelled(texts.company, isolateBidi(ad.advertiserName))}</li>
${fact('place', texts.location, isolateBidi(ad.location))}
${fact('clock', texts.date, texts.posted(ad.createdAt, now))}
${ad.closingDate !== null && fact('calendar', texts.until, texts.closes(dayElement(ad.closingDate)))}</ul>
<section class="prose" aria-label="${texts.about}">${markdown(ad.description, 2)}</section>
${canApply && html`<div class="actions apply-bar">${applyLink(ad)}${board !== undefined && html`<span class="hint">${texts.applyHint(board)}</span>`}</div>`}`
}

function applyLink({ id }: PublicJobAd): Html {
  return html`<a class="button" href="${jobPath(id)}/apply">${texts.apply}</a>`
}

export const noSuchJobMarkup: Html = emptyState({
  title: texts.noSuchLead,
  text: texts.noSuch,
  action: { href: jobsPath, label: texts.seeOpen },
})

const form = lazily(() => new Intl.DateTimeFormat('en-AU', { dateStyle: 'long', timeZone: 'UTC' }))

function dayElement(day: string): Html {
  return html`<time datetime="${day}">${form().format(Date.parse(`${day}T00:00:00Z`))}</time>`
}
