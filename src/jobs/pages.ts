import type { FastifyRequest, RouteOptions } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { parseNumericId } from '../core/ids.ts'
import { setCaller } from '../http/auth/callers.ts'
import type { Sessions } from '../http/auth/sessions.ts'
import { FormFields, searchOf } from '../http/requests/form.ts'
import { route } from '../http/routes.ts'
import type { Limits } from '../limits.ts'
import type { LastApplication } from '../model/application-status.ts'
import { dayOf, isOpen } from '../model/job-ad.ts'
import { boardName } from '../web/board.ts'
import { notice } from '../web/components.ts'
import { type Html, html } from '../web/html.ts'
import { sendPage } from '../web/page-response.ts'
import { publicPage } from '../web/page-routes.ts'
import { timeElement } from '../web/time.ts'
import { jobHead, robotsText, sitemap } from './engines-markup.ts'
import { readJobSearch } from './job-search.ts'
import { jobHeading, jobListMarkup, jobMarkup, jobsPath, noSuchJobMarkup, otherJobs } from './markup.ts'
import type { JobBoard } from './ports.ts'
import { jobTexts as texts } from './texts.ts'

export interface JobPageDeps {
  board: JobBoard
  sessions: Pick<Sessions, 'of'>
  lastApplied(candidateId: string, jobAdId: number): Promise<LastApplication | undefined>
  clock: Clock
  authUrl(): string
  limits: Pick<
    Limits,
    'jobAdsShown' | 'jobsCounted' | 'jobsOfCompanyShown' | 'sitemapJobs' | 'searchLength' | 'searchWords'
  >
}

/** The public pages of the job board. */
export function jobPages(deps: JobPageDeps): RouteOptions[] {
  const { board, sessions, clock, authUrl, limits } = deps
  return [
    publicPage.get(jobsPath, async ({ request, reply }) => {
      // An unreadable position shows the first page.
      const query = new FormFields(searchOf(request.raw.url))
      const before = parseNumericId(query.get('before') ?? '')
      const search = readJobSearch(query.get('q'), limits)
      const { jobAdsShown, jobsCounted } = limits
      const now = clock()
      const choice = { today: dayOf(now), words: search.words }
      const start = before ?? Number.MAX_SAFE_INTEGER
      const [found, count] = await Promise.all([
        board.listOpen(start, jobAdsShown + 1, choice),
        board.countOpen(jobsCounted + 1, choice),
      ])
      const ads = found.slice(0, jobAdsShown)
      const older = found.length > jobAdsShown ? ads.at(-1)?.id : undefined
      return sendPage(reply, {
        title: texts.title,
        body: jobListMarkup({
          ...{ ads, search, now, older, isContinued: before !== undefined },
          count: texts.count(Math.min(count, jobsCounted), count > jobsCounted),
        }),
      })
    }),

    publicPage.get(`${jobsPath}/:jobAdId`, async ({ request, reply, params }) => {
      const id = parseNumericId(params.jobAdId)
      const ad = id === undefined ? undefined : await board.find(id)
      if (ad === undefined) {
        return sendPage(reply, { status: 404, title: texts.noSuchTitle, body: noSuchJobMarkup })
      }
      const now = clock()
      const { jobsOfCompanyShown: max } = limits
      const [others, last] = await Promise.all([
        board.listOpen(Number.MAX_SAFE_INTEGER, max + 1, {
          today: dayOf(now),
          advertiserId: ad.advertiserId,
        }),
        appliedBy(request, ad.id),
      ])
      return sendPage(reply, {
        title: ad.title,
        heading: jobHeading(ad, now),
        head: jobHead(ad, now, authUrl(), boardName(reply)),
        body: html`${last && notice('info', lastText(last, isOpen(ad, now)))}
${jobMarkup(ad, now, boardName(reply))}
${otherJobs(others.filter(other => other.id !== ad.id).slice(0, max), now)}`,
      })
    }),

    route({
      method: 'GET',
      url: '/sitemap.xml',
      auth: 'public',
      schema: { hide: true },
      async handle({ reply }) {
        const ads = await board.listOpen(Number.MAX_SAFE_INTEGER, limits.sitemapJobs, {
          today: dayOf(clock()),
        })
        return reply.header('content-type', 'application/xml; charset=utf-8').send(sitemap(ads, authUrl()))
      },
    }),

    route({
      method: 'GET',
      url: '/robots.txt',
      auth: 'public',
      schema: { hide: true },
      handle: ({ reply }) =>
        reply.header('content-type', 'text/plain; charset=utf-8').send(robotsText(authUrl())),
    }),
  ]

  async function appliedBy(request: FastifyRequest, jobAdId: number): Promise<LastApplication | undefined> {
    const session = await sessions.of(request)
    if (session === undefined) return undefined
    // Saves the page header a second lookup.
    setCaller(request, session)
    return deps.lastApplied(session.candidateId, jobAdId)
  }
}

function lastText({ submittedAt, isWithdrawn, withdrawnAt }: LastApplication, canApply: boolean): Html {
  if (!isWithdrawn) return texts.applied(timeElement(submittedAt))
  return texts.withdrawn(withdrawnAt !== null && timeElement(withdrawnAt), canApply)
}
