import type { RouteOptions } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { parseNumericId } from '../core/ids.ts'
import { FormFields, searchOf } from '../http/requests/form.ts'
import type { Limits } from '../limits.ts'
import { dayOf } from '../model/job-ad.ts'
import { sendPage } from '../web/page-response.ts'
import { publicPage } from '../web/page-routes.ts'
import { readJobSearch } from './job-search.ts'
import { jobHeading, jobListMarkup, jobMarkup, jobsPath, noSuchJobMarkup } from './markup.ts'
import type { JobBoard } from './ports.ts'
import { jobTexts as texts } from './texts.ts'

interface JobPageDeps {
  board: JobBoard
  clock: Clock
  limits: Pick<Limits, 'jobAdsShown' | 'searchLength' | 'searchWords'>
}

/** The public pages of the job board. */
export function jobPages({ board, clock, limits }: JobPageDeps): RouteOptions[] {
  return [
    publicPage.get(jobsPath, async ({ request, reply }) => {
      // An unreadable position shows the first page.
      const query = new FormFields(searchOf(request.raw.url))
      const before = parseNumericId(query.get('before') ?? '')
      const search = readJobSearch(query.get('q'), limits)
      const { jobAdsShown } = limits
      const today = dayOf(clock())
      const start = before ?? Number.MAX_SAFE_INTEGER
      const found = await board.listOpen(start, jobAdsShown + 1, today, search.words)
      const ads = found.slice(0, jobAdsShown)
      const older = found.length > jobAdsShown ? ads.at(-1)?.id : undefined
      return sendPage(reply, {
        title: texts.title,
        body: jobListMarkup({ ads, search, isContinued: before !== undefined, older }),
      })
    }),
    publicPage.get(`${jobsPath}/:jobAdId`, async ({ reply, params }) => {
      const id = parseNumericId(params.jobAdId)
      const ad = id === undefined ? undefined : await board.find(id)
      if (ad === undefined) {
        return sendPage(reply, { status: 404, title: texts.noSuchTitle, body: noSuchJobMarkup })
      }
      const now = clock()
      return sendPage(reply, { title: ad.title, heading: jobHeading(ad, now), body: jobMarkup(ad, now) })
    }),
  ]
}
