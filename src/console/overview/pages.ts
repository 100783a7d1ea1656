import type { RouteOptions } from 'fastify'
import type { StatusCounts } from '../../collect/progress/progress-store.ts'
import type { Progress } from '../../collect/progress/service.ts'
import type { AdChoice, FoundApplication } from '../../collect/search/results.ts'
import type { ApplicationSearch } from '../../collect/search/service.ts'
import type { Usage } from '../../companies/usage-service.ts'
import { answerDueBefore } from '../../model/unanswered.ts'
import type { Clock, EpochMs } from '../../platform/core/clock.ts'
import { numberText } from '../../platform/core/locale.ts'
import type { Sessions } from '../../platform/http/auth/sessions.ts'
import { assetUrl } from '../../platform/web/assets.ts'
import { isolateBidi } from '../../platform/web/bidi.ts'
import { emptyState, pageHead, table } from '../../platform/web/components.ts'
import { type Html, html } from '../../platform/web/html.ts'
import { shortTime } from '../../platform/web/time.ts'
import { erasedName, jobLabel, nameOf, totalInWords, unansweredText } from '../applications/markup.ts'
import { applicationsChart } from '../charts-markup.ts'
import { adsTab, consolePath } from '../navigation-markup.ts'
import { consoleTab } from '../tab-pages.ts'

const title = 'Overview'
/** Limit: Newest job ads on the overview of a company. */
const consoleOverviewAds = 8

/** A company's landing page: activity and unread applications. */
export function overviewPages(deps: {
  applicationSearch: Pick<ApplicationSearch, 'adChoices' | 'oldestUnread' | 'countSince' | 'countUnanswered'>
  progress: Pick<Progress, 'visit' | 'counts' | 'countsOfAds'>
  usage: Pick<Usage, 'lastDays'>
  sessions: Sessions
  clock: Clock
}): RouteOptions[] {
  const { applicationSearch, progress, usage, clock } = deps
  return consoleTab(deps.sessions, 'overview', { view: 'member' })('/console/:advertiserId', {
    async show({ request, caller }) {
      const { advertiserId, candidateId, timeZone, answerDays } = caller
      const visitedAt = await progress.visit(advertiserId, candidateId, request.method === 'GET')
      const [counts, since, unanswered, oldest, choices, days] = await Promise.all([
        progress.counts(advertiserId),
        visitedAt === null ? undefined : applicationSearch.countSince(advertiserId, visitedAt),
        applicationSearch.countUnanswered(advertiserId, answerDueBefore(clock(), answerDays)),
        applicationSearch.oldestUnread(advertiserId),
        applicationSearch.adChoices(advertiserId),
        usage.lastDays(advertiserId),
      ])
      const ads = choices.slice(0, consoleOverviewAds)
      const adIds = ads.map(({ id }) => id)
      const countsOfAds = await progress.countsOfAds(advertiserId, adIds)
      const listPath = consolePath(advertiserId, 'applications')
      const adsPath = consolePath(advertiserId, adsTab(caller))
      const number = (search: string, count: string, label: string) =>
        html`<li class="card"><a href="${listPath}${search}"><strong>${count}</strong> ${label}</a></li>`
      const zone = { timeZone, now: clock() }
      return {
        title,
        heading: pageHead(title),
        styles: [assetUrl('chart.css')],
        body:
          sumOf(counts) === 0
            ? emptyState({
                title: 'No applications yet',
                text: 'As soon as a candidate applies for one of your jobs, this page shows what is new and what waits to be read.',
                action: { href: adsPath, label: 'See your job ads' },
              })
            : html`<ul class="numbers" aria-label="Applications at a glance">
${since && number('?order=unread', totalInWords(since), 'Since your last visit')}
${number('?status=new', numberText(counts.new), 'Unread')}
${number('?unanswered=yes', totalInWords(unanswered), unansweredText(answerDays))}
${number('?status=shortlisted', numberText(counts.shortlisted), 'Shortlisted')}
${number('', numberText(sumOf(counts)), 'All applications')}</ul>
${since && visitedAt !== null && html`<p class="quiet">You were last here ${shortTime(visitedAt, zone)}.</p>`}
${oldestMarkup(oldest, listPath, zone)}
<div class="columns"><section><h2 class="first">Newest job ads</h2>${adsTable(ads, countsOfAds, listPath)}<p><a href="${adsPath}">All job ads</a></p></section><section>${applicationsChart(days, applications => `The last ${days.length} days: ${applications}`)}<p class="quiet">The chart’s days are in Australian Eastern Standard Time (UTC+10).</p></section></div>`,
      }
    },
  })
}

const sumOf = (counts: StatusCounts | undefined) =>
  Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0)

function oldestMarkup(
  oldest: FoundApplication | undefined,
  listPath: string,
  zone: { timeZone: string; now: EpochMs },
): Html {
  if (oldest === undefined) return html`<p class="card">Every application has been read.</p>`
  const { id, jobAd, jobReference, submittedAt, erasedAt } = oldest
  const name = erasedAt === null ? isolateBidi(nameOf(oldest)) : erasedName
  return html`<section class="card"><h2 class="first">Oldest unread</h2>
<p class="line"><a href="${listPath}/${id}?status=new">${name}</a> <span>${jobLabel(jobAd, jobReference)}</span> <span class="quiet">${shortTime(submittedAt, zone)}</span></p></section>`
}

const adsTable = (
  ads: readonly AdChoice[],
  countsOfAds: ReadonlyMap<number, StatusCounts>,
  listPath: string,
): Html =>
  table({
    caption: 'Newest job ads',
    empty: 'You have no job ads here yet.',
    rows: ads,
    columns: [
      ['Job ad', ({ id, title: name }) => html`<a href="${listPath}?ad=${id}">${isolateBidi(name)}</a>`],
      [
        'Applications',
        ({ id }) => {
          const counts = countsOfAds.get(id)
          const unread = counts?.new ?? 0
          const link = html` (<a href="${listPath}?ad=${id}&amp;status=new">${numberText(unread)} unread</a>)`
          return html`${numberText(sumOf(counts))}${unread > 0 && link}`
        },
      ],
    ],
  })
