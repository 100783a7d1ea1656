import type { RouteOptions } from 'fastify'
import type { Usage } from '../../advertisers/usage-service.ts'
import type { Progress } from '../../collect/progress/service.ts'
import type { ApplicationFinding } from '../../collect/search/ports.ts'
import type { Clock } from '../../core/clock.ts'
import type { Limits } from '../../limits.ts'
import { pageHead } from '../../web/components.ts'
import { sendPage } from '../../web/page-response.ts'
import { memberPage } from '../../web/page-routes.ts'
import { adsTab, consoleNavigation, consolePath } from '../navigation-markup.ts'
import { overviewMarkup } from './markup.ts'
import { overviewTexts as texts } from './texts.ts'

interface PageDeps {
  finding: Pick<ApplicationFinding, 'adChoices' | 'oldestUnread' | 'countSince'>
  progress: Pick<Progress, 'visit' | 'counts' | 'countsOfAds'>
  usage: Pick<Usage, 'lastDays'>
  clock: Clock
  limits: Pick<Limits, 'consoleOverviewAds'>
}

/** The first page of a company: what is new, and what waits to be read. */
export function overviewPages({ finding, progress, usage, clock, limits }: PageDeps): RouteOptions[] {
  return [
    memberPage.get('/console/:advertiserId', async ({ request, reply, caller }) => {
      const { advertiserId, candidateId, timeZone } = caller
      const visitedAt = await progress.visit(advertiserId, candidateId, request.method === 'GET')
      const [counts, total, oldest, choices, days] = await Promise.all([
        progress.counts(advertiserId),
        visitedAt === null ? undefined : finding.countSince(advertiserId, visitedAt),
        finding.oldestUnread(advertiserId),
        finding.adChoices(advertiserId),
        usage.lastDays(advertiserId),
      ])
      const ads = choices.slice(0, limits.consoleOverviewAds)
      const adIds = ads.map(({ id }) => id)
      return sendPage(reply, {
        title: texts.title,
        styles: ['chart.css'],
        heading: pageHead(texts.title),
        isWide: true,
        navigation: consoleNavigation(caller, 'overview'),
        body: overviewMarkup({
          applicationsPath: consolePath(advertiserId, 'applications'),
          adsPath: consolePath(advertiserId, adsTab(caller)),
          counts,
          since: visitedAt === null || total === undefined ? undefined : { at: visitedAt, total },
          oldest,
          ads,
          countsOfAds: await progress.countsOfAds(advertiserId, adIds),
          days,
          timeZone,
          now: clock(),
        }),
      })
    }),
  ]
}
