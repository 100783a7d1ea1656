import type { EpochMs } from '../core/clock.ts'
import { isOpen } from '../model/job-ad.ts'
import { isolateBidi } from '../web/bidi.ts'
import { breadcrumb, emptyState, notice, pageHead, pager } from '../web/components.ts'
import { type Html, html } from '../web/html.ts'
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
}

/** One page of open jobs. */
export function jobListMarkup({ ads, search, isContinued, older }: JobList): Html {
  const isSearch = search.words.length > 0
  return html`${searchMarkup(search)}
${
  ads.length === 0
    ? noneMarkup(search, isContinued)
    : html`<p class="quiet">${isSearch ? texts.found(search.text) : texts.newestFirst}</p>
<ul class="plain card" aria-label="${texts.listLabel}">${ads.map(listedMarkup)}</ul>`
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

function searchMarkup({ text, words }: JobSearch): Html {
  return html`<form class="card search" role="search" method="get" action="${jobsPath}">
<div class="field"><label for="q">${texts.searchLabel}</label><span class="hint" id="q-hint">${texts.searchHint}</span>
<input id="q" type="search" name="q" value="${text}" aria-describedby="q-hint" autocomplete="off" enterkeyhint="search"></div>
<div class="actions"><button type="submit">${texts.search}</button>${words.length > 0 && html` <a href="${jobsPath}">${texts.searchAgain}</a>`}</div></form>`
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

function listedMarkup(ad: ListedJobAd): Html {
  return html`<li><a href="${jobPath(ad.id)}"><strong>${isolateBidi(ad.title)}</strong></a>
<span class="hint">${isolateBidi(ad.advertiserName)} · ${isolateBidi(ad.location)}${
    ad.closingDate !== null && html` · ${texts.closes(dayElement(ad.closingDate))}`
  }</span></li>`
}

export function jobHeading(ad: PublicJobAd, now: EpochMs): Html {
  return pageHead(
    ad.title,
    isOpen(ad, now) && applyLink(ad),
    breadcrumb([{ href: jobsPath, label: texts.title }]),
  )
}

export function jobMarkup(ad: PublicJobAd, now: EpochMs): Html {
  const canApply = isOpen(ad, now)
  return html`${!canApply && notice('warning', texts.closed)}
<section class="card"><dl class="values facts">
<div><dt>${texts.company}</dt><dd>${ad.advertiserName}</dd></div>
<div><dt>${texts.location}</dt><dd>${ad.location}</dd></div>
${ad.closingDate !== null && html`<div><dt>${texts.until}</dt><dd>${dayElement(ad.closingDate)}</dd></div>`}
</dl></section>
<section class="card"><h2 class="first">${texts.about}</h2>
<p class="written">${ad.description}</p></section>
${canApply && html`<div class="actions">${applyLink(ad)}<span class="hint">${texts.applyHint}</span></div>`}
<p><a href="${jobsPath}">${texts.all}</a></p>`
}

function applyLink({ id }: PublicJobAd): Html {
  return html`<a class="button" href="${jobPath(id)}/apply">${texts.apply}</a>`
}

export const noSuchJobMarkup: Html = emptyState({
  title: texts.noSuchLead,
  text: texts.noSuch,
  action: { href: jobsPath, label: texts.seeOpen },
})

const form = new Intl.DateTimeFormat('en-AU', { dateStyle: 'long', timeZone: 'UTC' })

function dayElement(day: string): Html {
  return html`<time datetime="${day}">${form.format(Date.parse(`${day}T00:00:00Z`))}</time>`
}
