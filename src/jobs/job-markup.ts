import type { EpochMs } from '../core/clock.ts'
import { type Html, html } from '../web/html.ts'
import { theirs } from '../web/their-words.ts'
import { isOpen } from './job-ad.ts'
import type { ListedJobAd, PublicJobAd } from './ports.ts'

export const jobsPath = '/jobs'
export const jobPath = (jobAdId: number) => `${jobsPath}/${jobAdId}`

/** One page of what is open; `older` is where the next one begins, when there is one. */
export function jobListMarkup(
  ads: readonly ListedJobAd[],
  { isContinued, older }: { isContinued: boolean; older: number | undefined },
): Html {
  if (ads.length === 0) {
    return isContinued
      ? html`<p class="card quiet">There are no older jobs.</p>
<p><a href="${jobsPath}">Newest jobs</a></p>`
      : html`<p class="card quiet">No jobs are advertised at the moment. Please look in again soon.</p>`
  }
  return html`<ul class="plain card">${ads.map(
    ad => html`<li><a href="${jobPath(ad.id)}"><strong>${theirs(ad.title)}</strong></a>
<span class="hint">${theirs(ad.advertiserName)} · ${theirs(ad.location)}${
      ad.closingDate !== null && html` · until ${dayElement(ad.closingDate)}`
    }</span></li>`,
  )}</ul>
${isContinued && html`<p><a href="${jobsPath}">Newest jobs</a></p>`}
${older !== undefined && html`<p><a href="${jobsPath}?before=${older}" rel="next">Older jobs</a></p>`}`
}

export function jobMarkup(ad: PublicJobAd, now: EpochMs): Html {
  const isTaking = isOpen(ad, now)
  return html`${!isTaking && html`<div class="notice"><p>This job is closed. It takes no more applications.</p></div>`}
<dl class="values card">
<dt>Company</dt><dd>${ad.advertiserName}</dd>
<dt>Location</dt><dd>${ad.location}</dd>
${ad.closingDate !== null && html`<dt>Applications until</dt><dd>${dayElement(ad.closingDate)}</dd>`}
<dt>About the job</dt><dd>${ad.description}</dd>
</dl>
${isTaking && html`<div class="actions"><a class="button" href="${jobPath(ad.id)}/apply">Apply</a></div>`}
<p><a href="${jobsPath}">All jobs</a></p>`
}

export const noSuchJobMarkup: Html = html`<p class="card">There is no job at this address. It may have been taken down, or the link may be incomplete.</p>
<p><a href="${jobsPath}">See the jobs that are open</a></p>`

const form = new Intl.DateTimeFormat('en-AU', { dateStyle: 'long', timeZone: 'UTC' })

function dayElement(day: string): Html {
  return html`<time datetime="${day}">${form.format(Date.parse(`${day}T00:00:00Z`))}</time>`
}
