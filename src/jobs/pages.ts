import type { RouteOptions } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { parseNumericId } from '../core/ids.ts'
import { FormFields, searchOf } from '../http/form.ts'
import { sendPage } from '../web/page-response.ts'
import { dayOf } from './job-ad.ts'
import { jobListMarkup, jobMarkup, jobsPath, noSuchJobMarkup } from './job-markup.ts'
import type { JobBoard } from './ports.ts'

interface JobPageDeps {
  board: JobBoard
  clock: Clock
  limits: { jobAdsShown: number }
}

/** The job board, for everybody. */
export function jobPages({ board, clock, limits }: JobPageDeps): RouteOptions[] {
  return [
    {
      method: 'GET',
      url: jobsPath,
      config: { auth: 'public', errors: 'page' },
      schema: { hide: true },
      handler: async (request, reply) => {
        // A position that cannot be read begins anew.
        const before = parseNumericId(new FormFields(searchOf(request.raw.url)).get('before') ?? '')
        const { jobAdsShown } = limits
        const today = dayOf(clock())
        const found = await board.listOpen(before ?? Number.MAX_SAFE_INTEGER, jobAdsShown + 1, today)
        const ads = found.slice(0, jobAdsShown)
        const older = found.length > jobAdsShown ? ads.at(-1)?.id : undefined
        return sendPage(reply, {
          title: 'Jobs',
          body: jobListMarkup(ads, { isContinued: before !== undefined, older }),
        })
      },
    },
    {
      method: 'GET',
      url: `${jobsPath}/:jobAdId`,
      config: { auth: 'public', errors: 'page' },
      schema: { hide: true },
      handler: async (request, reply) => {
        const id = parseNumericId((request.params as { jobAdId: string }).jobAdId)
        const ad = id === undefined ? undefined : await board.find(id)
        return ad === undefined
          ? sendPage(reply, { status: 404, title: 'No such job', body: noSuchJobMarkup })
          : sendPage(reply, { title: ad.title, body: jobMarkup(ad, clock()) })
      },
    },
  ]
}
