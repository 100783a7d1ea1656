import type { DayOfUsage } from '../../advertisers/usage-service.ts'
import type { StatusCounts } from '../../collect/progress/ports.ts'
import type { AdChoice, FoundApplication, Total } from '../../collect/search/ports.ts'
import type { EpochMs } from '../../core/clock.ts'
import { isolateBidi } from '../../web/bidi.ts'
import { barChart } from '../../web/chart.ts'
import { dataTable, emptyState } from '../../web/components.ts'
import { type Html, html } from '../../web/html.ts'
import { shortTime } from '../../web/time.ts'
import { jobLabel, nameOf } from '../applications/markup.ts'
import { applicationsTexts } from '../applications/texts.ts'
import { overviewTexts as texts } from './texts.ts'

export interface OverviewMarkup {
  applicationsPath: string
  adsPath: string
  counts: StatusCounts
  /** When the member was here before this visit, and what has arrived since; undefined at the first visit. */
  since: { at: EpochMs; total: Total } | undefined
  oldest: FoundApplication | undefined
  ads: readonly AdChoice[]
  countsOfAds: ReadonlyMap<number, StatusCounts>
  days: readonly DayOfUsage[]
  timeZone: string
  now: EpochMs
}

const sumOf = (counts: StatusCounts | undefined) =>
  Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0)

export function overviewMarkup(page: OverviewMarkup): Html {
  const { counts, adsPath } = page
  if (sumOf(counts) === 0) {
    const { action, ...words } = texts.noneYet
    return emptyState({ ...words, action: { href: adsPath, label: action } })
  }
  return html`${numbersMarkup(page)}
${oldestMarkup(page)}
<div class="columns">${adsMarkup(page)}${chartMarkup(page)}</div>`
}

function numbersMarkup({ applicationsPath, counts, since, timeZone, now }: OverviewMarkup): Html {
  const number = (href: string, count: string, label: string) =>
    html`<li class="card"><a href="${href}"><strong>${count}</strong> ${label}</a></li>`
  return html`<ul class="numbers" aria-label="${texts.numbers}">
${since && number(`${applicationsPath}?order=unread`, applicationsTexts.count(since.total), texts.sinceLastVisit)}
${number(`${applicationsPath}?status=new`, texts.counted(counts.new), texts.unread)}
${number(`${applicationsPath}?status=shortlisted`, texts.counted(counts.shortlisted), texts.shortlisted)}
${number(applicationsPath, texts.counted(sumOf(counts)), texts.all)}</ul>
${since && html`<p class="quiet">${texts.lastVisit(shortTime(since.at, { timeZone, now }))}</p>`}`
}

function oldestMarkup({ applicationsPath, oldest, timeZone, now }: OverviewMarkup): Html {
  if (oldest === undefined) return html`<p class="card">${texts.noneUnread}</p>`
  const { id, jobAd, jobReference, submittedAt, erasedAt } = oldest
  const name = erasedAt === null ? isolateBidi(nameOf(oldest)) : applicationsTexts.erased
  return html`<section class="card"><h2 class="first">${texts.oldest}</h2>
<p class="line"><a href="${applicationsPath}/${id}?status=new">${name}</a> <span>${jobLabel(jobAd, jobReference)}</span> <span class="quiet">${shortTime(submittedAt, { timeZone, now })}</span></p></section>`
}

function adsMarkup({ applicationsPath, adsPath, ads, countsOfAds }: OverviewMarkup): Html {
  const rows = ads.map(({ id, title }) => {
    const counts = countsOfAds.get(id)
    const unread = counts?.new ?? 0
    return [
      html`<a href="${applicationsPath}?ad=${id}">${isolateBidi(title)}</a>`,
      html`${texts.counted(sumOf(counts))}${unread > 0 && html` (<a href="${applicationsPath}?ad=${id}&amp;status=new">${texts.unreadOf(unread)}</a>)`}`,
    ]
  })
  return html`<section><h2 class="first">${texts.ads}</h2>${
    rows.length === 0
      ? html`<p class="quiet">${texts.noAds}</p>`
      : dataTable(
          texts.ads,
          Object.values(texts.adColumns).map(label => ({ label })),
          rows,
        )
  }<p><a href="${adsPath}">${texts.allAds}</a></p></section>`
}

function chartMarkup({ days }: OverviewMarkup): Html {
  const bars = days.map(({ day, applications }) => ({ label: texts.dayText(day), value: applications }))
  const total = bars.reduce((sum, { value }) => sum + value, 0)
  const highest = bars.reduce((a, b) => (b.value > a.value ? b : a), { label: '', value: 0 })
  return html`<section>${barChart({
    title: texts.days(days.length, total),
    summary: texts.daysSummary(total, highest.value, highest.label),
    whenEmpty: texts.noDays,
    bars,
  })}<p class="quiet">${texts.zone}</p></section>`
}
